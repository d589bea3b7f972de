// Compact blocks in both directions (BIP-0152 version 2). New blocks go to peers that want them immediately, before
// their scripts have run. Received ones are reconstructed from the mempool. The three peers that most recently brought
// good blocks are asked to send compact blocks without a request.
import type { HeaderNode } from '../../chain/tree/header-node.js';
import { NodeStatus } from '../../chain/tree/header-node.js';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { parseHeader } from '../../consensus/block/header-view.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { ByteReader } from '../../consensus/bytes/reader.js';
import { blockProof } from '../../consensus/rules/bits.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Semaphore } from '../../lib/semaphore.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import { NO_ROW } from '../../mempool/rows.js';
import type { RemovalReason } from '../../mempool/tx-pool.js';
import type { NetContext } from '../context.js';
import type { BlockInFlight, Peer } from '../peer/peer.js';
import { hasHeader, noteAvailable, settleAvailability } from '../sync/availability.js';
import { punishForBlock } from '../sync/blame.js';
import { type BlockDownload, blockInvType } from '../sync/block-download.js';
import type { BlockReceiver } from '../sync/block-receiver.js';
import type { HeadersSync } from '../sync/headers.js';
import { antiDosWork } from '../sync/headers-presync.js';
import { mayServe } from '../sync/serve-blocks.js';
import {
  decodeBlockTxRequest,
  decodeBlockTxs,
  decodeCompactBlock,
  encodeBlockTxRequest,
  encodeBlockTxs,
  encodeCompactBlock,
  ShortIds,
} from '../wire/compact-block.js';
import { decodeSendCmpct, encodeInv, encodeSendCmpct } from '../wire/messages.js';
import { INV, SERVICE } from '../wire/protocol.js';
import { COMPACT_CAUSES, type CompactCause, createCompactStats, TX_SOURCES } from './compact-stats.js';
import { NewestBlock } from './newest-block.js';
import { PartialBlock } from './partial-block.js';
import { choosePrefilled } from './prefill.js';

/** Version of BIP-0152 with wtxids. */
const VERSION = 2n;
/** Depth below the tip from which on whole blocks are sent: peers no longer have the transactions in their mempools. */
const MAX_CMPCTBLOCK_DEPTH = 5;
const MAX_BLOCKTXN_DEPTH = 10;
/** Maximum number of peers that send compact blocks without a request. */
const MAX_HIGH_BANDWIDTH = 3;
/** Maximum size of a transaction that is remembered for reconstruction, bytes. */
const MAX_EXTRA_BYTES = 100_000;
/** Blocks higher above the tip are not reconstructed: their transactions are not known yet. */
const MAX_ABOVE_TIP = 2;
/** Maximum number of peers that are asked for the missing transactions of one block. */
const MAX_ASKED_AT_ONCE = 3;
/** Maximum number of blocks in reconstruction at a time, for all peers. Each may hold megabytes. */
const MAX_PARTIAL = 24;
/** Maximum number of cached encoded compact blocks: one for each depth at which they are served, and some rivals of the tip. */
const CACHED_MESSAGES = 8;

export class CompactRelay {
  readonly stats = createCompactStats();
  /** Blocks in reconstruction by hash and peer; null: reconstruction failed and the whole block was requested from the peer. */
  readonly #partial = new Map<string, { peer: Peer; node: HeaderNode; block: PartialBlock | null }>();
  /** Peers that most recently brought good blocks, newest last. */
  readonly #highBandwidth: Peer[] = [];
  #newest: NewestBlock | null = null;
  /** Block that was reconstructed last, and the positions of the transactions that were missing. */
  #filled: { readonly hash: Uint8Array; readonly lacked: readonly number[] } | null = null;
  /** Greatest height of a block that was forwarded before its scripts ran. */
  #passedOnHeight = 0;
  /** Encoded messages of requested blocks by hash, oldest first. */
  readonly #messages = new Map<string, Uint8Array>();
  /** Ring of transactions that are not in the mempool and may be in a block. */
  readonly #extra: TxView[] = [];
  #extraAt = 0;
  readonly #context: NetContext;
  readonly #downloads: BlockDownload;
  readonly #headers: HeadersSync;
  readonly #blocks: BlockReceiver;
  /** Limits reads of blocks for peers. */
  readonly #reads: Semaphore;

