// State of one peer, grouped by the part that maintains it: handshake, sync, relay.

import type { HeaderNode } from '../../chain/index.js';
import type { BlockHash } from '../../consensus/ids.js';
import type { Permissions } from '../options.js';
import type { BloomFilter } from '../relay/bloom-filter.js';
import { noOutcomes } from '../relay/compact-stats.js';
import { Wanted } from '../wanted.js';
import type { NetAddress } from '../wire/net-address.js';
import { SERVICE } from '../wire/protocol.js';
import type { PeerConnection } from './peer-connection.js';

/** Kind of a connection (Core's ConnectionType, by its names in getpeerinfo). */
export type ConnectionType =
  | 'inbound'
  | 'manual'
  | 'outbound-full-relay'
  | 'block-relay-only'
  | 'feeler'
  | 'addr-fetch'
  | 'private-broadcast';

/** Messages that may be sent to private-broadcast peers. */
const PRIVATE_MESSAGES = new Set(['version', 'verack', 'inv', 'tx', 'ping']);

/** A requested block. */
export interface BlockInFlight {
  readonly hash: BlockHash;
  readonly node: HeaderNode | null;
  readonly peer: Peer;
  /** Monotonic time of the request, ms. */
  readonly sinceMs: number;
  /** Peers that were asked before and did not send the block. */
  readonly earlier: readonly Peer[];
  /** The operator requested the block, so it is wanted whatever its work. */
  readonly byHand: boolean;
  /** Number of a ping to the peer, counted from one. When it is answered, the peer has handled the last message about this block. */
  ping: number;
  /**
   * Set when the peer has handled the request without sending the block: the peer's best known block at that time. The
   * entry then takes no slot, other peers are asked, and this one is not asked again before it announces another block.
   * Undefined: the block may still arrive.
   */
  refusedAt: HeaderNode | null | undefined;
}

/** Synchronisation with a peer (Core's CNodeState). */
export class PeerSync {
  /** True if headers were requested from the peer at the start. */
  started = false;
  /** Mockable ms at which headers sync with the peer times out; 0: not waiting. */
  headersDeadlineMs = 0;
  /** Mockable ms of the last getheaders that has not been answered; -Infinity: none. */
  headersAskedAtMs = Number.NEGATIVE_INFINITY;
  /** True if headers were requested because of an inv, before the regular start with this peer. */
  askedBeforeStart = false;
  /** Block with the most work that the peer is known to have. */
  bestKnown: HeaderNode | null = null;
  /** Last announced hash that this node does not know. */
  lastUnknown: Uint8Array | null = null;
  /** Last block in common with the peer. */
  lastCommon: HeaderNode | null = null;
  bestHeaderSent: HeaderNode | null = null;
  unconnectingHeaders = 0;
  /** Mockable seconds of the peer's last announcement of a block with more work than the tip; 0: never. */
  announcedAt = 0;
  /** Requested blocks, oldest first. Refused ones stay in the list while they count for the timeout. */
  readonly inFlight: BlockInFlight[] = [];
  /** Mockable ms since which the peer stalls the download window; 0: it does not. */
  stallingSinceMs = 0;
  /** Mockable ms at which the oldest requested block became the oldest. */
  downloadingSinceMs = 0;
  prefersHeaders = false;
  /** The peer's chain must have the work of `chainWanted` by this time, or it is disconnected (outbound eviction). */
  chainDeadlineMs = 0;
  chainWanted: HeaderNode | null = null;
  sentGetheadersForChain = false;
  protectedFromChainSync = false;
  /** Last hash of a getblocks reply. When the peer requests this block, it gets an inv of the tip. */
  continueAt: Uint8Array | null = null;
  /** Blocks to announce in the next round. */
  announce: Uint8Array[] = [];
  /** Hashes for inv in the next round. */
  blockInvs: Uint8Array[] = [];
}

