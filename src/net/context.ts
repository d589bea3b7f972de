// Shared context of all parts of the network module, and the events between the parts. Net creates both once.
import type { EventEmitter } from 'node:events';
import type { BlockReader, ChainCommands, ChainView, Download } from '../chain/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Logger } from '../log/logger.js';
import type { Mempool } from '../mempool/index.js';
import type { NetOptions } from './options.js';
import type { BlockInFlight, Peer } from './peer/peer.js';
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

/** Events of the network module. net.ts lists who receives them. An exception of a listener reaches the part that emits the event. */
export interface NetEventMap {
  /** An outbound connection is established. This node sends the first message. */
  connected: [peer: Peer];
  /** A peer's inbox has something, or its send queue has drained. */
  workPending: [peer: Peer];
  /** A connection has ended, and its peer was removed. */
  disconnected: [peer: Peer];
  countChanged: [count: number];
  /** The thread of the sockets was started again after a failure. All connections are lost. */
  threadRestarted: [];
  /** A peer's version message was read. Outbound peers are asked for addresses, and their clocks are compared. */
  greeted: [peer: Peer];
  /** verack was received. From then on all messages of the peer are allowed. */
  ready: [peer: Peer];
  /** The version message of a private-broadcast peer says that it accepts no transactions. */
  privateRefused: [peer: Peer];
  /** verack of a private-broadcast peer that accepts transactions was received. */
  privateReady: [peer: Peer];
  /** A peer answered its last ping, so it has handled everything that was sent before. */
  pong: [peer: Peer];
  /** A round of sending has reached a peer. */
  sendDue: [peer: Peer];
  /** A message is about to be handled, or its asynchronous handling has ended. */
  stepped: [];
  /** An outbound peer's chain is as good as this node's. */
  goodChain: [peer: Peer];
  /** A block of this peer became part of the best chain near the tip. */
  goodBlock: [peer: Peer];
  /** The request for a block ended without the block. */
  requestReleased: [request: BlockInFlight];
  /** A peer sent a transaction. */
  txReceived: [peer: Peer, tx: TxView];
  /** A peer sent a transaction that it had not announced by wtxid. */
  txKnown: [peer: Peer, tx: TxView];
  /** A transaction of a peer is in the mempool and is to be announced. */
  txAccepted: [tx: TxView];
  /** Orphans have got a parent by a block, and can be validated again. */
  orphansReady: [];
  /** A transaction is not in the mempool, and compact blocks may contain it. */
  txUnused: [tx: TxView];
}
export type NetEvents = EventEmitter<NetEventMap>;

/** Shared state that exists before any connection. */
export interface NetBase {
  readonly options: NetOptions;
  /** Decides to which networks this node connects, and through which proxy. */
  readonly routes: Routes;
  /** Services that this node offers now. NODE_NETWORK is missing while it does not have all blocks. */
  readonly services: bigint;
  readonly params: ChainParams;
  readonly chain: ChainView;
  /** Stored blocks. */
  readonly blocks: BlockReader;
  readonly commands: ChainCommands;
  /** Blocks of the initial block download. */
  readonly download: Download;
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
  /** Returns the autonomous system of an address by -asmap; 0 without a map, or if the map does not know it. */
  readonly systemOf: (address: NetAddress) => number;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly events: NetEvents;
}

export interface NetContext extends NetBase {
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
