// Builds the coinbase of blocks made here, as Core does: height, a zero or an extra nonce, one payout, one commitment
// (BIP-0034, BIP-0141). Templates use only its commitment; the generate calls use all of it.

import { merkleRoot, WITNESS_COMMITMENT_HEADER } from '../consensus/block/merkle.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import type { CoinbaseLock } from '../consensus/rules/cleanup/coinbase-lock.js';
import { SEQUENCE_FINAL } from '../consensus/rules/locks.js';
import { plainPush, pushNumber } from '../consensus/script/build-script.js';
import { buildTx } from '../consensus/tx/build-tx.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';

const NO_INDEX = 0xffffffff;
const COINBASE_VERSION = 2;
/** Second input of the commitment, besides the witness root; part of the coinbase's witness. */
const WITNESS_RESERVED_VALUE = new Uint8Array(32);

/** Returns the output script that commits to a witness root. @param witnessRoot 32 bytes */
export function commitmentScript(witnessRoot: Uint8Array, hashes: Hashes): Uint8Array {
  const joined = new Uint8Array(64);
  joined.set(witnessRoot);
  joined.set(WITNESS_RESERVED_VALUE, 32);
  return new ByteWriter(38).bytes(WITNESS_COMMITMENT_HEADER).bytes(hashes.sha256d(joined)).finish();
}

/** Returns the witness root of a block with these transactions after the coinbase, whose leaf is zero. */
export function witnessRootOf(txs: readonly TxView[], hashes: Hashes): Uint8Array {
  return merkleRoot([new Uint8Array(32), ...txs.map((tx) => tx.wtxid)], hashes).root;
}

export interface CoinbaseFields {
  readonly height: number;
  /** 0 in templates; generate calls count from 1. null: the script has only the height, as in Core since release 30. */
  readonly extraNonce: number | null;
  /** Payout in satoshis. */
  readonly value: number;
  readonly script: Uint8Array;
  /** Output script of the witness commitment; null on chains without segwit. */
  readonly commitment: Uint8Array | null;
  /** True if the coinbase has a witness with the reserved value, from segwit's activation on. */
  readonly witness: boolean;
  /** Lock time and sequence that BIP-0054 requires. Null if BIP-0054 is not active and the followed release is before 30. */
  readonly lock: CoinbaseLock | null;
}

/** Returns the serialised coinbase. */
export function buildCoinbase(fields: CoinbaseFields): Uint8Array {
  const outputs = [{ value: fields.value, script: fields.script }];
  if (fields.commitment !== null) outputs.push({ value: 0, script: fields.commitment });
  return buildTx({
    version: COINBASE_VERSION,
    inputs: [
      {
        prevHash: new Uint8Array(32),
        prevIndex: NO_INDEX,
        scriptSig: startOf(fields),
        sequence: fields.lock?.sequence ?? SEQUENCE_FINAL,
        witness: fields.witness && fields.commitment !== null ? [WITNESS_RESERVED_VALUE] : [],
      },
    ],
    outputs,
    locktime: fields.lock?.locktime ?? 0,
  });
}

/** Returns the input's script. Consensus requires at least two bytes. */
function startOf({ height, extraNonce }: CoinbaseFields): Uint8Array {
  const start = pushNumber(height);
  if (extraNonce === null && start.length > 1) return start;
  return join(start, plainPush(scriptNumber(extraNonce ?? 0)));
}

/** Returns a non-negative number in script encoding: shortest, little-endian, top bit clear; zero is empty. */
function scriptNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (bytes.length > 0 && bytes[bytes.length - 1] >= 0x80) bytes.push(0);
  return Uint8Array.from(bytes);
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
