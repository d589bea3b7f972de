// Settings of the network module as plain values, with Core's defaults.
import { COMPATS } from '../policy/compat.js';
import type { NetAddress } from './wire/net-address.js';

/** Permissions that a peer may have (-whitelist, -whitebind). */
export interface Permissions {
  /** The peer is not disconnected or discouraged for misbehaviour, and gets blocks beyond the upload target. */
  readonly noban: boolean;
  /** Transactions are relayed to and from the peer even with -blocksonly, and its unrequested transactions are accepted. */
  readonly relay: boolean;
  /** Transactions of the peer are relayed even if they are in the mempool already. */
  readonly forcerelay: boolean;
  /** The peer may send `mempool`. */
  readonly mempool: boolean;
  /** The peer gets headers during the initial block download, and blocks beyond the upload target. */
  readonly download: boolean;
  /** The peer's getaddr is answered completely and without the cache. */
  readonly addr: boolean;
  /** The peer may set a filter (BIP-0037) and send `mempool`. */
  readonly bloomfilter: boolean;
  /**
   * Set by a -whitelist entry that names no permissions. No permission by itself; shown as `whitelisted` with
   * -deprecatedrpc=whitelisted.
   */
  readonly implicit: boolean;
}

export const NO_PERMISSIONS: Permissions = {
  noban: false,
  relay: false,
  forcerelay: false,
  mempool: false,
  download: false,
  addr: false,
  bloomfilter: false,
  implicit: false,
};

/** Address and number of its leading bits that count. */
export interface Subnet {
  readonly address: NetAddress;
  readonly bits: number;
}

/** Address that peers may connect to. */
export interface Bind {
  readonly host: string;
  readonly port: number;
  /** Permissions of peers that connect here (-whitebind). */
  readonly permissions: Permissions | null;
  /** True if connections to this address come from Tor (`=onion`). The address is not advertised. */
  readonly onion: boolean;
  /** True if the node refuses to start when it cannot listen here. Set for configured addresses and for all of IPv4. */
  readonly required: boolean;
}

/** Address of a SOCKS5 proxy: host and port, or a Unix socket. */
export type ProxyPlace = { readonly host: string; readonly port: number } | { readonly path: string };

