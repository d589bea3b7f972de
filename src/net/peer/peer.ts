// What the node knows about one peer. Fields are grouped by who keeps them: handshake, sync, relay.
import type { HeaderNode } from '../../chain/tree/header-node.js';
import type { Permissions } from '../options.js';
import type { BloomFilter } from '../relay/bloom-filter.js';
import { noOutcomes } from '../relay/compact-stats.js';
import { Wanted } from '../wanted.js';
import type { NetAddress } from '../wire/net-address.js';
import { SERVICE } from '../wire/protocol.js';
import type { PeerConnection } from './peer-connection.js';

/** Why there is a connection (Core's ConnectionType, by its names in getpeerinfo). */
export type ConnectionType =
  | 'inbound'
  | 'manual'
  | 'outbound-full-relay'
  | 'block-relay-only'
  | 'feeler'
  | 'addr-fetch'
  | 'private-broadcast';

/** What is sent to peers of private-broadcast. */
const PRIVATE_MESSAGES = new Set(['version', 'verack', 'inv', 'tx', 'ping']);

/** A block that was asked for. */
export interface BlockInFlight {
  readonly hash: Uint8Array;
  readonly node: HeaderNode | null;
  readonly peer: Peer;
  /** When it was asked for, ms of a monotonic clock. */
  readonly sinceMs: number;
  /** Peers that were asked before and kept it to themselves. */
  readonly earlier: readonly Peer[];
  /** The operator asked for it: it is wanted whatever its work. */
  readonly byHand: boolean;
  /**
   * The ping of that peer, counted from one, whose answer shows that the peer has dealt with our last message about
   * this block.
   */
  ping: number;
  /**
   * Set when the peer has dealt with the request and has not sent the block: its best known block at that time. The
   * entry takes no slot, others are asked, and the peer is not asked again before it announces another block.
   * Undefined: it may still come.
   */
  refusedAt: HeaderNode | null | undefined;
}

/** Sync with this peer (Core's CNodeState). */
export class PeerSync {
  /** Headers were asked for from this peer at the start. */
  started = false;
  /** When headers sync with it has failed, mockable ms; 0: not waiting. */
  headersDeadlineMs = 0;
  /** When it was asked for headers that have not come, mockable ms; -Infinity: it owes none. */
  headersAskedAtMs = Number.NEGATIVE_INFINITY;
  /** It was asked for headers for the sake of an inv, before they were asked for from it at the start. */
  askedBeforeStart = false;
  /** Most work this peer is known to have. */
  bestKnown: HeaderNode | null = null;
  /** Last hash it announced that we don't know. */
  lastUnknown: Uint8Array | null = null;
  /** Last block in common. */
  lastCommon: HeaderNode | null = null;
  /** Best header we sent it. */
  bestHeaderSent: HeaderNode | null = null;
  unconnectingHeaders = 0;
  /** When it last told us of a block with more work than our tip, mockable seconds; 0: never. */
  announcedAt = 0;
  /** Asked for, oldest first; those that were refused stay while they count for the timeout. */
  readonly inFlight: BlockInFlight[] = [];
  /** Since when it holds up the download window, ms; 0: it doesn't. */
  stallingSinceMs = 0;
  /** When the oldest block in flight became the oldest, ms. */
  downloadingSinceMs = 0;
  prefersHeaders = false;
  /** Its chain must have the work of this header by chainDeadlineMs, or it is dropped (outbound eviction). */
  chainDeadlineMs = 0;
  chainWanted: HeaderNode | null = null;
  sentGetheadersForChain = false;
  protectedFromChainSync = false;
  /** Chain that getblocks left off at: the next getdata of it brings the tip's inv. */
  continueAt: Uint8Array | null = null;
  /** Blocks to announce at the next round. */
  announce: Uint8Array[] = [];
  /** Hashes for inv at the next round. */
  blockInvs: Uint8Array[] = [];
}

/** Compact blocks with this peer (BIP-0152). */
export class PeerCompact {
  /** It wants new blocks as compact blocks without being asked. */
  wantsHighBandwidth = false;
  /** We want that from it. */
  highBandwidth = false;
  /** It speaks version 2. */
  provides = false;
  /** The last block of its that the mempool was searched for. */
  searchedFor: HeaderNode | null = null;
  /** What became of those that it sent. */
  readonly blocks = noOutcomes();
}

export class Peer {
  readonly sync = new PeerSync();
  readonly compact = new PeerCompact();
  connection!: PeerConnection;

  /** It came to our onion service: its own address is not known. */
  isViaOnion = false;
  /** Its address was discouraged when it came: it is the first to go when there is no room. */
  preferEvict = false;
  version = 0;
  services = 0n;
  userAgent = '';
  startHeight = -1;
  /** Seconds its clock is ahead of ours. */
  timeOffset = 0;
  /** How it sees us. */
  localAddress: NetAddress | null = null;
  /** version was received. */
  greeted = false;
  /** verack was received: the handshake is over. */
  ready = false;
  wantsAddrV2 = false;
  relaysByWtxid = false;
  /** What it said in version, or later by setting a filter: it wants transactions announced. */
  relaysTxs = false;
  /** Only these transactions (BIP-0037); null: all. */
  filter: BloomFilter | null = null;
  /** Our nonce of its version message. */
  localNonce = 0n;

  misbehaviour = 0;
  /** Set once it shall go: nothing more is handled. */
  leaving = false;

  pingNonce = 0n;
  pingSentMs = 0;
  /** Pings sent to it. */
  pingsSent = 0;
  /** Last round trip and the shortest, ms; -1 before the first. */
  pingMs = -1;
  minPingMs = -1;
  pingWanted = false;

  /** Seconds of the last new transaction and block it brought. */
  lastTxTime = 0;
  lastBlockTime = 0;

  /** What it asked for and has not got yet. */
  readonly wanted = new Wanted();

  constructor(
    readonly id: number,
    readonly type: ConnectionType,
    /** Where it is; for inbound ones the port is the one it connected from. */
    readonly address: NetAddress,
    /** As asked for by the operator, else its address as text. */
    readonly name: string,
    /** Our end. */
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
  /** For one transaction and nothing else (-privatebroadcast): it learns nothing about us. */
  get isPrivate(): boolean {
    return this.type === 'private-broadcast';
  }
  /** Chosen by us, other than by the operator's word. */
  get outboundOrBlockRelay(): boolean {
    return this.type === 'outbound-full-relay' || this.type === 'block-relay-only';
  }
  /** Has no blocks for others. */
  get isClient(): boolean {
    return (this.services & (SERVICE.NETWORK | SERVICE.NETWORK_LIMITED)) === 0n;
  }
  get isLimited(): boolean {
    return (this.services & SERVICE.NETWORK) === 0n && (this.services & SERVICE.NETWORK_LIMITED) !== 0n;
  }
  get hasWitness(): boolean {
    return (this.services & SERVICE.WITNESS) !== 0n;
  }
  /** Transactions go back and forth. */
  get relaysTransactions(): boolean {
    return this.type !== 'block-relay-only' && this.type !== 'feeler' && !this.isPrivate;
  }

  send(command: string, payload?: Uint8Array): void {
    if (this.isPrivate && !PRIVATE_MESSAGES.has(command)) return;
    this.connection.send(command, payload);
  }
}
