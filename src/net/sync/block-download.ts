// Decides which blocks are requested from which peer: a window of the best header chain that moves with the tip, at
// most 16 blocks per peer. A peer that holds up the window is disconnected (Core's FindNextBlocksToDownload and its
// timeouts).
//
// Peers answer in the order of what they are sent (see getdata in Core's ProcessMessages). So a peer that answers a
// later ping, or sends notfound, without having sent a block, has refused the block: its slot is free and the block is
// requested from other peers. Core waits ten minutes (docs/decisions/0028-withheld-blocks.md).

import { type HeaderNode, lastCommonAncestor, NodeStatus } from '../../chain/index.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import type { BlockHash } from '../../consensus/ids.js';
import type { NetContext } from '../context.js';
import type { BlockInFlight, Peer } from '../peer/peer.js';
import { encodeInv, type InvItem } from '../wire/messages.js';
import { INV, LIMITED_MIN_BLOCKS, SERVICE } from '../wire/protocol.js';
import { settleAvailability } from './availability.js';

/** Maximum number of blocks that are requested from one peer at a time. */
export const MAX_BLOCKS_IN_TRANSIT_PER_PEER = 16;
/** Minimum number of blocks in one request during the initial block download. The other half of the slots is then in transit. */
const MIN_REQUEST = MAX_BLOCKS_IN_TRANSIT_PER_PEER / 2;
/** Maximum height of a requested block above the last block in common with the peer. */
const BLOCK_DOWNLOAD_WINDOW = 1_024;
/** Blocks this close to the limit of a pruned peer are not requested, because its chain may grow meanwhile. */
const LIMITED_MARGIN = 2;
/**
 * Time that the first block of the window may hold up others. It doubles with each peer that was disconnected for this
 * reason, so that a slow connection does not lose all peers. Each connected block reduces it (Core since version 25).
 */
const BLOCK_STALLING_TIMEOUT_MS = 2_000;
const BLOCK_STALLING_TIMEOUT_MAX_MS = 64_000;
const STALLING_TIMEOUT_DECAY = 0.85;
/** Timeout of a block in block intervals, then additional intervals for each other peer that sends blocks. */
const BLOCK_DOWNLOAD_TIMEOUT_BASE = 1;
const BLOCK_DOWNLOAD_TIMEOUT_PER_PEER = 0.5;
/** Blocks are requested as they are announced if the tip is at most this many block intervals old. */
const DIRECT_FETCH_INTERVALS = 20;

/**
 * Time after which the block following the tip is requested from another peer that has it. After three such peers the
 * time doubles for each further one, so that copies of one block do not fill a slow connection.
 */
const WITHHELD_MS = 3_000;
const QUICK_TAKEOVERS = 3;
/** Time after which the whole window is searched again, because a block may have lost its stored bytes. */
const SEARCH_AGAIN_MS = 1_000;

export class BlockDownload {
  /** Open requests by hash. */
  readonly #inFlight = new Map<string, BlockInFlight>();
  /** Blocks that must not be requested, with the number of operations in progress on each. */
  readonly #busy = new Map<string, number>();
  /** Keys of blocks in the window, by height: most blocks are looked up many times before they are stored. */
  readonly #windowKeys: { readonly node: HeaderNode; readonly key: string }[] = [];
  /**
   * Block of the window up to which each block is stored, requested, or in progress, and the time of the search that
   * began at the start of the window. Null if unknown.
   */
  #settled: { readonly node: HeaderNode; readonly sinceMs: number } | null = null;

  #stallingTimeoutMs = BLOCK_STALLING_TIMEOUT_MS;
  #tip: HeaderNode | null = null;
  #tipSinceMs = 0;
  /** Last refused block. */
  #refusal: { readonly node: HeaderNode; readonly atMs: number } | null = null;
  readonly #context: NetContext;
  readonly #monotonicMs: () => number;

  constructor(context: NetContext, monotonicMs: () => number = () => performance.now()) {
    this.#context = context;
    this.#monotonicMs = monotonicMs;
  }

