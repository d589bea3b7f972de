// What methods need of the network: facts of peers and addresses, and what may be changed.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Amount } from '../wire/values.js';

/** -privatebroadcast: transactions that are sent through Tor. */
export interface PrivateBroadcastAccess {
  /** Whether there is a way to Tor. */
  readonly reachable: boolean;
  /** False when too many wait. */
  add(tx: TxView): boolean;
  /** Gives up all with this txid or wtxid. */
  abort(id: Uint8Array): readonly TxView[];
  /** Times in seconds. */
  list(): readonly {
    readonly tx: TxView;
    readonly addedAt: number;
    readonly attemptsLeft: number;
    readonly sends: readonly { readonly address: string; readonly sentAt: number; readonly confirmedAt: number | null }[];
  }[];
}

/** What the network room knows. */
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
  /** ipv4, ipv6, onion, as getnetworkinfo lists them. */
  readonly networks: readonly NetworkInfo[];
  /** Seconds that most peers are ahead of us. */
  timeOffset(): number;
  /** Where others are told to reach us, and how sure we are. */
  localAddresses(): readonly { readonly address: string; readonly port: number; readonly score: number }[];
  /** -maxuploadtarget: bytes a day and what is left of it. */
  /** Transactions outside the mempool that may be in a block (-blockreconstructionextratxn), by key of the wtxid. */
  extraTransactions(): ReadonlyMap<string, TxView>;
  /** Transactions that wait for their parents, by wtxid, with the ids of the peers that announced them. */
  orphans(): readonly { readonly tx: TxView; readonly from: readonly number[] }[];
  /** Null without -privatebroadcast. */
  privately(): PrivateBroadcastAccess | null;
  upload(): { target: number; reached: boolean; historicalReached: boolean; bytesLeft: number; secondsLeft: number };
  readonly control: NetworkControl;
}

/** Connections that the node makes by itself. */
export type FoundType = 'outbound-full-relay' | 'block-relay-only' | 'addr-fetch' | 'feeler';

/** What RPC may change about the network. */
export interface NetworkControl {
  /**
   * Tries to connect once; whether it worked shows in getpeerinfo.
   * @param encrypted whether BIP-0324 is tried; undefined: as the options say
   */
  connectOnce(node: string, encrypted?: boolean): Promise<void>;
  /**
   * The same for a peer that counts as one we found by ourselves. False when there are as many of its type as may be.
   */
  openConnection(node: string, type: FoundType, encrypted: boolean): Promise<boolean>;
  /** Keeps a connection to a peer. False when it does so already. @param encrypted as for connectOnce */
  addNode(node: string, encrypted?: boolean): boolean;
  /** Whether there are encrypted connections at all. */
  encrypts(): boolean;
  /** False when it did not. */
  removeNode(node: string): boolean;
  /** What addNode keeps, in wire form. */
  addedNodes(): Promise<{ addednode: string; connected: boolean; addresses: { address: string; connected: 'inbound' | 'outbound' }[] }[]>;
  /** Ends a connection. False when there is none such. */
  disconnectAddress(address: string): boolean;
  disconnectId(id: number): boolean;
  pingAll(): void;
  /** Asks a peer for a block; why not, null when it was asked. @param hash internal order */
  fetchBlock(hash: Uint8Array, peer: number): string | null;
  setActive(active: boolean): void;
  /** Whether the text names an address or subnet. */
  isSubnet(text: string): boolean;
  /** Of an address: whether any ban covers it; of a subnet: whether exactly it is banned. */
  isBanned(text: string): boolean;
  /** @param seconds from now, 0 for the default; with `absolute` seconds since 1970 */
  ban(text: string, seconds: number, absolute: boolean): void;
  unban(text: string): boolean;
  bans(): readonly { readonly address: string; readonly until: number; readonly createdAt: number }[];
  clearBans(): void;
  /**
   * Some of the known addresses; 0 for all. Services as a number, since they are shown as one.
   * @param network by name; absent: all of them
   */
  knownAddresses(
    count: number,
    network?: string,
  ): readonly { time: number; services: number; address: string; port: number; network: string }[];
  /** All addresses known now by their places in the tables, each made when it is read; a place is `bucket/position`. */
  addressTables(): Readonly<Record<'new' | 'tried', Iterable<readonly [string, KnownNode]>>>;
  /** Known addresses by network, those that were connected to and the others. */
  addressCounts(): ReadonlyMap<string, { readonly new: number; readonly tried: number }>;
  /**
   * Adds an address to the known ones, and to those that were connected to if `tried`.
   * @returns null when it was added; `invalid` for what is no address or port; else why not, in Core's words
   */
  addAddress(address: string, port: number, tried: boolean): string | null;
}

/** What is known of an address; systems are 0 without a map. */
export interface KnownNode {
  readonly address: string;
  readonly network: string;
  readonly system: number;
  readonly port: number;
  readonly services: number;
  readonly time: number;
  readonly source: { readonly address: string; readonly network: string; readonly system: number };
}

/** One of getnetworkinfo's networks, members in wire order. */
export interface NetworkInfo {
  readonly name: string;
  readonly limited: boolean;
  readonly reachable: boolean;
  readonly proxy: string;
  readonly proxy_randomize_credentials: boolean;
}

/** A peer as getpeerinfo shows it; members in order, already in wire form. */
export type PeerInfo = Readonly<
  Record<string, string | number | boolean | null | Amount | readonly string[] | readonly number[] | Readonly<Record<string, number>>>
>;

/** Of the network. */
export interface NetworkContext {
  readonly network: NetworkAccess;
  /** Bytes of the map of autonomous systems in use; null without -asmap. */
  readAsmap(): Promise<Uint8Array | null>;
}