/** Compact blocks with this peer (BIP-0152). */
export class PeerCompact {
  /** The peer wants new blocks as compact blocks without requesting them. */
  wantsHighBandwidth = false;
  /** This node wants new blocks from the peer as compact blocks without requesting them. */
  highBandwidth = false;
  /** The peer supports version 2 of compact blocks. */
  provides = false;
  /** Block of the peer's last compact block for which the mempool was searched. */
  searchedFor: HeaderNode | null = null;
  /** Outcomes of the compact blocks that the peer sent. */
  readonly blocks = noOutcomes();
}

export class Peer {
  readonly sync = new PeerSync();
  readonly compact = new PeerCompact();
  connection!: PeerConnection;

  /** The peer connected to the onion service, so its own address is unknown. */
  isViaOnion = false;
  /** The peer's address was discouraged when it connected. It is evicted first. */
  preferEvict = false;
  version = 0;
  services = 0n;
  userAgent = '';
  startHeight = -1;
  /** Seconds by which the peer's clock is ahead. */
  timeOffset = 0;
  /** This node's address as the peer sees it. */
  localAddress: NetAddress | null = null;
  /** version was received. */
  greeted = false;
  /** verack was received: the handshake is complete. */
  ready = false;
  wantsAddrV2 = false;
  relaysByWtxid = false;
  /** The peer wants announcements of transactions, by its version message or by setting a filter. */
  relaysTxs = false;
  /** Filter of the transactions that the peer wants (BIP-0037); null: all. */
  filter: BloomFilter | null = null;
  /** Nonce of the version message sent to the peer. */
  localNonce = 0n;

  misbehaviour = 0;
  /** Set once the peer is to be disconnected. Its messages are not handled any more. */
  leaving = false;

  pingNonce = 0n;
  pingSentMs = 0;
  /** Number of pings sent to the peer. */
  pingsSent = 0;
  /** Last and shortest round trip, ms; -1 before the first. */
  pingMs = -1;
  minPingMs = -1;
  pingWanted = false;

  /** Seconds of the last new transaction and the last new block from the peer. */
  lastTxTime = 0;
  lastBlockTime = 0;

  /** Entries of getdata that are not answered yet. */
  readonly wanted = new Wanted();

  constructor(
    readonly id: number,
    readonly type: ConnectionType,
    /** Address of the peer. For inbound peers the port is the one it connected from. */
    readonly address: NetAddress,
    /** Name given by the operator, otherwise the address as text. */
    readonly name: string,
    /** Own address of the connection. */
    readonly bindText: string,
    readonly permissions: Permissions,
    /** Seconds since 1970, mockable. */
    readonly connectedAt: number,
  ) {}

  get inbound(): boolean {
    return this.type === 'inbound';
  }
  get manual(): boolean {
    return this.type === 'manual';
  }
  /** Connection for one transaction of -privatebroadcast. The peer learns nothing about this node. */
  get isPrivate(): boolean {
    return this.type === 'private-broadcast';
  }
  /** Chosen by this node and not by the operator. */
  get outboundOrBlockRelay(): boolean {
    return this.type === 'outbound-full-relay' || this.type === 'block-relay-only';
  }
  /** The peer serves no blocks: it offers neither NETWORK nor NETWORK_LIMITED. */
  get isClient(): boolean {
    return (this.services & (SERVICE.NETWORK | SERVICE.NETWORK_LIMITED)) === 0n;
  }
  get isLimited(): boolean {
    return (this.services & SERVICE.NETWORK) === 0n && (this.services & SERVICE.NETWORK_LIMITED) !== 0n;
  }
  get hasWitness(): boolean {
    return (this.services & SERVICE.WITNESS) !== 0n;
  }
  /** Transactions are exchanged with the peer. */
  get relaysTransactions(): boolean {
    return this.type !== 'block-relay-only' && this.type !== 'feeler' && !this.isPrivate;
  }

  send(command: string, payload?: Uint8Array): void {
    if (this.isPrivate && !PRIVATE_MESSAGES.has(command)) return;
    this.connection.send(command, payload);
  }
}
