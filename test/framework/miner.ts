// A miner that uses HTTP calls only: requests a template, adds a coinbase, finds a nonce, submits the block. It has its
// own serializer.

import type { TestKey } from './keys.js';
import {
  compactSize,
  grind,
  type Header,
  hash256,
  merkleRoot,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  type Tx,
  txid,
  unshown,
} from './messages.js';
import type { Spendable } from './mini-wallet.js';
import { type Kind, scriptFor } from './mini-wallet.js';

/** The part of a template that a miner reads. */
export interface Template {
  version: number;
  previousblockhash: string;
  transactions: { data: string; txid: string; hash: string; fee: number; depends: number[]; weight: number; sigops: number }[];
  coinbasevalue: number;
  longpollid: string;
  curtime: number;
  mintime: number;
  bits: string;
  height: number;
  default_witness_commitment: string;
}

/** A solved block. */
export interface Mined {
  hex: string;
  hashHex: string;
  height: number;
  coinbase: Spendable;
  /** Display hex of the txids after the coinbase. */
  txids: string[];
}

let extraNonce = 0;

/**
 * Builds and solves a block from a template. Its reward is paid to `key` with an output of type `kind`. @param lock
 * lock fields of the coinbase; default: none
 */
export function mine(template: Template, kind: Kind, key: TestKey, lock = { locktime: 0, sequence: 0xffffffff }): Mined {
  const coinbase: Tx = {
    version: 2,
    ins: [
      {
        txid: Buffer.alloc(32),
        index: 0xffffffff,
        script: Buffer.concat([scriptNumber(template.height), push(Buffer.from(`adit test ${extraNonce++}`))]),
        sequence: lock.sequence,
        witness: [Buffer.alloc(32)],
      },
    ],
    outs: [
      { value: template.coinbasevalue, script: scriptFor(kind, key) },
      { value: 0, script: Buffer.from(template.default_witness_commitment, 'hex') },
    ],
    locktime: lock.locktime,
  };
  const id = txid(coinbase);
  const header: Header = {
    version: template.version,
    prev: unshown(template.previousblockhash),
    merkleRoot: merkleRoot([id, ...template.transactions.map((tx) => unshown(tx.txid))]),
    time: template.curtime,
    bits: Number.parseInt(template.bits, 16),
    nonce: 0,
  };
  const hash = grind(header);
  const bytes = Buffer.concat([
    serializeHeader(header),
    compactSize(template.transactions.length + 1),
    serializeTx(coinbase),
    ...template.transactions.map((tx) => Buffer.from(tx.data, 'hex')),
  ]);
  return {
    hex: bytes.toString('hex'),
    hashHex: Buffer.from(hash).reverse().toString('hex'),
    height: template.height,
    coinbase: { txid: id, index: 0, value: template.coinbasevalue, kind, key },
    txids: template.transactions.map((tx) => tx.txid),
  };
}

/** Returns the commitment that a template should have, computed from its transactions alone (BIP-0141). */
export function commitmentOf(template: Template): string {
  const root = merkleRoot([Buffer.alloc(32), ...template.transactions.map((tx) => unshown(tx.hash))]);
  return `6a24aa21a9ed${hash256(Buffer.concat([root, Buffer.alloc(32)])).toString('hex')}`;
}