  get size(): number {
    return this.#inFlight.size;
  }
  /** True if blocks are requested as soon as their headers arrive (Core's CanDirectFetch). */
  get canFetchDirectly(): boolean {
    const { chain, clock, params } = this.#context;
    return chain.tip.time > clock.nowSeconds() - params.powTargetSpacing * DIRECT_FETCH_INTERVALS;
  }

  /** Returns the open request for a block. */
  requestOf(hash: BlockHash): BlockInFlight | undefined {
    return this.#inFlight.get(hashKey(hash));
  }

  /** Returns whether a peer was asked for a block, even if others were asked since. */
  wasAsked(peer: Peer, node: HeaderNode): boolean {
    return peer.sync.inFlight.some((one) => one.node === node) || this.requestOf(node.hash)?.earlier.includes(peer) === true;
  }

  /** Returns whether a block need not be requested: a request is open, or work on it is in progress. */
  expects(hash: BlockHash): boolean {
    const key = hashKey(hash);
    return this.#inFlight.has(key) || this.#busy.has(key);
  }

  /**
   * Keeps blocks from being requested while work on them is in progress: the chain stores them, or accepts the headers
   * of a peer that is asked immediately afterwards.
   */
  async whileBusy<T>(hashes: readonly Uint8Array[], work: () => Promise<T>): Promise<T> {
    const keys = hashes.map(hashKey);
    for (const key of keys) this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      for (const [i, key] of keys.entries()) {
        const left = (this.#busy.get(key) as number) - 1;
        if (left > 0) this.#busy.set(key, left);
        else {
          this.#busy.delete(key);
          if (this.#context.chain.node(hashes[i] as Uint8Array)?.hasData !== true) this.#settled = null;
        }
      }
    }
  }

  /** Returns how many more blocks may be requested from a peer. */
  freeSlots(peer: Peer): number {
    this.#tidy(peer);
    return Math.max(0, MAX_BLOCKS_IN_TRANSIT_PER_PEER - slotsTaken(peer));
  }

  /**
   * Records a request for a block.
   * @param byHand whether the operator requested it
   * @returns false if the request exists already, or if the peer is being disconnected and nothing would end the
   * request
   */
  startRequest(peer: Peer, hash: BlockHash, node: HeaderNode | null, byHand = false): boolean {
    if (peer.leaving) return false;
    const key = hashKey(hash);
    const already = this.#inFlight.get(key);
    if (already !== undefined && already.peer === peer) return false;
    if (already !== undefined) this.endRequest(hash);
    const earlier = already === undefined ? [] : [...already.earlier, already.peer];
    const entry: BlockInFlight = {
      hash: hash.slice(),
      node,
      peer,
      sinceMs: this.#monotonicMs(),
      earlier,
      byHand,
      ping: peer.pingsSent + 1,
      refusedAt: undefined,
    };
    this.#inFlight.set(key, entry);
    const list = peer.sync.inFlight;
    // A request after a refusal keeps its place, so that its timeout does not start again.
    const place = list.findIndex((other) => equalBytes(other.hash, hash));
    if (place >= 0) list[place] = entry;
    else list.push(entry);
    if (list.length === 1 && place < 0) peer.sync.downloadingSinceMs = this.#context.clock.nowMs();
    return true;
  }

  /**
   * Records that another message about a requested block was sent to the peer. The answer to an earlier ping no longer
   * means that the peer refused the block.
   */
  askedAgain(peer: Peer, hash: BlockHash): void {
    const entry = this.#inFlight.get(hashKey(hash));
    if (entry?.peer === peer) entry.ping = peer.pingsSent + 1;
  }

  /**
   * Called when a peer answered its last ping. The peer has refused the blocks that were requested before that ping and
   * have not arrived. Requests younger than WITHHELD_MS are left to the next ping, because some peers answer pings while
   * they still look for a block.
   */
  answeredPing(peer: Peer): void {
    const until = this.#monotonicMs() - WITHHELD_MS;
    for (const entry of peer.sync.inFlight) {
      if (entry.ping > peer.pingsSent) continue;
      if (entry.sinceMs > until) entry.ping = peer.pingsSent + 1;
      else this.#refused(entry);
    }
  }

  /** Called when a peer answers notfound for a block. */
  notFound(peer: Peer, hash: BlockHash): void {
    const entry = this.#inFlight.get(hashKey(hash));
    if (entry?.peer === peer) this.#refused(entry);
  }

  #refused(entry: BlockInFlight): void {
    const { peer, node } = entry;
    if (entry.refusedAt !== undefined) return;
    this.#context.log.debug('net', `Block ${node?.hashHex ?? ''} (${node?.height ?? -1}) was refused by peer=${peer.id}`);
    entry.refusedAt = peer.sync.bestKnown;
    if (node !== null) this.#refusal = { node, atMs: this.#monotonicMs() };
    peer.sync.stallingSinceMs = 0;
    this.#release(entry);
    // Other peers may have the block.
    this.#context.scheduleRound();
  }

