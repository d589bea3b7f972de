// Which blocks are asked from whom: a window of the best header chain that moves with the tip, at most 16 blocks from one peer at a
// time, whoever holds up the window is dropped (Core's FindNextBlocksToDownload and its timeouts). Callers: headers, the sending round.
import type { HeaderNode } from '../../chain/header-node.js';
import { lastCommonAncestor, NodeStatus } from '../../chain/header-node.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { NetContext } from '../context.js';
import type { BlockInFlight, Peer } from '../peer/peer.js';
import { encodeInv, type InvItem } from '../wire/messages.js';
import { INV, LIMITED_MIN_BLOCKS, SERVICE } from '../wire/protocol.js';
import { settleAvailability } from './availability.js';

/** Blocks asked from one peer at a time. */
export const MAX_BLOCKS_IN_TRANSIT_PER_PEER = 16;
/** Blocks asked for together in initial download, so that others are still under way meanwhile. */
const MIN_REQUEST = MAX_BLOCKS_IN_TRANSIT_PER_PEER / 2;
/** Blocks beyond the last common one that are asked for. */
const BLOCK_DOWNLOAD_WINDOW = 1_024;
/** Blocks near the limit of a peer that keeps recent ones only are not asked for: its chain may grow meanwhile. */
const LIMITED_MARGIN = 2;
/** How long the first block of the window may keep others waiting. */
const BLOCK_STALLING_TIMEOUT_MS = 2_000;
/** A block may take this many block intervals, and half of that more for each other peer that is downloaded from. */
const BLOCK_DOWNLOAD_TIMEOUT_BASE = 1;
const BLOCK_DOWNLOAD_TIMEOUT_PER_PEER = 0.5;

/** How long whoever was asked for the block after the tip may keep it to himself while others have it too, and how often another is asked. */
const WITHHELD_MS = 3_000;
const MAX_TAKEOVERS = 3;

export class BlockDownload {
  /** By hash. */
  readonly #inFlight = new Map<string, BlockInFlight>();
  /** Blocks that came and that the chain has not stored yet, by hash. */
  readonly #arrived = new Set<string>();

  #tip: HeaderNode | null = null;
  #tipSinceMs = 0;

  constructor(
    private readonly context: NetContext,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#inFlight.size;
  }
  /** Who was asked for a block. */
  of(hash: Uint8Array): BlockInFlight | undefined {
    return this.#inFlight.get(hashKey(hash));
  }

  /** Whether nobody need be asked for a block: somebody was, or it is here and about to be stored. */
  expects(hash: Uint8Array): boolean {
    const key = hashKey(hash);
    return this.#inFlight.has(key) || this.#arrived.has(key);
  }

  /** A block is here, and is not asked for again until the chain has dealt with it. */
  async whileStored<T>(hash: Uint8Array, work: () => Promise<T>): Promise<T> {
    const key = hashKey(hash);
    this.#arrived.add(key);
    try {
      return await work();
    } finally {
      this.#arrived.delete(key);
    }
  }

  /** Notes that a block was asked for; false when it was already, or when the peer leaves: nobody would forget it again. */
  begin(peer: Peer, hash: Uint8Array, node: HeaderNode | null): boolean {
    if (peer.leaving) return false;
    const key = hashKey(hash);
    const already = this.#inFlight.get(key);
    if (already !== undefined && already.peer === peer) return false;
    if (already !== undefined) this.end(hash);
    const earlier = already === undefined ? [] : [...already.earlier, already.peer];
    const entry: BlockInFlight = { hash: hash.slice(), node, peer, sinceMs: this.monotonicMs(), earlier };
    this.#inFlight.set(key, entry);
    peer.sync.inFlight.push(entry);
    if (peer.sync.inFlight.length === 1) peer.sync.downloadingSinceMs = this.context.clock.nowMs();
    return true;
  }