export interface NetOptions {
  /** Port that is sent to other nodes as this node's. */
  readonly port: number;
  readonly listen: boolean;
  readonly binds: readonly Bind[];
  /** Peers of -connect. If empty and `connectOnly` is false, the node finds peers by itself. */
  readonly connect: readonly string[];
  /** True if -connect was given, also as 0. */
  readonly connectOnly: boolean;
  /** Peers of -addnode. */
  readonly addNodes: readonly string[];
  /** Peers of -seednode, which are asked once for addresses. */
  readonly seedNodes: readonly string[];
  readonly dnsSeed: boolean;
  readonly forceDnsSeed: boolean;
  /** -fixedseeds: use the built-in addresses if no others are known. */
  readonly fixedSeeds: boolean;
  readonly maxConnections: number;
  /** Unsent bytes of a peer above which none of its messages are handled. */
  readonly maxSendBytes: number;
  /** Maximum number of received and unhandled bytes of a peer. Above it the node does not read the peer's socket. */
  readonly maxReceiveBytes: number;
  /** Time in ms that a connection attempt may take. */
  readonly connectTimeoutMs: number;
  /** Seconds that a peer has for its first message. */
  readonly peerTimeoutSeconds: number;
  /** -blocksonly */
  readonly blocksOnly: boolean;
  /** -networkactive */
  readonly active: boolean;
  /** Entries of -whitelist, each for inbound peers, for peers of -addnode and -connect, or for both. */
  readonly whitelist: readonly {
    readonly subnet: Subnet;
    readonly permissions: Permissions;
    readonly ways: readonly ('in' | 'out')[];
  }[];
  /** Default length of a ban in seconds. */
  readonly banSeconds: number;
  readonly userAgent: string;
  /** Services, except those that depend on the chain's state. */
  readonly services: bigint;
  /** SOCKS5 proxies of -proxy by network. `names`: for host names that the proxy resolves. */
  readonly proxies: Readonly<Partial<Record<'ipv4' | 'ipv6' | 'onion' | 'cjdns' | 'names', ProxyPlace>>>;
  /** Proxy of -onion, which takes precedence over -proxy and over Tor's report; null: not given. */
  readonly onionProxy: ProxyPlace | null;
  /** True if this node connects to onion addresses (-noonion: never, whatever -proxy says). */
  readonly onionReachable: boolean;
  /** Tor's control port that is asked for an onion service (-listenonion, -torcontrol, -torpassword); null: none. */
  readonly torControl: { readonly host: string; readonly port: number; readonly password: string } | null;
  /** SAM bridge of an I2P router (-i2psam); null: none. */
  readonly i2pSam: { readonly host: string; readonly port: number } | null;
  /** -i2pacceptincoming: peers can connect to a lasting I2P address. */
  readonly i2pAccept: boolean;
  readonly proxyRandomize: boolean;
  /** Networks of -onlynet; empty: all. */
  readonly onlyNets: readonly string[];
  /** Addresses of -externalip. */
  readonly externalAddresses: readonly NetAddress[];
  /** Host names of -externalip, which are resolved at the start. */
  readonly externalNames: readonly { readonly text: string; readonly host: string; readonly port: number }[];
  readonly discover: boolean;
  /** -addrmantest: advertise 127.0.0.1 to peers, for tests. */
  readonly advertiseLoopback: boolean;
  /** -dns: whether host names may be resolved. */
  readonly dns: boolean;
  /** -maxuploadtarget in bytes per day; 0: no limit. */
  readonly maxUploadBytes: number;
  /**
   * True if peers are treated as in 0.21.1: faults add up to 100, and inbound peers get addresses before they have sent
   * any. Otherwise each fault disconnects a peer, and an inbound peer gets addresses only after it has sent some (Core
   * since versions 28 and 22).
   */
  readonly legacyPeers: boolean;
  /** -maxorphantx: largest total score of orphans (relay/orphanage.ts). */
  readonly orphanScore: number;
  /** -blockreconstructionextratxn */
  readonly extraTxs: number;
  /** -privatebroadcast: transactions of sendrawtransaction are sent through Tor or I2P and do not enter the mempool. */
  readonly privateBroadcast: boolean;
  /** -peerblockfilters */
  readonly peerBlockFilters: boolean;
  /** -feefilter: tell peers the lowest fee rate that the mempool accepts. */
  readonly feeFilter: boolean;
  /** -v2transport: encrypt connections to peers that support it (BIP-0324). */
  readonly v2Transport: boolean;
  /** -peerthread: handle the sockets of peers on a thread of their own. */
  readonly peerThread: boolean;
  /** -logips: log the addresses of peers. */
  readonly logIps: boolean;
}

export const DEFAULT_NET: NetOptions = {
  port: 0,
  listen: true,
  binds: [],
  connect: [],
  connectOnly: false,
  addNodes: [],
  seedNodes: [],
  dnsSeed: true,
  forceDnsSeed: false,
  fixedSeeds: true,
  maxConnections: 125,
  maxSendBytes: 1_000_000,
  maxReceiveBytes: 5_000_000,
  connectTimeoutMs: 5_000,
  peerTimeoutSeconds: 60,
  blocksOnly: false,
  active: true,
  whitelist: [],
  banSeconds: 24 * 60 * 60,
  userAgent: '',
  services: 0n,
  proxies: {},
  onionProxy: null,
  onionReachable: true,
  torControl: null,
  i2pSam: null,
  i2pAccept: true,
  proxyRandomize: true,
  onlyNets: [],
  externalAddresses: [],
  externalNames: [],
  discover: true,
  advertiseLoopback: false,
  dns: true,
  maxUploadBytes: 0,
  legacyPeers: false,
  orphanScore: COMPATS.default.orphanScore,
  extraTxs: 100,
  privateBroadcast: false,
  peerBlockFilters: false,
  feeFilter: true,
  v2Transport: COMPATS.default.encryptPeers,
  peerThread: true,
  logIps: false,
};
