// What every part of the network room works with. Made once by Net.
import type { Chain } from '../chain/chain.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Logger } from '../log/logger.js';
import type { Mempool } from '../mempool/mempool.js';
import type { NetOptions } from './options.js';
import type { Peer } from './peer/peer.js';
import type { Routes } from './peer/routes.js';
import type { BlockTimes } from './relay/block-times.js';
import type { WtxidIndex } from './relay/wtxid-index.js';
import type { NetAddress } from './wire/net-address.js';

/** Time as this room needs it: deadlines follow setmocktime, as Core's do. */
export interface NetClock {
  /** Seconds since 1970, mockable. */
  nowSeconds(): number;
  /** Milliseconds since 1970, mockable. */
  nowMs(): number;
  /** Seconds since 1970 of the machine's clock. */
  realSeconds(): number;
}

/** Work in steps of well under a millisecond: others get their turn between them. */
export type Steps = Iterator<void>;

/**
 * Handles one message of a peer: at once, in steps, or elsewhere. Throws DecodeError for a payload that doesn't parse.
 */
export type Handler = (peer: Peer, payload: Uint8Array) => void | Steps | Promise<void>;

export interface NetContext {
  readonly options: NetOptions;
  /** Which networks are called, and how. */
  readonly routes: Routes;
  /** What this node offers: old blocks only when it has them all. */
  readonly services: bigint;
  readonly params: ChainParams;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly wtxids: WtxidIndex;
  readonly crypto: Crypto;
  readonly clock: NetClock;
  readonly log: Logger;
  /** How long new blocks take. */
  readonly times: BlockTimes;
  /** Peers whose handshake is over, in order of arrival. */
  readonly peers: ReadonlySet<Peer>;
  /** The neighbourhood of an address, as -asmap or prefixes have it. */
  readonly groupOf: (address: NetAddress) => string;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Blames a peer (peer/misbehaviour.ts). @param score of 100, where faults add up */
  misbehaving(peer: Peer, score: number, reason: string): void;
  /** Ends a connection. @param why for the log */
  disconnect(peer: Peer, why?: string): void;
  /**
   * Does work that comes after the first wait of a handler, and counts its time as used by the peer. What comes before is
   * counted without that.
   */
  chargeTo<T>(peer: Peer, work: () => T): T;
  /**
   * Schedules a round of sending: to all peers when there is something new to announce, or to one peer when there may
   * be a request for it.
   */
  scheduleRound(peer?: Peer): void;
}

/**
 * Delay in ms, exponentially distributed: the time of one message does not tell a peer when the next is due (Core's
 * PoissonNextSend).
 */
export function poissonDelayMs(random: () => number, meanMs: number): number {
  return -Math.log1p(-random()) * meanMs;
}
