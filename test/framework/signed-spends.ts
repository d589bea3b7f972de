// Valid signed transactions that spend invented coins, for tests and benches of verification, which need no chain. The
// library under test builds and hashes them, because only the signatures have to be independent of it.

import { TaprootContext } from '../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../src/consensus/script/spent-output.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import type { Hashes } from '../../src/crypto/crypto.js';
import { type TestKey, testKey } from './keys.js';

export const SPEND_KINDS = ['p2pkh', 'p2wpkh', 'p2tr'] as const;
export type SpendKind = (typeof SPEND_KINDS)[number];

/** A transaction with the outputs it spends. */
export interface SignedSpend {
  readonly tx: TxView;
  readonly spent: readonly SpentOutput[];
}

const SIGHASH_ALL = 1;
const SIGHASH_DEFAULT = 0;
/** Number of different keys in a run: too many for a cache to matter, and few enough to be made quickly. */
const KEY_COUNT = 64;
export const INPUT_VALUE = 100_000;
const FEE = 1_000;

const keys = new Map<number, TestKey>();

function cachedKey(n: number): TestKey {
  let key = keys.get(n);
  if (key === undefined) {
    key = testKey(n);
    keys.set(n, key);
  }
  return key;
}

/** OP_DUP OP_HASH160 <20 bytes> OP_EQUALVERIFY OP_CHECKSIG */
function keyHashScript(hash: Uint8Array): Uint8Array {
  return Uint8Array.from([0x76, 0xa9, 20, ...hash, 0x88, 0xac]);
}

/** Returns the script of this type that pays to the key. */
export function scriptFor(kind: SpendKind, key: TestKey, hashes: Hashes): Uint8Array {
  if (kind === 'p2pkh') return keyHashScript(hashes.hash160(key.publicKey));
  if (kind === 'p2wpkh') return Uint8Array.from([0, 20, ...hashes.hash160(key.publicKey)]);
  return Uint8Array.from([0x51, 32, ...key.taprootOutput().key]);
}

export interface Unlock {
  readonly scriptSig: Uint8Array;
  readonly witness: Uint8Array[];
}

const EMPTY = new Uint8Array(0);

/** Returns the scriptSig and witness that spend a coin that pays to the key. */
export function unlock(
  kind: SpendKind,
  key: TestKey,
  input: number,
  sighashes: SighashCache,
  hashes: Hashes,
  value: number = INPUT_VALUE,
): Unlock {
  const code = keyHashScript(hashes.hash160(key.publicKey));
  if (kind === 'p2pkh') {
    const signature = key.signForScript(sighashes.legacy(input, code, SIGHASH_ALL), SIGHASH_ALL);
    return { scriptSig: Uint8Array.from([signature.length, ...signature, key.publicKey.length, ...key.publicKey]), witness: [] };
  }
  if (kind === 'p2wpkh') {
    const signature = key.signForScript(sighashes.segwitV0(input, code, value, SIGHASH_ALL), SIGHASH_ALL);
    return { scriptSig: EMPTY, witness: [signature, key.publicKey] };
  }
  const hash = sighashes.taproot(input, SIGHASH_DEFAULT, new TaprootContext(), false);
  if (hash === null) throw new Error('All spent outputs are known, so the hash exists');
  return { scriptSig: EMPTY, witness: [key.signTaproot(hash)] };
}

export interface SpendOptions {
  readonly inputs?: number;
  /** Number that makes transactions differ. The outpoints are derived from it. */
  readonly serial: number;
  /** Index of the input whose signature is made invalid after signing; absent: all signatures are valid. */
  readonly breakInput?: number;
}

/** Returns a signed transaction of this type with one output. */
export function signedSpend(kind: SpendKind, options: SpendOptions, hashes: Hashes): SignedSpend {
  const count = options.inputs ?? 1;
  const owners = Array.from({ length: count }, (_, i) => cachedKey((options.serial + i) % KEY_COUNT));
  const spent = owners.map((key) => ({ value: INPUT_VALUE, script: scriptFor(kind, key, hashes) }));
  const prevHash = hashes.sha256(new TextEncoder().encode(`adit test coin ${options.serial}`));
  const outputs = [{ value: INPUT_VALUE * count - FEE, script: keyHashScript(new Uint8Array(20)) }];
  const inputs = owners.map((_, i) => ({ prevHash, prevIndex: i, scriptSig: EMPTY, sequence: 0xffffffff, witness: [] as Uint8Array[] }));
  const unsigned = parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), hashes);
  const sighashes = new SighashCache(unsigned, hashes, spent);
  const signed = inputs.map((input, i) => {
    const { scriptSig, witness } = unlock(kind, owners[i], i, sighashes, hashes);
    // Change a byte of S, or of s in BIP-0340. The signature still has a valid form but does not verify.
    if (i === options.breakInput) (kind === 'p2pkh' ? scriptSig : witness[0])[50] ^= 1;
    return { ...input, scriptSig, witness };
  });
  return { tx: parseTx(buildTx({ version: 2, inputs: signed, outputs, locktime: 0 }), hashes), spent };
}
