// Headers-first synchronisation: requests headers, handles them, and requests blocks that were just announced (Core's
// ProcessHeadersMessage).

import { type HeaderNode, NodeStatus } from '../../chain/index.js';
import { type HeaderView, parseHeader } from '../../consensus/block/header-view.js';
import { equalBytes, hashToHex } from '../../consensus/bytes/hex.js';
import type { BlockHash } from '../../consensus/ids.js';
import { checkProofOfWork } from '../../consensus/rules/check-block.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { decodeHeaders, encodeLocator, TooMany } from '../wire/messages.js';
import { MAX_HEADERS_RESULTS, PROTOCOL_VERSION } from '../wire/protocol.js';
import { noteAvailable, settleAvailability } from './availability.js';
import { punishForBlock } from './blame.js';
import { type BlockDownload, MAX_BLOCKS_IN_TRANSIT_PER_PEER } from './block-download.js';
import { HeadersPresync } from './headers-presync.js';
import { locatorOf } from './locator.js';

/**
 * Limits for headers whose parent is unknown, as a peer sends them when it announces blocks while this node is behind:
 * maximum number of such headers in one message, and maximum number of such messages from one peer.
 */
const MAX_BLOCKS_TO_ANNOUNCE = 8;
const MAX_UNCONNECTING_HEADERS = 10;
/** Headers checked in one step of the node thread, about 2 ms. */
const HEADERS_PER_STEP = 250;
/** Time for the first headers: a base, and a share for each expected header. */
const HEADERS_TIMEOUT_BASE_MS = 15 * 60_000;
const HEADERS_TIMEOUT_PER_HEADER_MS = 1;
/** Time after which a peer that has not answered getheaders is asked again (Core's HEADERS_RESPONSE_TIME). */
const HEADERS_RESPONSE_MS = 2 * 60_000;
/** If the best header is this recent, all peers are asked for headers, otherwise one. */
const RECENT_SECONDS = 24 * 60 * 60;
const noStop = new Uint8Array(32);

export class HeadersSync {
  /** Number of peers that headers were requested from at the start. */
  syncing = 0;
  /** Block of an inv for which one more peer was asked for headers before its regular start; null before the first. */
  #askedBeforeSync: Uint8Array | null = null;
  readonly #presync: HeadersPresync;
  readonly #context: NetContext;
  readonly #downloads: BlockDownload;

  constructor(context: NetContext, downloads: BlockDownload) {
    this.#context = context;
    this.#downloads = downloads;
    this.#presync = new HeadersPresync(context, (peer, locator) => this.#send(peer, locator));
  }

  /** Position of the headers presync; null if none runs. */
  get presyncPlace(): HeadersPresync['place'] {
    return this.#presync.place;
  }

  /** Returns the heights that a peer has in common with this node or has announced, for getpeerinfo. */
  heightsOf(peer: Peer): {
    readonly presynced: number;
    readonly headers: number;
    readonly blocks: number;
    readonly common: HeaderNode | null;
  } {
    settleAvailability(this.#context.chain, peer);
    const { bestKnown, lastCommon } = peer.sync;
    const presynced = this.#presync.heightOf(peer);
    return { presynced, headers: bestKnown?.height ?? -1, blocks: lastCommon?.height ?? -1, common: lastCommon };
  }

  /**
   * Requests the headers after a block that both may have, unless the peer was asked in the last two minutes and has
   * not answered: an announcement costs the peer a few bytes, and a locator costs this node a thousand (Core's
   * MaybeSendGetHeaders; 0.21 has no such limit).
   * @returns whether the headers were requested
   */
  askFrom(peer: Peer, node: HeaderNode, stop: Uint8Array = noStop): boolean {
    const { clock, options } = this.#context;
    if (!options.legacyPeers && clock.nowMs() - peer.sync.headersAskedAtMs <= HEADERS_RESPONSE_MS) return false;
    this.#send(peer, locatorOf(node), stop);
    return true;
  }

  #send(peer: Peer, locator: readonly Uint8Array[], stop: Uint8Array = noStop): void {
    peer.sync.headersAskedAtMs = this.#context.clock.nowMs();
    peer.send('getheaders', encodeLocator({ locator, stop }, PROTOCOL_VERSION));
  }

