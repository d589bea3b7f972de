// Shared context of all parts of the network module. Net creates it once.
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

/** Clock of the network module. Deadlines follow setmocktime, as in Core. */
export interface NetClock {
  /** Seconds since 1970, mockable. */
  nowSeconds(): number;
  /** Milliseconds since 1970, mockable. */
  nowMs(): number;
  /** Seconds since 1970 of the machine's clock. */
  realSeconds(): number;
}

/** Work in steps of well under a millisecond. Other peers are served between the steps. */
export type Steps = Iterator<void>;

/** Handles one message of a peer: at once, in steps, or asynchronously. Throws DecodeError if the payload does not parse. */
export type Handler = (peer: Peer, payload: Uint8Array) => void | Steps | Promise<void>;

export interface NetContext {
  readonly options: NetOptions;
  /** Decides which networks are called, and through which proxy. */
  readonly routes: Routes;
  /** Services that this node offers now. NODE_NETWORK is missing while it does not have all blocks. */
  readonly services: bigint;
  readonly params: ChainParams;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly wtxids: WtxidIndex;
  readonly crypto: Crypto;
  readonly clock: NetClock;
  readonly log: Logger;
  /** Measures how long new blocks take. */
  readonly times: BlockTimes;
  /** Peers that completed the handshake, in order of connection. */
  readonly peers: ReadonlySet<Peer>;
  /** Returns the network group of an address, by -asmap or by prefix. */
  readonly groupOf: (address: NetAddress) => string;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Punishes a peer (peer/misbehaviour.ts). @param score up to 100; scores of several faults add up only with `legacyPeers` */
  misbehaving(peer: Peer, score: number, reason: string): void;
  /** Ends a connection. @param why reason for the log */
  disconnect(peer: Peer, why?: string): void;
  /**
   * Runs work after the first await of a handler and charges its time to the peer. The time before the first await is
   * charged automatically.
   */
  chargeTo<T>(peer: Peer, work: () => T): T;
  /**
   * Schedules a round of sending: for all peers when there is something new to announce, or for one peer that may be
   * sent a request.
   */
  scheduleRound(peer?: Peer): void;
}

/**
 * Returns an exponentially distributed delay in ms, so that the time of one message does not reveal when the next one
 * is sent (Core's PoissonNextSend).
 */
export function poissonDelayMs(random: () => number, meanMs: number): number {
  return -Math.log1p(-random()) * meanMs;
}