  /** The block came, or won't. @returns whether it had been asked for */
  end(hash: Uint8Array): boolean {
    const key = hashKey(hash);
    const entry = this.#inFlight.get(key);
    if (entry === undefined) return false;
    const { sync } = entry.peer;
    const place = sync.inFlight.indexOf(entry);
    if (place === 0) sync.downloadingSinceMs = Math.max(sync.downloadingSinceMs, this.context.clock.nowMs());
    if (place >= 0) sync.inFlight.splice(place, 1);
    sync.stallingSinceMs = 0;
    this.#inFlight.delete(key);
    return true;
  }

  /** The peer is gone: others may be asked. */
  forget(peer: Peer): void {
    for (const { hash } of peer.sync.inFlight) this.#inFlight.delete(hashKey(hash));
    peer.sync.inFlight.length = 0;
  }

  /** Asks for blocks that are named, all of them (headers just announced). */
  ask(peer: Peer, nodes: readonly HeaderNode[]): void {
    const items: InvItem[] = [];
    for (const node of nodes)
      if (this.begin(peer, node.hash, node)) items.push({ type: blockInvType(peer, this.context), hash: node.hash });
    if (items.length > 0) peer.send('getdata', encodeInv(items));
  }

  /** Fills the peer's share of the window, and notes who holds the window up. */
  request(peer: Peer): void {
    if (peer.leaving) return;
    const room = MAX_BLOCKS_IN_TRANSIT_PER_PEER - peer.sync.inFlight.length;
    // A message for each block would cost both sides more than small blocks themselves.
    if (room < (this.context.chain.isInitialBlockDownload() ? MIN_REQUEST : 1)) return;
    const { nodes, staller } = this.#next(peer, room);
    if (nodes.length > 0) {
      for (const node of nodes) this.context.log.debug('net', `Requesting block ${node.hashHex} (${node.height}) peer=${peer.id}`);
      this.ask(peer, nodes);
    }
    if (peer.sync.inFlight.length === 0 && staller !== null && staller.sync.stallingSinceMs === 0) {
      staller.sync.stallingSinceMs = this.context.clock.nowMs();
      this.context.log.debug('net', `Stall started peer=${staller.id}`);
    }
  }

  #next(peer: Peer, room: number): { nodes: HeaderNode[]; staller: Peer | null } {
    const { chain } = this.context;
    const { sync } = peer;
    const nodes: HeaderNode[] = [];
    settleAvailability(chain, peer);
    const best = sync.bestKnown;
    const { tip } = chain;
    if (best === null || best.chainWork < tip.chainWork || best.chainWork < this.#minimumWork) return { nodes, staller: null };
    sync.lastCommon ??= chain.atHeight(Math.min(best.height, tip.height)) ?? chain.genesis;
    sync.lastCommon = lastCommonAncestor(sync.lastCommon, best);
    if (sync.lastCommon === best) return { nodes, staller: null };
    const windowEnd = sync.lastCommon.height + BLOCK_DOWNLOAD_WINDOW;
    const limit = Math.min(best.height, windowEnd + 1);
    const oldestExcluded = peer.isLimited ? best.height - LIMITED_MIN_BLOCKS + LIMITED_MARGIN : -1;
    let waitingFor: Peer | null = null;
    let walk: HeaderNode = sync.lastCommon;
    while (walk.height < limit) {
      const span = Math.min(limit - walk.height, Math.max(room - nodes.length, 128));
      const part: HeaderNode[] = new Array(span);
      let back = best.ancestor(walk.height + span) as HeaderNode;
      for (let i = span - 1; i >= 0; i--) {
        part[i] = back;
        back = back.prev as HeaderNode;
      }
      walk = part[span - 1] as HeaderNode;
      for (const node of part) {
        // Nothing on top of it can be used.
        if (node.failed) return { nodes, staller: null };
        if (!peer.hasWitness && node.height >= this.context.params.segwitHeight) return { nodes, staller: null };
        if (node.has(NodeStatus.HAVE_DATA) || chain.contains(node)) {
          if (node.hasChainData) sync.lastCommon = node;
          continue;
        }
        // It has told us that it keeps recent blocks only.
        if (node.height <= oldestExcluded) continue;
        const key = hashKey(node.hash);
        const asked = this.#inFlight.get(key);
        const withheld = asked !== undefined && this.#mayTakeOver(peer, asked, node);
        if ((asked !== undefined && !withheld) || this.#arrived.has(key)) {
          waitingFor ??= asked?.peer ?? null;
          continue;
        }
        if (node.height > windowEnd) {
          // The window is full and nothing of it is to be had from this peer: whoever has its first block keeps everyone waiting.
          return { nodes, staller: nodes.length === 0 && waitingFor !== peer ? waitingFor : null };
        }
        nodes.push(node);
        if (nodes.length === room) return { nodes, staller: null };
      }
    }
    return { nodes, staller: null };
  }