  /** Ends an open request without the block. */
  #release(entry: BlockInFlight): void {
    const key = hashKey(entry.hash);
    if (this.#inFlight.get(key) !== entry) return;
    this.#inFlight.delete(key);
    this.#settled = null;
    this.#context.events.emit('requestReleased', entry);
  }

  #drop(entry: BlockInFlight): void {
    const { sync } = entry.peer;
    const place = sync.inFlight.indexOf(entry);
    if (place === 0) sync.downloadingSinceMs = Math.max(sync.downloadingSinceMs, this.#context.clock.nowMs());
    if (place >= 0) sync.inFlight.splice(place, 1);
    sync.stallingSinceMs = 0;
  }

  /** Returns whether an announced block is not requested from a peer: the peer has refused it, or other peers come first. */
  passesOver(peer: Peer, node: HeaderNode): boolean {
    const { inFlight, bestKnown } = peer.sync;
    return inFlight.some((one) => one.node === node && one.refusedAt === bestKnown) || this.#leftToOthers(peer, node);
  }

  /** Ends pointless requests to a peer. Schedules a ping if other requests take long. */
  #tidy(peer: Peer): void {
    const { inFlight } = peer.sync;
    if (inFlight.length === 0) return;
    for (const entry of inFlight.filter((one) => this.#isPointless(one))) {
      this.#drop(entry);
      this.#release(entry);
    }
    // During the initial block download long waits are usual, and fillWindow finds the peers that stall it.
    if (peer.pingNonce !== 0n || this.#context.chain.isInitialBlockDownload()) return;
    const until = this.#monotonicMs() - WITHHELD_MS;
    if (inFlight.some((one) => one.refusedAt === undefined && one.ping > peer.pingsSent && one.sinceMs < until)) peer.pingWanted = true;
  }

  /**
   * Returns whether a block is no longer needed: it is stored, or the best chain has grown without it and its peer no
   * longer builds on it.
   */
  #isPointless({ node, byHand, peer, refusedAt }: BlockInFlight): boolean {
    const { chain } = this.#context;
    if (node === null) return false;
    if (byHand) return refusedAt !== undefined || node.has(NodeStatus.HAVE_DATA);
    if (node.failed || node.has(NodeStatus.HAVE_DATA)) return true;
    if (chain.contains(node)) return chain.history?.wants(node) !== true;
    if (refusedAt === undefined && node.chainWork >= chain.tip.chainWork) return false;
    const { bestKnown } = peer.sync;
    return bestKnown === null || bestKnown.chainWork < chain.tip.chainWork || bestKnown.ancestor(node.height) !== node;
  }

