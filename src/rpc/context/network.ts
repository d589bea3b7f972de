// Peers and addresses as methods use them.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Amount } from '../wire/values.js';

/** Transactions that are broadcast privately, through Tor (-privatebroadcast). */
export interface PrivateBroadcastAccess {
  /** True if Tor can be reached. */
  readonly reachable: boolean;
  /** Adds a transaction to the queue of private broadcasts. Returns false if too many transactions wait. */
  add(tx: TxView): boolean;
  /** Removes all transactions with this txid or wtxid, and returns them. */
  abort(id: Uint8Array): readonly TxView[];
  /** Returns all transactions. Times are in seconds since 1970. */
  list(): readonly {
    readonly tx: TxView;
    readonly addedAt: number;
    readonly attemptsLeft: number;
    readonly sends: readonly { readonly address: string; readonly sentAt: number; readonly confirmedAt: number | null }[];
  }[];
}

/** The network module as methods use it. */
export interface NetworkAccess {
  connections(): { in: number; out: number };
  peers(): readonly PeerInfo[];
  totals(): { received: number; sent: number };
  readonly subversion: string;
  readonly protocolVersion: number;
  readonly localServices: bigint;
  readonly serviceNames: readonly string[];
  readonly active: boolean;
  readonly relays: boolean;
  /** Networks in the order of getnetworkinfo. */
  readonly networks: readonly NetworkInfo[];
  /** Returns the median time offset of peers in seconds. */
  timeOffset(): number;
  /** Returns addresses at which other nodes may reach this one, with their scores. */
  localAddresses(): readonly { readonly address: string; readonly port: number; readonly score: number }[];
  /**
   * Returns transactions outside the mempool that may be in a block (-blockreconstructionextratxn), by key of the
   * wtxid.
   */
  extraTransactions(): ReadonlyMap<string, TxView>;
  /** Returns orphan transactions, by wtxid, with the ids of the peers that announced them. */
  orphans(): readonly { readonly tx: TxView; readonly from: readonly number[] }[];
  /** Returns the private broadcast; null without -privatebroadcast. */
  privately(): PrivateBroadcastAccess | null;
  upload(): { target: number; reached: boolean; historicalReached: boolean; bytesLeft: number; secondsLeft: number };
  readonly control: NetworkControl;
}

/** Types of connections that the node opens by itself. */
export type FoundType = 'outbound-full-relay' | 'block-relay-only' | 'addr-fetch' | 'feeler';

/** Actions of RPC on the network. */
export interface NetworkControl {
  /**
   * Tries to connect once. getpeerinfo shows whether it worked.
   * @param encrypted whether to use BIP-0324; undefined: as the options say
   */
  connectOnce(node: string, encrypted?: boolean): Promise<void>;
  /**
   * Opens a connection that counts as one that the node opened by itself. Returns false if all connections of that type
   * are used.
   */
  openConnection(node: string, type: FoundType, encrypted: boolean): Promise<boolean>;
  /**
   * Keeps a connection to a peer (addnode add). Returns false if the peer was added before.
   * @param encrypted as for connectOnce
   */
  addNode(node: string, encrypted?: boolean): boolean;
  /** Returns whether encrypted connections are enabled. */
  encrypts(): boolean;
  /** Stops keeping a connection (addnode remove). Returns false if the peer was not added. */
  removeNode(node: string): boolean;
  /** Returns the added nodes, as getaddednodeinfo shows them. */
  addedNodes(): Promise<{ addednode: string; connected: boolean; addresses: { address: string; connected: 'inbound' | 'outbound' }[] }[]>;
  /** Closes the connection to an address. Returns false if there is no such connection. */
  disconnectAddress(address: string): boolean;
  disconnectId(id: number): boolean;
  pingAll(): void;
  /** Requests a block from a peer. @param hash internal order @returns why it was not requested, or null */
  fetchBlock(hash: Uint8Array, peer: number): string | null;
  setActive(active: boolean): void;
  /** Returns whether the text is an address or a subnet. */
  isSubnet(text: string): boolean;
  /** Returns for an address whether any ban covers it, and for a subnet whether exactly it is banned. */
  isBanned(text: string): boolean;
  /** @param seconds duration, 0 for the default; with `absolute` the end in seconds since 1970 */
  ban(text: string, seconds: number, absolute: boolean): void;
  unban(text: string): boolean;
  bans(): readonly { readonly address: string; readonly until: number; readonly createdAt: number }[];
  clearBans(): void;
  /**
   * Returns a sample of the known addresses. Services are a number because replies show them so.
   * @param count 0: all
   * @param network name of a network; undefined: all
   */
  knownAddresses(
    count: number,
    network?: string,
  ): readonly { time: number; services: number; address: string; port: number; network: string }[];
  /** Returns all known addresses by their position `bucket/position` in the tables. An entry is created when
   * it is read. */
  addressTables(): Readonly<Record<'new' | 'tried', Iterable<readonly [string, KnownNode]>>>;
  /** Returns the numbers of known addresses by network: tried and new. */
  addressCounts(): ReadonlyMap<string, { readonly new: number; readonly tried: number }>;
  /**
   * Adds an address to the new or the tried table.
   * @returns null if it was added; `invalid` if address or port is invalid; otherwise the reason in Core's words
   */
  addAddress(address: string, port: number, tried: boolean): string | null;
}

/** A known address. Autonomous systems are 0 without -asmap. */
export interface KnownNode {
  readonly address: string;
  readonly network: string;
  readonly system: number;
  readonly port: number;
  readonly services: number;
  readonly time: number;
  readonly source: { readonly address: string; readonly network: string; readonly system: number };
}

/** A network of getnetworkinfo; members in the order of the reply. */
export interface NetworkInfo {
  readonly name: string;
  readonly limited: boolean;
  readonly reachable: boolean;
  readonly proxy: string;
  readonly proxy_randomize_credentials: boolean;
}

/** A peer of getpeerinfo; members in the order and form of the reply. */
export type PeerInfo = Readonly<
  Record<string, string | number | boolean | null | Amount | readonly string[] | readonly number[] | Readonly<Record<string, number>>>
>;

/** Network part of NodeContext. */
export interface NetworkContext {
  readonly network: NetworkAccess;
  /** Reads the map of autonomous systems that is in use; null without -asmap. */
  readAsmap(): Promise<Uint8Array | null>;
}
