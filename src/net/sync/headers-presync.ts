// Protects the block tree from long chains of little work (Core's HeadersSyncState). Such a chain is downloaded twice.
// The first time, only its work is added up, and one bit of about every six hundredth header is kept. If there is
// enough work, the chain is downloaded again, checked against those bits, and stored. So a peer can make this node keep
// a few kilobytes, never a tree.
import crypto from 'node:crypto';
import type { ChainView, HeaderNode } from '../../chain/index.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { type HeadersSyncFigures, retargetInterval } from '../../consensus/params/chain-params.js';
import { blockProof, decodeCompact, encodeCompact } from '../../consensus/rules/bits.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { locatorOf } from './locator.js';

/** A chain may have less work than the active one by this number of blocks of the tip's difficulty. */
const RECENT_BLOCKS = 144n;
/** Maximum number of blocks per second that the timestamp rules allow. */
const MAX_BLOCKS_PER_SECOND = 6;
const FUTURE_SECONDS = 2 * 60 * 60;

interface Reading {
  readonly start: HeaderNode;
  readonly wantedWork: bigint;
  readonly salt: Uint8Array;
  /** Headers with a commitment: those at this height modulo the period. */
  readonly offset: number;
  readonly maxCommitments: number;
  readonly commitments: number[];
  phase: 'first' | 'second';
  lastHash: Uint8Array;
  lastBits: number;
  height: number;
  /** Time of the last header, seconds. */
  time: number;
  work: bigint;
  /** Second download: number of commitments checked, and headers that are not released yet. */
  checked: number;
  buffer: HeaderView[];
  releaseAll: boolean;
}

/**
 * Returns the least work of a chain whose headers are stored at once: near the tip's, and never below the minimum
 * (Core's GetAntiDoSWorkThreshold).
 */
export function antiDosWork({ tip, minimumChainWork }: ChainView): bigint {
  const near = blockProof(tip.bits) * RECENT_BLOCKS;
  const nearTip = tip.chainWork > near ? tip.chainWork - near : 0n;
  return nearTip > minimumChainWork ? nearTip : minimumChainWork;
}

export class HeadersPresync {
  readonly #readings = new Map<Peer, Reading>();
  readonly #context: NetContext;
  readonly #requestHeaders: (peer: Peer, locator: readonly Uint8Array[]) => void;
  readonly #figures: HeadersSyncFigures;

  constructor(context: NetContext, ask: (peer: Peer, locator: readonly Uint8Array[]) => void) {
    this.#context = context;
    this.#requestHeaders = ask;
    this.#figures = context.params.headersSync;
  }

  /** Returns whether a peer's chain is being downloaded here. */
  reads(peer: Peer): boolean {
    return this.#readings.has(peer);
  }

  held(peer: Peer): { readonly headers: number; readonly bits: number } {
    const reading = this.#readings.get(peer);
    return { headers: reading?.buffer.length ?? 0, bits: reading?.commitments.length ?? 0 };
  }

  /** Highest header that a presync (first download) has reached; null if none runs. */
  get place(): { readonly height: number; readonly time: number } | null {
    let best: Reading | null = null;
    for (const reading of this.#readings.values()) {
      if (reading.phase === 'first' && (best === null || reading.height > best.height)) best = reading;
    }
    return best === null ? null : { height: best.height, time: best.time };
  }

  /** Returns the height that the presync (first download) of a peer's headers has reached; -1 if none runs. */
  heightOf(peer: Peer): number {
    const reading = this.#readings.get(peer);
    return reading?.phase === 'first' ? reading.height : -1;
  }

  forgetPeer(peer: Peer): void {
    this.#readings.delete(peer);
  }