  constructor(context: NetContext, downloads: BlockDownload, headers: HeadersSync, blocks: BlockReceiver, reads: Semaphore) {
    this.#context = context;
    this.#downloads = downloads;
    this.#headers = headers;
    this.#blocks = blocks;
    this.#reads = reads;
  }

  /**
   * Called when a transaction left the mempool. Remembers replaced and evicted transactions for reconstruction: a miner
   * may not know the replacement, may not want it, or may have a larger mempool.
   */
  onLeft(entry: MempoolEntry, reason: RemovalReason): void {
    // Check the size first, because `entry.tx` makes a copy.
    if ((reason === 'replaced' || reason === 'sizelimit') && entry.totalSize <= MAX_EXTRA_BYTES) this.rememberTx(entry.tx);
  }

  /** Returns the remembered transactions by key of the wtxid. */
  extraTransactions(): Map<string, TxView> {
    return new Map(this.#extra.map((tx) => [hashKey(tx.wtxid), tx]));
  }

  /** Remembers a transaction that the mempool rejected or replaced. */
  rememberTx(tx: TxView): void {
    const most = this.#context.options.extraTxs;
    if (most <= 0 || tx.totalSize > MAX_EXTRA_BYTES) return;
    if (this.#extra.length < most) this.#extra.push(tx);
    else this.#extra[this.#extraAt++ % most] = tx;
  }

  /** Called when a request ended without the block. */
  onReleased({ peer, hash }: BlockInFlight): void {
    this.#partial.delete(partialKey(peer, hash));
  }

  forgetPeer(peer: Peer): void {
    const at = this.#highBandwidth.indexOf(peer);
    if (at >= 0) this.#highBandwidth.splice(at, 1);
    for (const [key, partial] of this.#partial) if (partial.peer === peer) this.#partial.delete(key);
  }

  /** Called when a block with proof of work on the tip was stored. Its scripts have not run yet (Core's NewPoWValidBlock). */
  onStored(node: HeaderNode, block: BlockView): void {
    this.#dropPartial(node.hash);
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
  newestTransaction(hash: Uint8Array, byWtxid: boolean): TxView | undefined {
    return this.#newest?.transaction(hash, byWtxid);
  }

  /** Called after a tip change. Drops reconstructions that are no better than the tip. */
  onTip(): void {
    const { tip } = this.#context.chain;
    for (const [key, { node }] of this.#partial) if (node.chainWork <= tip.chainWork) this.#partial.delete(key);
  }

  /** Drops all reconstructions of a block that has arrived. */
  #dropPartial(hash: Uint8Array): void {
    const end = `/${hashKey(hash)}`;
    for (const key of this.#partial.keys()) if (key.endsWith(end)) this.#partial.delete(key);
  }

  /** Ends the request to this peer for a block that has arrived, from whichever peer. */
  #endRequest(peer: Peer, hash: Uint8Array): void {
    if (this.#downloads.requestOf(hash)?.peer === peer) this.#downloads.endRequest(hash);
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
    for (const { index, tx } of prefilled) if (index > 0) this.stats.prefilledBytes += tx.totalSize;
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

  /** Handles sendcmpct. @throws DecodeError */
  receiveSendCmpct(peer: Peer, payload: Uint8Array): void {
    const { legacyPeers, services } = this.#context.options;
    const { announce, version } = decodeSendCmpct(payload);
    if (announce > 1 && !legacyPeers) {
      this.#context.misbehaving(peer, 100, 'invalid sendcmpct announce field');
      return;
    }
    // Version 1 is for peers without witnesses, to which this node sends no compact blocks.
    if (version !== VERSION || (services & SERVICE.WITNESS) === 0n) return;
    peer.compact.provides = true;
    peer.compact.wantsHighBandwidth = announce > 0;
  }

  /** Handles cmpctblock. @throws DecodeError */
  async receiveCompactBlock(peer: Peer, payload: Uint8Array): Promise<void> {
    const { chain, crypto, log, options } = this.#context;
    // Ignore compact blocks with -blocksonly: without relayed transactions the mempool cannot reconstruct blocks.
    if (options.blocksOnly) return;
    if (!options.legacyPeers && !peer.compact.provides) {
      log.debug('cmpctblock', `peer=${peer.id} sent us a compact block despite never having sent us a SENDCMPCT!`);
      return;
    }
    const receivedMs = this.#context.times.nowMs();
    // The transactions are parsed only after the header has shown that they are wanted.
    const header = parseHeader(payload, crypto);
    if (chain.node(header.prevHash) === undefined) {
      if (!chain.isInitialBlockDownload()) this.#headers.askFrom(peer, chain.bestHeader);
      return;
    }
    const prev = chain.node(header.prevHash);
    const known = chain.node(header.hash) !== undefined;
    // Headers of a chain with little work must pass the presync, so ignore its compact blocks.
    const light = prev !== undefined && prev.chainWork + blockProof(header.bits) < antiDosWork(chain);
    if (light) {
      log.debug('net', `Ignoring low-work compact block from peer ${peer.id}`);
      return;
    }
    const verdict = await this.#context.commands.submitHeader(header.bytes);
    if (verdict !== null) {
      punishForBlock(this.#context, peer, verdict, true, 'invalid header via cmpctblock');
      return;
    }
    const node = chain.node(header.hash);
    if (node === undefined || peer.leaving) return;
    if (!known && !chain.isInitialBlockDownload()) this.#context.times.noteAnnounced(header.hash, receivedMs);
    noteAvailable(chain, peer, header.hash);
    if (!known && node.chainWork > chain.tip.chainWork) peer.sync.announcedAt = this.#context.clock.nowSeconds();
    if (node.has(NodeStatus.HAVE_DATA)) {
      this.#endRequest(peer, header.hash);
      return;
    }
    const wanted = peer.compact.highBandwidth || this.#downloads.wasAsked(peer, node);
    if (!wanted && !options.legacyPeers) {
      log.debug('cmpctblock', `peer=${peer.id}, not marked as high-bandwidth, sent us an unsolicited compact block!`);
      return;
    }
    const asked = this.#downloads.requestOf(header.hash);
    // The block has arrived already and is about to be stored.
    if (asked === undefined && this.#downloads.expects(header.hash)) return;
    if (node.chainWork <= chain.tip.chainWork || node.txCount !== 0) {
      // The block cannot become the tip, or was stored once. If the block was requested, request the whole block.
      if (asked !== undefined) this.#wholeBlock(peer, node);
      return;
    }
    if (asked === undefined && !this.#downloads.canFetchDirectly) return;
    if (node.height > chain.tip.height + MAX_ABOVE_TIP) {
      if (asked !== undefined) this.#wholeBlock(peer, node);
      else await this.#headers.processHeaders(peer, [header.bytes], true);
      return;
    }
    if (this.#partial.has(partialKey(peer, header.hash))) {
      log.debug('net', 'Peer sent us compact block we were already syncing!');
      return;
    }
    const mine = asked?.peer === peer;
    const mayAsk = mine || (asked === undefined && this.#downloads.freeSlots(peer) > 0 && !this.#downloads.passesOver(peer, node));
    if (!mayAsk && !wanted && !isTrusted(peer)) return;
    // The mempool was searched for this block before without success, so only the whole block helps.
    if (peer.compact.searchedFor === node) {
      if (mine) this.#wholeBlock(peer, node);
      return;
    }
    const compact = decodeCompactBlock(payload, crypto);
    if (mayAsk && this.#partial.size >= MAX_PARTIAL) {
      this.#count(peer, 'busy');
      this.#wholeBlock(peer, node);
      return;
    }
    if (mayAsk) this.#downloads.startRequest(peer, header.hash, node);
    peer.compact.searchedFor = node;
    const isWanted = (): boolean => !peer.leaving && !node.has(NodeStatus.HAVE_DATA);
    const partial = await PartialBlock.fromCompactBlock(compact, this.#context, this.#extra, isWanted);
    if (peer.leaving) return;
    if (node.has(NodeStatus.HAVE_DATA)) {
      this.#endRequest(peer, header.hash);
      return;
    }
    if (partial === 'invalid') {
      if (mayAsk) this.#downloads.endRequest(header.hash);
      this.#context.misbehaving(peer, 100, 'invalid compact block');
      return;
    }
    if (partial === 'collision' || partial === 'mismatch') {
      this.#count(peer, partial);
      if (mayAsk) this.#wholeBlock(peer, node);
      return;
    }
    const missing = partial.missing();
    log.debug(
      'cmpctblock',
      `Initialized PartiallyDownloadedBlock for block ${node.hashHex} using a cmpctblock of size ${payload.length}; ${missing.length} missing, ${partial.sources.mempool} from mempool, ${partial.sources.extra} from extra pool`,
    );
    if (missing.length === 0) {
      await this.#complete(peer, node, partial, []);
    } else if (mayAsk || this.#mayRace(peer, node)) {
      if (this.#askedFor(node).size === 0) this.#count(peer, 'missing');
      this.#partial.set(partialKey(peer, header.hash), { peer, node, block: partial });
      this.#downloads.askedAgain(peer, header.hash);
      peer.send('getblocktxn', encodeBlockTxRequest({ hash: header.hash, indexes: missing }));
    }
  }

  /** Handles blocktxn. @throws DecodeError */
  async receiveTxs(peer: Peer, payload: Uint8Array): Promise<void> {
    const { chain, crypto, log } = this.#context;
    const hash = new ByteReader(payload).hash();
    const key = partialKey(peer, hash);
    const partial = this.#partial.get(key);
    const node = chain.node(hash);
    if (partial === undefined || node === undefined || node.has(NodeStatus.HAVE_DATA)) {
      this.#partial.delete(key);
      log.debug('net', `Peer ${peer.id} sent us block transactions for block we weren't expecting`);
      return;
    }
    if (partial.block === null) {
      this.#partial.delete(key);
      this.#endRequest(peer, hash);
      this.#context.misbehaving(peer, 100, 'previous compact block reconstruction attempt failed');
      return;
    }
    // Decode the transactions only after these checks: any peer may send thousands of them.
    const { txs } = decodeBlockTxs(payload, crypto);
    this.#partial.delete(key);
    await this.#complete(peer, node, partial.block, txs);
  }

  async #complete(peer: Peer, node: HeaderNode, partial: PartialBlock, rest: readonly TxView[]): Promise<void> {
    const block = await partial.finish(rest, node.height, this.#context);
    // While the block was hashed, another peer may have brought it, or this peer may have disconnected.
    if (node.has(NodeStatus.HAVE_DATA)) {
      this.#endRequest(peer, node.hash);
      return;
    }
    if (peer.leaving && typeof block === 'string') return;
    if (block === 'invalid') {
      this.#endRequest(peer, node.hash);
      this.#context.misbehaving(peer, 100, 'invalid compact block/non-matching block transactions');
      return;
    }
    if (block === 'collision' || block === 'mismatch') {
      this.#count(peer, block);
      this.#wholeBlock(peer, node);
      // The peer has answered. Another answer would be unrequested.
      if (this.#downloads.requestOf(node.hash)?.peer === peer) this.#partial.set(partialKey(peer, node.hash), { peer, node, block: null });
      return;
    }
    const { sources } = partial;
    const { cause, lacked } = partial.needs(this.#context);
    if (cause !== 'missing') this.#count(peer, cause);
    for (const source of TX_SOURCES) this.stats.txs[source] += sources[source];
    this.#filled = { hash: node.hash, lacked };
    this.#context.log.debug(
      'cmpctblock',
      `Successfully reconstructed block ${node.hashHex} with ${sources.mempool} txn from mempool, ${sources.extra} from extra pool and ${rest.length} txn requested`,
    );
    this.#endRequest(peer, node.hash);
    await this.#blocks.processBlock(peer, block, true, false);
    if (!node.has(NodeStatus.HAVE_DATA)) return;
    // Other peers may have been asked too. Their answers are no longer expected.
    this.#downloads.endRequest(node.hash);
    this.#dropPartial(node.hash);
  }

  /**
   * Returns whether to ask this peer, too, for missing transactions, because the peer that was asked first may withhold
   * the block. Only peers that brought good blocks lately are asked, and at most three at once. The third one must be
   * outbound unless one of the first two is (as Core since version 25).
   */
  #mayRace(peer: Peer, node: HeaderNode): boolean {
    if (!peer.compact.highBandwidth || this.#partial.size >= MAX_PARTIAL) return false;
    const asked = this.#askedFor(node);
    const { peer: first } = this.#downloads.requestOf(node.hash) ?? {};
    if (first !== undefined) asked.add(first);
    if (asked.size < MAX_ASKED_AT_ONCE - 1) return true;
    return asked.size < MAX_ASKED_AT_ONCE && [peer, ...asked].some(({ inbound }) => !inbound);
  }

  /** Returns the peers that were asked for missing transactions of a block. */
  #askedFor(node: HeaderNode): Set<Peer> {
    const end = `/${hashKey(node.hash)}`;
    return new Set([...this.#partial].filter(([key]) => key.endsWith(end)).map(([, { peer }]) => peer));
  }

  #count(peer: Peer, cause: CompactCause): void {
    this.stats.blocks[cause]++;
    peer.compact.blocks[COMPACT_CAUSES[cause]]++;
  }

  #wholeBlock(peer: Peer, node: HeaderNode): void {
    // Leave a request to another peer where it is. Otherwise any peer could take over requests and withhold every block.
    const asked = this.#downloads.requestOf(node.hash);
    if (asked !== undefined && asked.peer !== peer) return;
    if (!this.#downloads.startRequest(peer, node.hash, node)) this.#downloads.askedAgain(peer, node.hash);
    peer.send('getdata', encodeInv([{ type: blockInvType(peer, this.#context), hash: node.hash }]));
  }

  /** Asks a peer whose block became the tip to send the next compact blocks without a request. */
  onGoodBlock(peer: Peer): void {
    // With -blocksonly the node knows no transactions of blocks in advance, so compact blocks do not help.
    if (this.#context.options.blocksOnly || !peer.compact.provides || !this.#context.peers.has(peer)) return;
    const list = this.#highBandwidth;
    const at = list.indexOf(peer);
    if (at >= 0) {
      list.splice(at, 1);
      list.push(peer);
      return;
    }
    if (list.length >= MAX_HIGH_BANDWIDTH) {
      // If an inbound peer joins, the last outbound peer of the list stays (Core's MaybeSetPeerAsAnnouncingHeaderAndIDs).
      const keepsOutbound = peer.inbound && list[0]?.inbound === false && list.filter(({ inbound }) => !inbound).length === 1;
      const [dropped] = list.splice(keepsOutbound ? 1 : 0, 1) as [Peer];
      dropped.compact.highBandwidth = false;
      dropped.send('sendcmpct', encodeSendCmpct({ announce: 0, version: VERSION }));
    }
    peer.compact.highBandwidth = true;
    peer.send('sendcmpct', encodeSendCmpct({ announce: 1, version: VERSION }));
    list.push(peer);
  }
}

/**
 * Returns whether the mempool is searched for a compact block that this node neither requested from the peer nor can
 * request from it (-compat=0.21.1). True for outbound and noban peers only, which are few: a search takes tens of
 * milliseconds of the node thread, and the peer needs only a header of another node and a few bytes to cause it.
 */
function isTrusted({ inbound, permissions }: Peer): boolean {
  return !inbound || permissions.noban;
}

function partialKey(peer: Peer, hash: Uint8Array): string {
  return `${peer.id}/${hashKey(hash)}`;
}