  /** Ends the request for a block that arrived or will not arrive. @returns whether there was one */
  endRequest(hash: BlockHash): boolean {
    const key = hashKey(hash);
    const entry = this.#inFlight.get(key);
    if (entry === undefined) return false;
    this.#drop(entry);
    this.#inFlight.delete(key);
    if (!this.#busy.has(key)) this.#settled = null;
    return true;
  }

  /** Ends the requests of a disconnected peer, so that others may be asked. */
  forgetPeer(peer: Peer): void {
    for (const entry of peer.sync.inFlight) this.#release(entry);
    peer.sync.inFlight.length = 0;
  }

  /**
   * Requests a single new block near the tip as a compact block, whether its header has just arrived or earlier. A
   * block announced by inv is requested in the round after its header arrived, which may be before the headers message
   * is completely handled.
   * @returns whether the block was requested
   */
  #requestCompact(peer: Peer, wanted: readonly HeaderNode[]): boolean {
    const [node] = wanted;
    // With -blocksonly the transactions would have to be requested as well.
    if (this.#context.options.blocksOnly || !this.canFetchDirectly) return false;
    if (node === undefined || wanted.length !== 1 || !peer.compact.provides || this.size > 0) return false;
    if (node.prev === null || !node.prev.has(NodeStatus.SCRIPTS_VALID) || node.chainWork <= this.#context.chain.tip.chainWork) return false;
    // Reconstruction failed before. Only the whole block helps.
    if (peer.compact.searchedFor === node) return false;
    if (!this.startRequest(peer, node.hash, node)) return false;
    peer.send('getdata', encodeInv([{ type: INV.CMPCT_BLOCK, hash: node.hash }]));
    return true;
  }

  /**
   * Requests a block whose header is known from a peer (getblockfrompeer).
   * @returns the reason of a refusal; null if the block was requested
   */
  requestByHand(hash: BlockHash, peer: Peer | undefined): string | null {
    const { blocks, chain } = this.#context;
    const node = chain.node(hash);
    if (node === undefined) return 'Block header missing';
    // Blocks far above the tip would keep the files that they lie in from being pruned.
    if (blocks.pruneSettings !== null && node.height > chain.tip.height) {
      return 'In prune mode, only blocks that the node has already synced previously can be fetched from a peer';
    }
    if (blocks.hasBlock(node)) return 'Block already downloaded';
    if (peer === undefined || !peer.ready) return 'Peer does not exist';
    if (!peer.hasWitness) return 'Pre-SegWit peer';
    this.endRequest(hash);
    this.#requestWhole(peer, [node], true);
    return null;
  }

  /** Requests all the given blocks. */
  requestBlocks(peer: Peer, nodes: readonly HeaderNode[]): void {
    if (!this.#requestCompact(peer, nodes)) this.#requestWhole(peer, nodes, false);
  }

  /** @param byHand whether the operator requested the blocks */
  #requestWhole(peer: Peer, nodes: readonly HeaderNode[], byHand: boolean): void {
    const items: InvItem[] = [];
    for (const node of nodes)
      if (this.startRequest(peer, node.hash, node, byHand)) items.push({ type: blockInvType(peer, this.#context), hash: node.hash });
    if (items.length > 0) peer.send('getdata', encodeInv(items));
  }

  /** Requests the peer's share of the window, and finds the peer that stalls it. */
  fillWindow(peer: Peer): void {
    if (peer.leaving) return;
    const slots = this.freeSlots(peer);
    // A message for each block would cost both sides more than small blocks themselves.
    if (slots < (this.#context.chain.isInitialBlockDownload() ? MIN_REQUEST : 1)) return;
    const { nodes, staller } = this.#next(peer, slots);
    for (const node of this.#nextOfHistory(peer, slots - nodes.length)) nodes.push(node);
    if (nodes.length > 0) {
      for (const node of nodes) this.#context.log.debug('net', `Requesting block ${node.hashHex} (${node.height}) peer=${peer.id}`);
      this.requestBlocks(peer, nodes);
    }
    if (slotsTaken(peer) === 0 && staller !== null && staller.sync.stallingSinceMs === 0) {
      staller.sync.stallingSinceMs = this.#context.clock.nowMs();
      this.#context.log.debug('net', `Stall started peer=${staller.id}`);
    }
  }

  #next(peer: Peer, slots: number): { nodes: HeaderNode[]; staller: Peer | null } {
    const { chain } = this.#context;
    const { sync } = peer;
    const nodes: HeaderNode[] = [];
    settleAvailability(chain, peer);
    const best = sync.bestKnown;
    const { tip } = chain;
    if (best === null || best.chainWork < tip.chainWork || best.chainWork < this.#minimumWork) return { nodes, staller: null };
    // A branch that does not contain an unvalidated snapshot's base cannot be connected yet.
    if (chain.history !== null && !best.descendsFrom(chain.history.base)) return { nodes, staller: null };
    sync.lastCommon ??= chain.atHeight(Math.min(best.height, tip.height)) ?? chain.genesis;
    sync.lastCommon = lastCommonAncestor(sync.lastCommon, best);
    if (sync.lastCommon === best) return { nodes, staller: null };
    const windowEnd = sync.lastCommon.height + BLOCK_DOWNLOAD_WINDOW;
    const limit = Math.min(best.height, windowEnd + 1);
    const oldestExcluded = peer.isLimited ? best.height - LIMITED_MIN_BLOCKS + LIMITED_MARGIN : -1;
    const refused = new Set(sync.inFlight.filter(({ refusedAt }) => refusedAt === best).map(({ node }) => node));
    // Peer that was asked for the first missing block; null if that block is being processed, so that no peer stalls.
    let waitingFor: Peer | null | undefined;
    let walk: HeaderNode = sync.lastCommon;
    const settled = this.#settledOn(best);
    // Last block of an unbroken row of blocks that need no request.
    let isUnbroken = true;
    let row: HeaderNode | null = null;
    const found = (staller: Peer | null = null): { nodes: HeaderNode[]; staller: Peer | null } => {
      this.#settled = row === null ? null : { node: row, sinceMs: settled?.sinceMs ?? this.#monotonicMs() };
      return { nodes, staller };
    };
    while (walk.height < limit) {
      // The first missing block shows which peer may stall the download. Others need not be looked at again.
      if (settled !== null && waitingFor !== undefined && walk.height < settled.node.height) {
        walk = settled.node;
        if (isUnbroken) row = walk;
        // The last search may have been for another peer, whose window ends above the limit of this one.
        if (walk.height >= limit) break;
      }
      const span = Math.min(limit - walk.height, Math.max(slots - nodes.length, 128));
      const part: HeaderNode[] = new Array(span);
      let back = best.ancestor(walk.height + span) as HeaderNode;
      for (let i = span - 1; i >= 0; i--) {
        part[i] = back;
        back = back.prev as HeaderNode;
      }
      walk = part[span - 1] as HeaderNode;
      for (const node of part) {
        // Blocks on top of an invalid block are useless, so request none.
        if (node.failed) return found();
        if (!peer.hasWitness && node.height >= this.#context.params.segwitHeight) return found();
        if (node.has(NodeStatus.HAVE_DATA) || chain.contains(node)) {
          if (node.hasChainData) sync.lastCommon = node;
          if (isUnbroken) row = node;
          continue;
        }
        // The peer keeps recent blocks only (NODE_NETWORK_LIMITED), so do not request older ones.
        if (node.height <= oldestExcluded || refused.has(node) || this.#leftToOthers(peer, node)) {
          isUnbroken = false;
          continue;
        }
        const key = this.#keyOf(node);
        const asked = this.#inFlight.get(key);
        const withheld = asked !== undefined && this.#mayTakeOver(peer, asked, node);
        if ((asked !== undefined && !withheld) || this.#busy.has(key)) {
          if (waitingFor === undefined) waitingFor = asked?.peer ?? null;
          if (isUnbroken) row = node;
          continue;
        }
        if (node.height > windowEnd) {
          // The window is full and this peer can request nothing of it: the peer that was asked for its first block
          // stalls the download.
          return found(nodes.length === 0 && waitingFor !== peer ? waitingFor : null);
        }
        isUnbroken = false;
        nodes.push(node);
        if (nodes.length === slots) return found();
      }
    }
    return found();
  }

  /** Returns #settled if it holds for a branch. Near the tip, the window is small and requests may be taken over. */
  #settledOn(best: HeaderNode): { readonly node: HeaderNode; readonly sinceMs: number } | null {
    const settled = this.#settled;
    if (settled === null || this.#monotonicMs() - settled.sinceMs > SEARCH_AGAIN_MS) return null;
    const { node } = settled;
    return this.#context.chain.isInitialBlockDownload() && best.ancestor(node.height) === node ? settled : null;
  }

  /** Returns hashKey of a block in the window. */
  #keyOf(node: HeaderNode): string {
    const place = node.height % BLOCK_DOWNLOAD_WINDOW;
    let known = this.#windowKeys[place];
    if (known?.node !== node) this.#windowKeys[place] = known = { node, key: hashKey(node.hash) };
    return known.key;
  }

  /**
   * Returns blocks below the snapshot block to request from a peer. They have a window of their own, besides the one that
   * moves with the tip (Core's TryDownloadingHistoricalBlocks).
   */
  #nextOfHistory(peer: Peer, slots: number): HeaderNode[] {
    const { history } = this.#context.chain;
    const best = peer.sync.bestKnown;
    if (history === null || slots <= 0 || peer.isLimited || best?.descendsFrom(history.base) !== true) return [];
    const nodes: HeaderNode[] = [];
    const { base, from } = history;
    const end = Math.min(base.height, from.height + BLOCK_DOWNLOAD_WINDOW);
    const refused = new Set(peer.sync.inFlight.filter(({ refusedAt }) => refusedAt === best).map(({ node }) => node));
    // Walk from the end of the window down, because a block links to the one before it.
    const window: HeaderNode[] = [];
    for (let node = base.ancestor(end) as HeaderNode; node !== from; node = node.prev as HeaderNode) window.push(node);
    for (const node of window.reverse()) {
      if (nodes.length === slots || node.failed) break;
      if (!peer.hasWitness && node.height >= this.#context.params.segwitHeight) break;
      if (node.has(NodeStatus.HAVE_DATA) || refused.has(node) || this.expects(node.hash)) continue;
      nodes.push(node);
    }
    return nodes;
  }

  /**
   * Returns whether to request the block after the tip from `peer` although `asked` was asked first: `asked` has withheld
   * the block for a while, and no more trusted peer has it. Otherwise an attacker that is first with every header could
   * hold up each block for ten minutes.
   */
  #mayTakeOver(peer: Peer, { peer: asked, sinceMs, earlier }: BlockInFlight, node: HeaderNode): boolean {
    const { chain } = this.#context;
    if (asked === peer || node.prev !== chain.tip || chain.isInitialBlockDownload()) return false;
    const now = this.#monotonicMs();
    if (this.#tip !== chain.tip) {
      this.#tip = chain.tip;
      this.#tipSinceMs = now;
    }
    const patience = WITHHELD_MS * 2 ** Math.max(0, earlier.length - QUICK_TAKEOVERS + 1);
    if (now - Math.max(sinceMs, this.#tipSinceMs) < patience || earlier.includes(peer)) return false;
    return !this.#trustsAnother(peer, node, [asked, ...earlier]);
  }

  /**
   * Returns whether a block that was just refused is left to more trusted peers. Otherwise many peers could refuse it
   * one after another and keep it for long. If the trusted peers are not asked soon, any peer may be.
   */
  #leftToOthers(peer: Peer, node: HeaderNode): boolean {
    const refusal = this.#refusal;
    if (refusal?.node !== node || this.#context.chain.isInitialBlockDownload()) return false;
    return this.#monotonicMs() - refusal.atMs < WITHHELD_MS && this.#trustsAnother(peer, node, []);
  }

  /** Returns whether a more trusted peer could be asked for a block. @param tried peers that were asked */
  #trustsAnother(peer: Peer, node: HeaderNode, tried: readonly Peer[]): boolean {
    for (const other of this.#context.peers) {
      if (other === peer || other.leaving || tried.includes(other)) continue;
      // The other peer would not be asked, so do not wait for it.
      if (other.isClient || slotsTaken(other) >= MAX_BLOCKS_IN_TRANSIT_PER_PEER) continue;
      if (other.sync.inFlight.some((one) => one.node === node && one.refusedAt === other.sync.bestKnown)) continue;
      if (!other.hasWitness && node.height >= this.#context.params.segwitHeight) continue;
      if (other.sync.bestKnown?.ancestor(node.height) === node && trustedMore(other, peer)) return true;
    }
    return false;
  }

  get #minimumWork(): bigint {
    return this.#context.chain.minimumChainWork;
  }

  /** Reduces the stalling timeout, because blocks were connected. */
  onConnected(blocks: number): void {
    const timeoutMs = Math.max(BLOCK_STALLING_TIMEOUT_MS, this.#stallingTimeoutMs * STALLING_TIMEOUT_DECAY ** blocks);
    if (timeoutMs === this.#stallingTimeoutMs) return;
    this.#stallingTimeoutMs = timeoutMs;
    this.#context.log.debug('net', `Decreased stalling timeout to ${Math.floor(timeoutMs / 1_000)} seconds`);
  }

  /** Returns the reason to disconnect a peer that has kept this node waiting too long; null if it has not. */
  overdue(peer: Peer): string | null {
    const { sync } = peer;
    this.#tidy(peer);
    const now = this.#context.clock.nowMs();
    if (sync.stallingSinceMs > 0 && sync.stallingSinceMs < now - this.#stallingTimeoutMs) {
      this.#stallingTimeoutMs = Math.min(this.#stallingTimeoutMs * 2, BLOCK_STALLING_TIMEOUT_MAX_MS);
      this.#context.log.debug('net', `Increased stalling timeout temporarily to ${Math.floor(this.#stallingTimeoutMs / 1_000)} seconds`);
      return 'Peer is stalling block download';
    }
    const [oldest] = sync.inFlight;
    if (oldest === undefined) return null;
    // The peer announced a rival of the tip and has nothing better, so nothing is missing.
    const rivalsOnly = sync.bestKnown === null || sync.bestKnown.chainWork <= this.#context.chain.tip.chainWork;
    if (rivalsOnly && slotsTaken(peer) === 0) return null;
    const others = new Set([...this.#inFlight.values()].filter((entry) => entry.node !== null).map((entry) => entry.peer));
    others.delete(peer);
    const allowed =
      this.#context.params.powTargetSpacing * 1_000 * (BLOCK_DOWNLOAD_TIMEOUT_BASE + BLOCK_DOWNLOAD_TIMEOUT_PER_PEER * others.size);
    if (now <= sync.downloadingSinceMs + allowed) return null;
    return `Timeout downloading block ${oldest.node?.hashHex ?? ''}`;
  }
}

/** Returns the number of blocks that a peer may still send. */
function slotsTaken({ sync }: Peer): number {
  let count = 0;
  for (const { refusedAt } of sync.inFlight) if (refusedAt === undefined) count++;
  return count;
}

/** Returns the inventory type of a whole block, with witnesses if both sides support them. */
export function blockInvType(peer: Peer, { options }: NetContext): number {
  return peer.hasWitness && (options.services & SERVICE.WITNESS) !== 0n ? INV.WITNESS_BLOCK : INV.BLOCK;
}

/** Compares trust: outbound peers first, then those that most recently brought a block. */
function trustedMore(a: Peer, b: Peer): boolean {
  const chosen = (peer: Peer): boolean => !peer.inbound || peer.permissions.noban;
  return chosen(a) !== chosen(b) ? chosen(a) : a.lastBlockTime > b.lastBlockTime;
}