  /**
   * Checks headers on a known parent, whose claimed work was verified.
   * @returns false if they may be stored; true if they were handled: a first download begins, or a short chain with too
   * little work is dropped
   */
  startPresync(peer: Peer, parent: HeaderNode, views: readonly HeaderView[], full: boolean): boolean {
    const { chain, clock, log } = this.#context;
    if (peer.permissions.noban) return false;
    let work = parent.chainWork;
    for (const { bits } of views) work += blockProof(bits);
    const wanted = antiDosWork(chain);
    if (work >= wanted) return false;
    if (!full) {
      log.debug('net', `Ignoring low-work chain (height=${parent.height + views.length}) from peer=${peer.id}`);
      return true;
    }
    const seconds = clock.nowSeconds() - parent.medianTimePast() + FUTURE_SECONDS;
    const reading: Reading = {
      start: parent,
      wantedWork: wanted,
      salt: crypto.randomBytes(16),
      offset: crypto.randomInt(this.#figures.period),
      maxCommitments: Math.floor((MAX_BLOCKS_PER_SECOND * Math.max(0, seconds)) / this.#figures.period),
      commitments: [],
      phase: 'first',
      lastHash: parent.hash,
      lastBits: parent.bits,
      height: parent.height,
      time: parent.time,
      work: parent.chainWork,
      checked: 0,
      buffer: [],
      releaseAll: false,
    };
    this.#readings.set(peer, reading);
    log.debug('net', `Initial headers sync started with peer=${peer.id}: height=${parent.height}, presync`);
    if (this.takeHeaders(peer, views, full) === null) return false;
    return true;
  }

  /**
   * Handles headers during a download. null: no download is in progress, handle the headers normally. 'held': nothing
   * to store yet. Otherwise: headers that passed the second download.
   */
  takeHeaders(peer: Peer, views: readonly HeaderView[], full: boolean): 'held' | HeaderView[] | null {
    const reading = this.#readings.get(peer);
    if (reading === undefined) return null;
    const [first] = views;
    if (first === undefined || !equalBytes(first.prevHash, reading.lastHash)) {
      // An announcement in between, or the peer switched to another chain: the download ends.
      this.forgetPeer(peer);
      return null;
    }
    peer.sync.headersAskedAtMs = Number.NEGATIVE_INFINITY;
    return reading.phase === 'first' ? this.#first(peer, reading, views, full) : this.#second(peer, reading, views, full);
  }

  #first(peer: Peer, reading: Reading, views: readonly HeaderView[], full: boolean): 'held' | null {
    for (const view of views) {
      if (!this.#difficultyPossible(reading, view)) {
        this.forgetPeer(peer);
        this.#context.misbehaving(peer, 100, 'invalid header in headers presync');
        return 'held';
      }
      this.#step(reading, view);
      if (reading.height % this.#figures.period === reading.offset) {
        reading.commitments.push(commitment(reading.salt, view.hash));
        if (reading.commitments.length > reading.maxCommitments) {
          this.forgetPeer(peer);
          this.#context.log.debug(
            'net',
            `Initial headers sync aborted with peer=${peer.id}: exceeded max commitments at height=${reading.height}`,
          );
          return 'held';
        }
      }
      if (reading.work >= reading.wantedWork) {
        this.#rewind(reading);
        this.#context.log.debug('net', `Initial headers sync transition with peer=${peer.id}: reached sufficient work, redownloading`);
        this.#requestHeaders(peer, locatorOf(reading.start));
        return 'held';
      }
    }
    if (full) this.#requestHeaders(peer, [reading.lastHash, ...locatorOf(reading.start)]);
    else {
      this.#context.log.debug(
        'net',
        `Initial headers sync aborted with peer=${peer.id}: incomplete headers message at height=${reading.height}`,
      );
      this.forgetPeer(peer);
    }
    return 'held';
  }

  #rewind(reading: Reading): void {
    reading.phase = 'second';
    reading.lastHash = reading.start.hash;
    reading.lastBits = reading.start.bits;
    reading.height = reading.start.height;
    reading.work = reading.start.chainWork;
  }

  #second(peer: Peer, reading: Reading, views: readonly HeaderView[], full: boolean): 'held' | HeaderView[] {
    for (const view of views) {
      const possible = this.#difficultyPossible(reading, view);
      this.#step(reading, view);
      const due = reading.height % this.#figures.period === reading.offset && !reading.releaseAll;
      if (!possible || (due && reading.commitments[reading.checked++] !== commitment(reading.salt, view.hash))) {
        this.forgetPeer(peer);
        this.#context.log.debug('net', `Initial headers sync aborted with peer=${peer.id}: not the chain of the first reading`);
        return 'held';
      }
      if (reading.work >= reading.wantedWork) reading.releaseAll = true;
      reading.buffer.push(view);
    }
    const bufferSize = reading.releaseAll ? 0 : this.#figures.buffer;
    const released = reading.buffer.splice(0, Math.max(0, reading.buffer.length - bufferSize));
    if (full) this.#requestHeaders(peer, [reading.lastHash, ...locatorOf(reading.start)]);
    if (reading.releaseAll || !full) this.forgetPeer(peer);
    return released.length > 0 ? released : 'held';
  }

  #step(reading: Reading, view: HeaderView): void {
    reading.lastHash = view.hash.slice();
    reading.lastBits = view.bits;
    reading.height++;
    reading.time = view.time;
    reading.work += blockProof(view.bits);
  }

  /** Returns whether the difficulty of a header is possible, without knowing earlier times (Core's PermittedDifficultyTransition). */
  #difficultyPossible(reading: Reading, view: HeaderView): boolean {
    const { params } = this.#context;
    if (params.allowMinDifficultyBlocks) return true;
    if ((reading.height + 1) % retargetInterval(params) !== 0) return view.bits === reading.lastBits;
    const old = decodeCompact(reading.lastBits).target;
    const capped = (target: bigint): bigint => decodeCompact(encodeCompact(target > params.powLimit ? params.powLimit : target)).target;
    const target = decodeCompact(view.bits).target;
    return target <= capped(old * 4n) && target >= capped(old / 4n);
  }
}

/** Returns one bit of a salted hash. */
function commitment(salt: Uint8Array, hash: Uint8Array): number {
  return (crypto.createHash('sha256').update(salt).update(hash).digest()[0] as number) & 1;
}
