// Map keys of transactions and outpoints. A pool of a hundred thousand transactions makes and compares them all day, so they are
// made once per transaction and shared by everything that indexes it.
import { Buffer } from 'node:buffer';
import type { TxView } from '../consensus/tx/tx-view.js';

const latin1 = Buffer.prototype.latin1Slice;

/** One character per byte: the same key as consensus/bytes/hex.ts makes, at a quarter of the time. */
export function keyOf(bytes: Uint8Array): string {
  return latin1.call(bytes, 0, bytes.length);
}

/** The bytes that a key was made of. */
export function bytesOfKey(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'));
}

/** The keys by which a transaction is found and finds others. */
export class TxKeys {
  readonly txid: string;
  /** Transaction that holds what each input spends. */
  readonly parents: readonly string[];

  constructor(tx: TxView) {
    this.txid = keyOf(tx.txid);
    const parents: string[] = [];
    for (let i = 0; i < tx.inputCount; i++) {
      parents.push(keyOf(tx.prevHash(i)));
    }
    this.parents = parents;
  }
}
