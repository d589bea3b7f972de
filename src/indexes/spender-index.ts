// -txospenderindex: finds the transaction of the chain that spends an output. Rows identify outputs by a 64-bit hash
// with a random key of this node, as in Core, so a row has about 25 bytes. A query reads all transactions whose rows
// have this hash, rarely more than one. Rows of disconnected blocks are deleted.
import crypto from 'node:crypto';
import type { HeaderNode } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import { writeU32 } from '../consensus/bytes/writer.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { type SipKey, sipHash24, sipKey } from '../crypto/siphash.js';
import { TimeSlice } from '../lib/time-slice.js';
import { PREFIX, placeOfSpenderKey, prefixRange, spenderKey, spendersRange } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';
import type { IndexKind } from './follower.js';
import { type PartReader, placesIn, readPlace } from './tx-place.js';

const SALT_BYTES = 16;
const NOTHING = new Uint8Array(0);

export class SpenderIndex implements IndexKind {
  readonly name = 'txospenderindex';
  readonly rows = prefixRange(PREFIX.spender);
  readonly needsUndo = false;
  readonly #chain: PartReader;
  readonly #store: Store;
  readonly #hashes: Hashes;
  #salt: Uint8Array = new Uint8Array(crypto.randomBytes(SALT_BYTES));
  #key: SipKey = sipKey(this.#salt);

  constructor(chain: PartReader, store: Store, hashes: Hashes) {
    this.#chain = chain;
    this.#store = store;
    this.#hashes = hashes;
  }

  restore(state: Uint8Array | null): boolean {
    if (state === null) return true;
    if (state.length !== SALT_BYTES) return false;
    this.#salt = new Uint8Array(state);
    this.#key = sipKey(this.#salt);
    return true;
  }
  state(): Uint8Array {
    return this.#salt;
  }

  connect(node: HeaderNode, block: BlockView): Promise<BatchOp[]> {
    return this.#operations(node, block, (key) => ({ type: 'put', key, value: NOTHING }));
  }
  disconnect(node: HeaderNode, block: BlockView): Promise<BatchOp[]> {
    return this.#operations(node, block, (key) => ({ type: 'del', key }));
  }

  async #operations(node: HeaderNode, block: BlockView, operation: (key: Uint8Array) => BatchOp): Promise<BatchOp[]> {
    const ops: BatchOp[] = [];
    const slice = new TimeSlice();
    for (const { tx, place } of placesIn(node, block)) {
      if (tx.isCoinbase) continue;
      for (let i = 0; i < tx.inputCount; i++) {
        ops.push(operation(spenderKey(this.#hash(tx.outpoint(i)), place)));
        if (slice.over) await slice.next();
      }
    }
    return ops;
  }

  #hash(outpoint: Uint8Array): Uint8Array {
    const [low, high] = sipHash24(this.#key, outpoint);
    const hash = new Uint8Array(8);
    writeU32(hash, 0, low);
    writeU32(hash, 4, high);
    return hash;
  }

  /**
   * Returns the transaction that spends an output, and the hash of its block; undefined if there is none.
   * @param outpoint 36 bytes
   * @throws StoreError
   */
  async find(outpoint: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined> {
    for await (const [key] of this.#store.iterate(spendersRange(this.#hash(outpoint)))) {
      try {
        const found = await readPlace(this.#chain, this.#hashes, placeOfSpenderKey(key));
        for (let i = 0; i < found.tx.inputCount; i++) if (equalBytes(found.tx.outpoint(i), outpoint)) return found;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        throw new StoreError(
          'STORE_CORRUPTION',
          `The index of spenders refers to a wrong position in the block files: ${error.message}`,
          error,
        );
      }
    }
    return undefined;
  }
}