  /**
   * Whether a peer is asked for the next block though another was: he has kept it to himself for a while, and of those who have it too this
   * peer is the one that is trusted most. An attacker who is first with every header could else hold up each block for ten minutes.
   */
  #mayTakeOver(peer: Peer, { peer: asked, sinceMs, earlier }: BlockInFlight, node: HeaderNode): boolean {
    const { chain, peers } = this.context;
    if (asked === peer || node.prev !== chain.tip || chain.isInitialBlockDownload()) return false;
    const now = this.monotonicMs();
    if (this.#tip !== chain.tip) {
      this.#tip = chain.tip;
      this.#tipSinceMs = now;
    }
    if (now - Math.max(sinceMs, this.#tipSinceMs) < WITHHELD_MS) return false;
    if (earlier.length >= MAX_TAKEOVERS || earlier.includes(peer)) return false;
    for (const other of peers) {
      if (other === peer || other === asked || other.leaving || earlier.includes(other)) continue;
      // It would not be asked: no reason to wait for it.
      if (other.isClient || other.sync.inFlight.length >= MAX_BLOCKS_IN_TRANSIT_PER_PEER) continue;
      if (!other.hasWitness && node.height >= this.context.params.segwitHeight) continue;
      if (other.sync.bestKnown?.ancestor(node.height) === node && trustedMore(other, peer)) return false;
    }
    return true;
  }

  get #minimumWork(): bigint {
    return this.context.chain.minimumChainWork;
  }

  /** Whether the peer has kept us waiting too long. @returns why, for the log */
  overdue(peer: Peer): string | null {
    const { sync } = peer;
    const now = this.context.clock.nowMs();
    if (sync.stallingSinceMs > 0 && sync.stallingSinceMs < now - BLOCK_STALLING_TIMEOUT_MS) {
      return `Peer=${peer.id} is stalling block download, disconnecting`;
    }
    const [oldest] = sync.inFlight;
    if (oldest === undefined) return null;
    const others = new Set([...this.#inFlight.values()].filter((entry) => entry.node !== null).map((entry) => entry.peer));
    others.delete(peer);
    const allowed =
      this.context.params.powTargetSpacing * 1_000 * (BLOCK_DOWNLOAD_TIMEOUT_BASE + BLOCK_DOWNLOAD_TIMEOUT_PER_PEER * others.size);
    if (now <= sync.downloadingSinceMs + allowed) return null;
    return `Timeout downloading block ${oldest.node?.hashHex ?? ''} from peer=${peer.id}, disconnecting`;
  }
}

/** A whole block, with witnesses where both sides know them. */
export function blockInvType(peer: Peer, { options }: NetContext): number {
  return peer.hasWitness && (options.services & SERVICE.WITNESS) !== 0n ? INV.WITNESS_BLOCK : INV.BLOCK;
}

/** Those that we chose, then those that brought a block last. */
function trustedMore(a: Peer, b: Peer): boolean {
  const chosen = (peer: Peer): boolean => !peer.inbound || peer.permissions.noban;
  return chosen(a) !== chosen(b) ? chosen(a) : a.lastBlockTime > b.lastBlockTime;
}