  /**
   * Requests the headers of an unknown block that the peer announced. While the first headers come from one peer, each
   * new block makes one more peer be asked, in case the first is slow (Core since version 24).
   * @returns whether they were requested
   */
  askAbout(peer: Peer, hash: BlockHash): boolean {
    // During a presync one request is open at a time. The presync leads to this block too, so request nothing.
    if (this.#presync.reads(peer)) return false;
    const { chain, options } = this.#context;
    if (options.legacyPeers) return this.askFrom(peer, chain.bestHeader, hash);
    const { sync } = peer;
    if (!sync.started) {
      if (sync.askedBeforeStart || (this.#askedBeforeSync !== null && equalBytes(this.#askedBeforeSync, hash))) return false;
      sync.askedBeforeStart = true;
      this.#askedBeforeSync = hash.slice();
    }
    return this.askFrom(peer, chain.bestHeader);
  }

  /**
   * Starts headers sync: with one peer at first, with all peers once the best header is recent.
   * @param fetch whether this peer may be used
   */
  startSync(peer: Peer, fetch: boolean): void {
    const { chain, clock, log, params } = this.#context;
    if (peer.leaving || peer.sync.started || peer.isClient) return;
    const best = chain.bestHeader;
    const recent = best.time > clock.nowSeconds() - RECENT_SECONDS;
    if (!recent && !(this.syncing === 0 && fetch)) return;
    // Ask from one block before the best header, so that even a peer without news answers with a header and proves to be in sync.
    const from = best.prev ?? best;
    if (!this.askFrom(peer, from)) return;
    peer.sync.started = true;
    this.syncing++;
    const expected = Math.max(0, (clock.nowSeconds() - best.time) / params.powTargetSpacing);
    peer.sync.headersDeadlineMs = clock.nowMs() + HEADERS_TIMEOUT_BASE_MS + HEADERS_TIMEOUT_PER_HEADER_MS * expected;
    log.debug('net', `initial getheaders (${from.height}) to peer=${peer.id} (startheight:${peer.startHeight})`);
  }

  /** Removes the state of a disconnected peer. */
  forgetPeer(peer: Peer): void {
    if (peer.sync.started) this.syncing--;
    peer.sync.started = false;
    this.#presync.forgetPeer(peer);
  }

  /**
   * Returns whether the only peer that headers are requested from takes too long while others could be asked.
   * @returns the reason to disconnect it; null if there is none
   */
  overdue(peer: Peer): string | null {
    const { chain, clock, peers } = this.#context;
    const { sync } = peer;
    if (!sync.started || sync.headersDeadlineMs === 0 || sync.headersDeadlineMs === Number.POSITIVE_INFINITY) return null;
    if (chain.bestHeader.time > clock.nowSeconds() - RECENT_SECONDS) {
      sync.headersDeadlineMs = Number.POSITIVE_INFINITY;
      return null;
    }
    if (clock.nowMs() <= sync.headersDeadlineMs || this.syncing !== 1) return null;
    if (![...peers].some((other) => other !== peer && !other.inbound && !other.isClient)) return null;
    if (!peer.permissions.noban) return 'Timeout downloading headers';
    // The peer stays connected, and another one is asked.
    this.#context.log.info(`Timeout downloading headers from noban peer, not disconnecting peer=${peer.id}`);
    sync.started = false;
    this.syncing--;
    sync.headersDeadlineMs = 0;
    return null;
  }

  /** Handles headers. @throws DecodeError */
  async receiveHeaders(peer: Peer, payload: Uint8Array): Promise<void> {
    let headers: Uint8Array[];
    try {
      headers = decodeHeaders(payload);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      this.#context.misbehaving(peer, 20, error.message);
      return;
    }
    await this.processHeaders(peer, headers, false);
  }

  /**
   * Handles headers of a peer.
   * @param compact true if this is the header of a compact block: a peer may forward the block before it has checked
   * it, so blameForBlock is less strict
   */
  async processHeaders(peer: Peer, headers: readonly Uint8Array[], compact: boolean): Promise<void> {
    const { chain, crypto, log, options, params, times } = this.#context;
    const { sync } = peer;
    const receivedMs = times.nowMs();
    if (headers.length === 0) {
      // An empty message answers the request: the peer has no further headers.
      sync.headersAskedAtMs = Number.NEGATIVE_INFINITY;
      this.#presync.forgetPeer(peer);
      return;
    }
    const views = headers.map((bytes) => parseHeader(bytes, crypto));
    // Check the proof of work first: the claimed work counts below, and an earlier header that is rejected because of
    // the clock must not hide this fault.
    if (views.some((view) => checkProofOfWork(view, params) !== null)) {
      this.#context.misbehaving(peer, 100, 'header with invalid proof of work');
      return;
    }
    const last = views[views.length - 1] as (typeof views)[0];
    for (let i = 1; i < views.length; i++) {
      if (equalBytes((views[i] as typeof last).prevHash, (views[i - 1] as typeof last).hash)) continue;
      this.#context.misbehaving(peer, 20, 'non-continuous headers sequence');
      return;
    }
    const full = headers.length === MAX_HEADERS_RESULTS;
    const [first] = views as [typeof last];
    const held = this.#presync.takeHeaders(peer, views, full);
    if (held === 'held') return;
    const accepted = held ?? views;
    const parent = held === null ? chain.node(first.prevHash) : undefined;
    if (held === null && parent === undefined) {
      if (headers.length > MAX_BLOCKS_TO_ANNOUNCE && options.legacyPeers) {
        this.#context.misbehaving(peer, 20, 'headers message does not connect');
        return;
      }
      sync.unconnectingHeaders++;
      if (this.askFrom(peer, chain.bestHeader)) {
        log.debug(
          'net',
          `received header ${hashToHex(first.hash)}: missing prev block ${hashToHex(first.prevHash)}, sending getheaders (${chain.bestHeader.height}) to end (peer=${peer.id}, nUnconnectingHeaders=${sync.unconnectingHeaders})`,
        );
      }
      noteAvailable(chain, peer, last.hash);
      if (sync.unconnectingHeaders % MAX_UNCONNECTING_HEADERS === 0 && options.legacyPeers) {
        this.#context.misbehaving(peer, 20, `${sync.unconnectingHeaders} non-connecting headers`);
      }
      return;
    }
    // Headers that connect are treated as the answer, requested or not.
    if (held === null) sync.headersAskedAtMs = Number.NEGATIVE_INFINITY;
    const isNew = chain.node(last.hash) === undefined;
    // A long chain of little work would fill the memory. It is examined first without storing it.
    if (parent !== undefined && isNew && this.#presync.startPresync(peer, parent, views, full)) return;
    // In Core, storing headers and asking this peer are one step. Otherwise a peer that only announced the block by
    // name could be asked instead, and be slow on purpose.
    const direct = accepted.length > MAX_BLOCKS_IN_TRANSIT_PER_PEER ? [] : accepted.map(({ hash }) => hash);
    const verdict = await this.#downloads.whileBusy(direct, () => this.#submit(peer, accepted));
    if (verdict !== null) {
      log.info(`ERROR: AcceptBlockHeader: ${this.#firstUnknown(accepted)}, ${rejectText(verdict)}`);
      punishForBlock(this.#context, peer, verdict, compact, 'invalid header received');
      return;
    }
    const end = accepted[accepted.length - 1];
    if (end === undefined) return;
    if (isNew && !chain.isInitialBlockDownload()) times.noteAnnounced(end.hash, receivedMs);
    if (peer.leaving) return;
    this.#accepted(peer, end.hash, isNew, full, held === null);
  }

  /** Submits headers to the chain. @returns why a header was rejected, after which the headers before it are stored; null if none was */
  async #submit(peer: Peer, accepted: readonly HeaderView[]): Promise<Reject | null> {
    const { commands, chargeTo: charged } = this.#context;
    for (let at = 0; at < accepted.length; at += HEADERS_PER_STEP) {
      const part = accepted.slice(at, at + HEADERS_PER_STEP).map(({ bytes }) => bytes);
      const { verdict } = await charged(peer, () => commands.submitHeaders(part));
      if (verdict !== null) return verdict;
    }
    return null;
  }

  /** Returns the hash of the rejected header: those before it are stored. */
  #firstUnknown(views: readonly HeaderView[]): string {
    return hashToHex((views.find(({ hash }) => this.#context.chain.node(hash) === undefined) ?? (views[0] as HeaderView)).hash);
  }

  /** @param full whether the peer may have more headers @param ask whether it has not been asked for more yet */
  #accepted(peer: Peer, lastHash: Uint8Array, isNew: boolean, full: boolean, ask: boolean): void {
    const { chain, log } = this.#context;
    const { sync } = peer;
    const node = chain.node(lastHash);
    if (node === undefined) return;
    if (sync.unconnectingHeaders > 0) {
      log.debug('net', `peer=${peer.id}: resetting nUnconnectingHeaders (${sync.unconnectingHeaders} -> 0)`);
      sync.unconnectingHeaders = 0;
    }
    noteAvailable(chain, peer, lastHash);
    if (isNew && node.chainWork > chain.tip.chainWork) {
      sync.chainDeadlineMs = 0;
      sync.announcedAt = this.#context.clock.nowSeconds();
    }
    if (full && ask) {
      if (this.askFrom(peer, node))
        log.debug('net', `more getheaders (${node.height}) to end to peer=${peer.id} (startheight:${peer.startHeight})`);
    }
    this.#fetchDirectly(peer, node);
    if (!full && chain.isInitialBlockDownload()) this.#dropIfUseless(peer);
    if (peer.outboundOrBlockRelay && !peer.leaving && sync.bestKnown !== null && sync.bestKnown.chainWork >= chain.tip.chainWork) {
      this.#context.events.emit('goodChain', peer);
    }
    this.#context.scheduleRound(isNew ? undefined : peer);
  }

  #fetchDirectly(peer: Peer, last: HeaderNode): void {
    const { chain, log, params } = this.#context;
    if (!this.#downloads.canFetchDirectly || last.failed || chain.tip.chainWork > last.chainWork) return;
    const missing: HeaderNode[] = [];
    for (let walk: HeaderNode | null = last; walk !== null && !chain.contains(walk); walk = walk.prev) {
      if (missing.length > MAX_BLOCKS_IN_TRANSIT_PER_PEER) {
        log.debug('net', `Large reorg, won't direct fetch to ${last.hashHex} (${last.height})`);
        return;
      }
      const servable = peer.hasWitness || walk.height < params.segwitHeight;
      if (walk.has(NodeStatus.HAVE_DATA) || this.#downloads.expects(walk.hash) || this.#downloads.passesOver(peer, walk)) continue;
      if (servable) missing.push(walk);
    }
    const wanted = missing.reverse().slice(0, this.#downloads.freeSlots(peer));
    if (wanted.length === 0) return;
    if (wanted.length > 1) log.debug('net', `Downloading blocks toward ${last.hashHex} (${last.height}) via headers direct fetch`);
    this.#downloads.requestBlocks(peer, wanted);
  }

  /** During the initial block download, disconnects an outbound peer whose whole chain has too little work. */
  #dropIfUseless(peer: Peer): void {
    const { chain } = this.#context;
    settleAvailability(chain, peer);
    const best = peer.sync.bestKnown;
    if (best === null || best.chainWork >= chain.minimumChainWork || !peer.outboundOrBlockRelay) return;
    this.#context.disconnect(peer, 'outbound peer headers chain has insufficient work');
  }
}
