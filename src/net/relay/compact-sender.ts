// Sends compact blocks (BIP-0152 version 2). New blocks go to peers that want them immediately, before their scripts have run.

import { type HeaderNode, NodeStatus } from '../../chain/index.js';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import type { BlockHash, TxHash } from '../../consensus/ids.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Semaphore } from '../../lib/semaphore.js';
import { NO_ROW } from '../../mempool/index.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { hasHeader, settleAvailability } from '../sync/availability.js';
import type { BlockDownload } from '../sync/block-download.js';
import { mayServe } from '../sync/serve-blocks.js';
import { decodeBlockTxRequest, encodeBlockTxs, encodeCompactBlock, ShortIds } from '../wire/compact-block.js';
import { encodeInv } from '../wire/messages.js';
import { INV } from '../wire/protocol.js';
import type { CompactStats } from './compact-stats.js';

// Selects the transactions that a compact block contains in full besides its coinbase: those that this node lacked
// itself, since its peers may lack them too (BIP-0152's "expected to be missing";
// docs/decisions/0030-compact-block-prefill.md).

/** Bytes that TCP sends before the first acknowledgement: ten segments (RFC 6928). */
const WINDOW_BYTES = 14_600;
/** Maximum number of bytes of a transaction's index. */
const INDEX_BYTES = 3;
const SHORT_ID_BYTES = 6;
/** Bytes of a compact block besides its transactions: frame, header, nonce and counts. */
const FIXED_BYTES = 24 + 88 + 8;

/**
 * Returns ascending positions of the prefilled transactions, the coinbase first. They must fit into the last TCP window
 * that the message needs anyway: another window would cost the round trip that prefilling saves. Smaller ones are taken
 * first, so that as many as possible fit.
 * @param lacked positions of transactions that this node lacked
 */
export function choosePrefilled(txs: readonly TxView[], lacked: readonly number[]): number[] {
  const coinbase = txs[0] as TxView;
  const bare = FIXED_BYTES + coinbase.totalSize + SHORT_ID_BYTES * (txs.length - 1);
  let spareBytes = WINDOW_BYTES - (bare % WINDOW_BYTES);
  const chosen = [0];
  const sizeOf = (place: number): number => (txs[place] as TxView).totalSize;
  for (const place of lacked.filter((one) => one > 0).sort((a, b) => sizeOf(a) - sizeOf(b))) {
    const bytes = sizeOf(place) + INDEX_BYTES - SHORT_ID_BYTES;
    if (bytes > spareBytes) break;
    spareBytes -= bytes;
    chosen.push(place);
  }
  return chosen.sort((a, b) => a - b);
}

class NewestBlock {
  readonly hash: BlockHash;
  /** Encoded compact block; null until the first peer wants it. */
  message: Uint8Array | null = null;
  /** Transactions by keys of txid and wtxid; built at the first request. */
  #byTxid: Map<string, TxView> | null = null;
  #byWtxid: Map<string, TxView> | null = null;

  constructor(readonly block: BlockView) {
    this.hash = block.hash.slice();
  }

  is(hash: BlockHash): boolean {
    return equalBytes(this.hash, hash);
  }

