// Reconstruction of a block from a compact block (BIP-0152): short ids are looked up among known transactions, and the
// rest is requested (Core's PartiallyDownloadedBlock).
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { MAX_BLOCK_TXS } from '../../consensus/limits.js';
import { checkMutation } from '../../consensus/rules/block-mutation.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { StoredTx } from '../../mempool/index.js';
import type { NetContext } from '../context.js';
import { type CompactBlock, ShortIds } from '../wire/compact-block.js';
import type { CompactCause, TxSource } from './compact-stats.js';

/** Largest block in bytes: a block has no more bytes than weight units. */
const MAX_BYTES = 4_000_000;

/**
 * 'collision', 'mismatch': the peer is not at fault, but the whole block must be requested. 'invalid': an honest peer
 * does not send this.
 */
export type PartialFault = 'collision' | 'mismatch' | 'invalid';

/** A transaction of the block: parsed, or as the mempool stores it. */
type Part = Pick<TxView, 'bytes' | 'totalSize' | 'txid' | 'wtxid' | 'facts'>;

export class PartialBlock {
  /** Transactions by position; null: missing. */
  readonly #txs: (Part | null)[];
  /** Positions of transactions from outside the mempool. */
  readonly #extra = new Set<number>();
  readonly #compact: CompactBlock;

  private constructor(compact: CompactBlock, total: number) {
    this.#compact = compact;
    this.#txs = new Array<Part | null>(total).fill(null);
  }

  /**
   * Fills in known transactions.
   * @param extra transactions outside the mempool that may be in a block
   * @param isWanted called after each pause of the search; false ends it
   */
  static async fromCompactBlock(
    compact: CompactBlock,
    context: NetContext,
    extra: readonly TxView[],
    isWanted: () => boolean = () => true,
  ): Promise<PartialBlock | PartialFault> {
    const total = compact.shortIds.length + compact.prefilled.length;
    if (total === 0 || total > MAX_BLOCK_TXS) return 'invalid';
    const block = new PartialBlock(compact, total);
    for (const [i, { index, tx }] of compact.prefilled.entries()) {
      // The position exceeds the number of transactions before it, which would leave a gap.
      if (index > compact.shortIds.length + i) return 'invalid';
      block.#txs[index] = tx;
    }
    const places = new Map<number, number>();
    let at = 0;
    for (const id of compact.shortIds) {
      while (block.#txs[at] !== null) at++;
      if (places.has(id)) return 'collision';
      places.set(id, at++);
    }
    await block.#fillFromMempool(places, context, extra, isWanted);
    // Copy the transactions: requesting the rest may take a while, and the mempool's memory must not be held.
    if (block.missing().length > 0) block.#copyStored();
    return block;
  }

  async #fillFromMempool(
    places: Map<number, number>,
    context: NetContext,
    extra: readonly TxView[],
    isWanted: () => boolean,
  ): Promise<void> {
    const ids = new ShortIds(this.#compact.header, this.#compact.nonce, context.crypto);
    // A position that matches two known transactions stays open: the short id does not tell which is right.
    const disputed = new Set<number>();
    const slice = new TimeSlice();
    const search = context.wtxids.search(
      (bytes, at) => places.get(ids.of(bytes, at)),
      (tx, place) => this.#offer(place, tx, disputed),
    );
    for (const _ of search) {
      if (!slice.over) continue;
      await slice.next();
      if (!isWanted()) return;
    }
    for (const tx of extra) {
      const place = places.get(ids.of(tx.wtxid));
      if (place === undefined || disputed.has(place)) continue;
      const there = this.#txs[place];
      if (there === null || there === undefined) {
        this.#txs[place] = tx;
        this.#extra.add(place);
      } else if (Buffer.compare(there.wtxid, tx.wtxid) !== 0) {
        this.#txs[place] = null;
        this.#extra.delete(place);
        disputed.add(place);
      }
    }
  }

  get sources(): Record<TxSource, number> {
    const asked = this.#txs.filter((tx) => tx === null).length;
    const prefilled = this.#compact.prefilled.length;
    return { mempool: this.#txs.length - asked - prefilled - this.#extra.size, extra: this.#extra.size, prefilled, asked };
  }

  /**
   * Returns what the reconstruction needed, and the positions that the mempool lacked. Hashes the prefilled
   * transactions, so call it for valid blocks only.
   */
  needs({ wtxids }: Pick<NetContext, 'wtxids'>): { readonly cause: CompactCause; readonly lacked: readonly number[] } {
    const missing = this.missing();
    const added = this.#compact.prefilled.filter(({ index, tx }) => index > 0 && wtxids.get(tx.wtxid) === undefined);
    const whole = added.length > 0 ? 'prefilled' : this.#extra.size > 0 ? 'extra' : 'mempool';
    return { cause: missing.length > 0 ? 'missing' : whole, lacked: [...missing, ...this.#extra, ...added.map(({ index }) => index)] };
  }

  #copyStored(): void {
    for (const [place, tx] of this.#txs.entries()) if (tx instanceof StoredTx) this.#txs[place] = tx.own();
  }

  #offer(place: number, tx: Part, disputed: Set<number>): void {
    if (disputed.has(place)) return;
    if (this.#txs[place] === null) this.#txs[place] = tx;
    else {
      this.#txs[place] = null;
      disputed.add(place);
    }
  }

  /** Returns the positions to request, ascending. */
  missing(): number[] {
    const places: number[] = [];
    for (const [place, tx] of this.#txs.entries()) if (tx === null) places.push(place);
    return places;
  }

  /**
   * Returns the block with the requested transactions, in order. A wrong transaction or witness may be this node's
   * fault: two transactions can have the same short id.
   * @param height height of the block
   */
  async finish(rest: readonly TxView[], height: number, { commands, crypto, params }: NetContext): Promise<BlockView | PartialFault> {
    let next = 0;
    const txs: Part[] = [];
    for (const tx of this.#txs) {
      const found = tx ?? rest[next++];
      if (found === undefined) return 'invalid';
      txs.push(found);
    }
    if (next !== rest.length) return 'invalid';
    const sizeBytes = txs.reduce((sum, tx) => sum + tx.totalSize, 0);
    // A compact block of a few kilobytes can refer to mempool transactions of any total size. Refuse such a list here,
    // before its transactions are copied.
    if (sizeBytes > MAX_BYTES) return 'mismatch';
    const writer = new ByteWriter(90 + sizeBytes);
    writer.bytes(this.#compact.header).compactSize(txs.length);
    for (const tx of txs) writer.bytes(tx.bytes);
    const block = parseBlock(writer.finish(), crypto);
    for (const [i, tx] of txs.entries()) (block.txs[i] as TxView).adopt(tx.txid, tx.wtxid, tx.facts);
    await commands.identify(block);
    return checkMutation(block, height, params) === null ? block : 'mismatch';
  }
}