  /** Returns a transaction of the block, also after the block was disconnected (Core's m_most_recent_block_txs). */
  transaction(hash: TxHash, byWtxid: boolean): TxView | undefined {
    const { txs } = this.block;
    if (byWtxid) return (this.#byWtxid ??= new Map(txs.map((tx) => [hashKey(tx.wtxid), tx]))).get(hashKey(hash));
    return (this.#byTxid ??= new Map(txs.map((tx) => [hashKey(tx.txid), tx]))).get(hashKey(hash));
  }
}

/** Depth below the tip from which on whole blocks are sent: peers no longer have the transactions in their mempools. */
const MAX_CMPCTBLOCK_DEPTH = 5;
const MAX_BLOCKTXN_DEPTH = 10;
/** Maximum number of cached encoded compact blocks: one for each depth at which they are served, and some rivals of the tip. */
const CACHED_MESSAGES = 8;

export class CompactSender {
  #newest: NewestBlock | null = null;
  /** Block that was reconstructed last, and the positions of the transactions that were missing. */
  #filled: { readonly hash: BlockHash; readonly lacked: readonly number[] } | null = null;
  /** Greatest height of a block that was forwarded before its scripts ran. */
  #passedOnHeight = 0;
  /** Encoded messages of requested blocks by hash, oldest first. */
  readonly #messages = new Map<string, Uint8Array>();
  readonly #context: NetContext;
  readonly #downloads: BlockDownload;
  /** Limits reads of blocks for peers. */
  readonly #reads: Semaphore;
  readonly #stats: CompactStats;

  constructor(context: NetContext, downloads: BlockDownload, reads: Semaphore, stats: CompactStats) {
    this.#context = context;
    this.#downloads = downloads;
    this.#reads = reads;
    this.#stats = stats;
  }

  /** Records that a block was reconstructed. @param lacked positions of the transactions that the mempool did not have */
  noteReconstructed(hash: BlockHash, lacked: readonly number[]): void {
    this.#filled = { hash, lacked };
  }

  /** Called when a block with proof of work on the tip was stored. Its scripts have not run yet (Core's NewPoWValidBlock). */
  onStored(node: HeaderNode, block: BlockView): void {
    this.#newest = new NewestBlock(block);
    // Forward one block of each height. Its rivals may be invalid, and are announced when they are the tip (Core's
    // nHighestFastAnnounce).
    if (node.height <= this.#passedOnHeight) return;
    this.#passedOnHeight = node.height;
    for (const peer of this.#context.peers) {
      if (!peer.compact.wantsHighBandwidth || peer.leaving) continue;
      settleAvailability(this.#context.chain, peer);
      if (hasHeader(peer, node) || node.prev === null || !hasHeader(peer, node.prev)) continue;
      this.#context.log.debug('net', `sending header-and-ids ${node.hashHex} to peer=${peer.id}`);
      // The block is encoded when the first peer wants it: computing the short ids delays new work by a millisecond or more.
      peer.send('cmpctblock', this.#prepare(block));
      peer.sync.bestHeaderSent = node;
    }
  }

  /** Returns a transaction of the block that was forwarded last. */
  newestTransaction(hash: TxHash, byWtxid: boolean): TxView | undefined {
    return this.#newest?.transaction(hash, byWtxid);
  }

  #prepare(block: BlockView): Uint8Array {
    if (this.#newest?.is(block.hash) !== true) this.#newest = new NewestBlock(block);
    this.#newest.message ??= this.#encode(this.#newest.block, this.#lackedOf(this.#newest.block));
    return this.#newest.message;
  }

  #encode(block: BlockView, lacked: readonly number[]): Uint8Array {
    const nonce = (BigInt(Math.floor(this.#context.random() * 2 ** 32)) << 32n) | BigInt(Math.floor(this.#context.random() * 2 ** 32));
    const header = block.header.bytes;
    const ids = new ShortIds(header, nonce, this.#context.crypto);
    const whole = new Set(choosePrefilled(block.txs, lacked));
    const shortIds = block.txs.filter((_, place) => !whole.has(place)).map((tx) => ids.of(tx.wtxid));
    const prefilled = [...whole].map((index) => ({ index, tx: block.txs[index] as TxView }));
    for (const { index, tx } of prefilled) if (index > 0) this.#stats.prefilledBytes += tx.totalSize;
    return encodeCompactBlock({ header, nonce, shortIds, prefilled });
  }

  /** Returns the positions of transactions that this node lacked, of a block that is not connected yet or was reconstructed last. */
  #lackedOf({ hash, txs }: BlockView): readonly number[] {
    if (this.#filled !== null && equalBytes(this.#filled.hash, hash)) return this.#filled.lacked;
    // Confirmed transactions have left the mempool, so it is no longer known which were missing.
    if (equalBytes(this.#context.chain.tip.hash, hash)) return [];
    const { records } = this.#context.mempool;
    return txs.flatMap(({ wtxid }, place) => (place > 0 && records.findWitness(wtxid) === NO_ROW ? [place] : []));
  }

  /** Announces the tip as a compact block. @returns false if the block is not cached */
  announceTip(peer: Peer, node: HeaderNode): boolean {
    if (this.#newest?.is(node.hash) !== true) return false;
    this.#context.log.debug('net', `sending header-and-ids ${node.hashHex} to peer=${peer.id}`);
    peer.send('cmpctblock', this.#prepare(this.#newest.block));
    return true;
  }

  /** Answers getdata for a compact block. @returns false if the whole block must be sent */
  serveCompactBlock(peer: Peer, node: HeaderNode, bytes: Uint8Array): boolean {
    const { chain } = this.#context;
    if (!this.#downloads.canFetchDirectly || node.height < chain.tip.height - MAX_CMPCTBLOCK_DEPTH) return false;
    peer.send('cmpctblock', this.#messageOf(node, bytes));
    return true;
  }

  #messageOf(node: HeaderNode, bytes: Uint8Array): Uint8Array {
    if (this.#newest?.is(node.hash) === true) return this.#prepare(this.#newest.block);
    const key = hashKey(node.hash);
    const cached = this.#messages.get(key);
    if (cached !== undefined) return cached;
    const block = parseBlock(bytes, this.#context.crypto);
    const message = this.#context.chain.tip === node ? this.#prepare(block) : this.#encode(block, []);
    this.#messages.set(key, message);
    if (this.#messages.size > CACHED_MESSAGES) this.#messages.delete(this.#messages.keys().next().value as string);
    return message;
  }

  /** Handles getblocktxn. @throws DecodeError */
  async sendTxs(peer: Peer, payload: Uint8Array): Promise<void> {
    const { blocks, chain, log } = this.#context;
    const { hash, indexes } = decodeBlockTxRequest(payload);
    if (indexes.length === 0) {
      this.#context.disconnect(peer, 'getblocktxn received with no transaction indexes');
      return;
    }
    let block = this.#newest?.is(hash) === true ? this.#newest.block : undefined;
    if (block === undefined) {
      const node = chain.node(hash);
      if (node === undefined || !node.has(NodeStatus.HAVE_DATA)) {
        log.debug('net', `Peer ${peer.id} sent us a getblocktxn for a block we don't have`);
        return;
      }
      if (node.height < chain.tip.height - MAX_BLOCKTXN_DEPTH) {
        // Reading an old block from disk is costly each time. Send the whole block instead, which counts against the upload limits.
        log.debug('net', `Peer ${peer.id} sent us a getblocktxn for a block > ${MAX_BLOCKTXN_DEPTH} deep`);
        // Do not answer for a block that must not be served. An answer would help to identify this node.
        if (!mayServe(chain, node, this.#context.params)) return;
        peer.wanted.add(encodeInv([{ type: INV.WITNESS_BLOCK, hash }]).subarray(1));
        return;
      }
      block = blocks.recentBlock(node);
      if (block === undefined) {
        const bytes = await this.#reads.run(() => blocks.readBlockBytes(node));
        if (!peer.leaving) this.#context.chargeTo(peer, () => this.#answer(peer, parseBlock(bytes, this.#context.crypto), indexes));
        return;
      }
    }
    this.#answer(peer, block, indexes);
  }

  #answer(peer: Peer, block: BlockView, indexes: readonly number[]): void {
    const txs: TxView[] = [];
    for (const index of indexes) {
      const tx = block.txs[index];
      if (tx === undefined) {
        this.#context.misbehaving(peer, 100, 'getblocktxn with out-of-bounds tx indices');
        return;
      }
      txs.push(tx);
    }
    peer.send('blocktxn', encodeBlockTxs(block.hash, txs));
  }
}
