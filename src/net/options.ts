// Settings of the network room, plain and with Core's defaults.
import { COMPATS } from '../policy/compat.js';
import type { NetAddress } from './wire/net-address.js';

/** Permissions a peer may have been granted (-whitelist, -whitebind). */
export interface Permissions {
  /** Not disconnected or discouraged for misbehaviour; blocks are served whatever the upload target says. */
  readonly noban: boolean;
  /** Transactions are relayed to and from it even with -blocksonly; its unrequested transactions are taken. */
  readonly relay: boolean;
  /** Transactions are relayed from it even when they are in the mempool already. */
  readonly forcerelay: boolean;
  /** May send `mempool`. */
  readonly mempool: boolean;
  /** Gets headers during initial download, and blocks beyond the upload target. */
  readonly download: boolean;
  /** Its getaddr is answered whole and from no cache. */
  readonly addr: boolean;
  /** May set a filter (BIP-0037) and send `mempool`. */
  readonly bloomfilter: boolean;
  /** Granted without naming any: no permission by itself, shown as `whitelisted` with -deprecatedrpc=whitelisted. */
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

/** An address and how many of its leading bits count. */
export interface Subnet {
  readonly address: NetAddress;
  readonly bits: number;
}

/** Where peers may connect to. */
export interface Bind {
  readonly host: string;
  readonly port: number;
  /** What peers of this listener may do (-whitebind). */
  readonly permissions: Permissions | null;
  /** What connects here comes from Tor (`=onion`): this address is not advertised. */
  readonly onion: boolean;
  /** Whether the node must not start if it cannot listen here: true for configured addresses and for all of IPv4. */
  readonly required: boolean;
}

/** Address of a SOCKS5 proxy: a port of a host, or a Unix socket. */
export type ProxyPlace = { readonly host: string; readonly port: number } | { readonly path: string };

export interface NetOptions {
  /** Port others are told to reach us at. */
  readonly port: number;
  readonly listen: boolean;
  readonly binds: readonly Bind[];
  /** -connect: only these; empty: find peers by oneself unless `connectOnly`. */
  readonly connect: readonly string[];
  /** -connect was given, also as 0. */
  readonly connectOnly: boolean;
  /** -addnode */
  readonly addNodes: readonly string[];
  /** -seednode: asked once for addresses. */
  readonly seedNodes: readonly string[];
  readonly dnsSeed: boolean;
  readonly forceDnsSeed: boolean;
  /** -fixedseeds: addresses that came with the program, when there are no others. */
  readonly fixedSeeds: boolean;
  readonly maxConnections: number;
  /** Bytes waiting to be sent to a peer, beyond which none of its messages are handled. */
  readonly maxSendBytes: number;
  /** Bytes of messages waiting to be handled, beyond which the socket is not read. */
  readonly maxReceiveBytes: number;
  /** Seconds to connect, ms. */
  readonly connectTimeoutMs: number;
  /** Seconds a peer has for its first message. */
  readonly peerTimeoutSeconds: number;
  /** -blocksonly */
  readonly blocksOnly: boolean;
  /** -networkactive */
  readonly active: boolean;
  /** -whitelist: for peers that come to us, for those that we were told to call, or both. */
  readonly whitelist: readonly {
    readonly subnet: Subnet;
    readonly permissions: Permissions;
    readonly ways: readonly ('in' | 'out')[];
  }[];
  /** Seconds. */
  readonly banSeconds: number;
  readonly userAgent: string;
  /** Services without those that depend on the chain's state. */
  readonly services: bigint;
  /** SOCKS5 proxies of -proxy by network. `names`: for hosts that the proxy resolves. */
  readonly proxies: Readonly<Partial<Record<'ipv4' | 'ipv6' | 'onion' | 'cjdns' | 'names', ProxyPlace>>>;
  /** Proxy of -onion, which wins over -proxy and over Tor's report; null: not given. */
  readonly onionProxy: ProxyPlace | null;
  /** Whether onion addresses are called by ourselves (-noonion: not, whatever -proxy says). */
  readonly onionReachable: boolean;
  /** -listenonion: where Tor is asked for an onion service (-torcontrol, -torpassword); null: nowhere. */
  readonly torControl: { readonly host: string; readonly port: number; readonly password: string } | null;
  /** -i2psam: the SAM bridge of an I2P router; null: none. */
  readonly i2pSam: { readonly host: string; readonly port: number } | null;
  /** -i2pacceptincoming: peers find us at a lasting address of I2P. */
  readonly i2pAccept: boolean;
  readonly proxyRandomize: boolean;
  /** -onlynet; empty: all. */
  readonly onlyNets: readonly string[];
  /** -externalip */
  readonly externalAddresses: readonly NetAddress[];
  /** -externalip with a name, which is looked up at the start. */
  readonly externalNames: readonly { readonly text: string; readonly host: string; readonly port: number }[];
  readonly discover: boolean;
  /** -addrmantest: peers are told that we are at 127.0.0.1, where tests are. */
  readonly advertiseLoopback: boolean;
  /** -dns: whether names may be looked up. */
  readonly dns: boolean;
  /** -maxuploadtarget, bytes per day; 0: none. */
  readonly maxUploadBytes: number;
  /**
   * Peers are treated as by 0.21.1: faults add up to 100, and addresses go to inbound peers that never spoke of any.
   * Else each fault costs a peer its connection, and such peers are told no addresses (Core since versions 28 and 22).
   */
  readonly legacyPeers: boolean;
  /** Score of orphans that are kept (relay/orphanage.ts); -maxorphantx. */
  readonly orphanScore: number;
  /** -blockreconstructionextratxn */
  readonly extraTxs: number;
  /** -privatebroadcast: transactions of sendrawtransaction go through Tor, not by way of the mempool. */
  readonly privateBroadcast: boolean;
  /** -peerblockfilters */
  readonly peerBlockFilters: boolean;
  /** -feefilter: peers are told what the mempool takes. */
  readonly feeFilter: boolean;
  /** -v2transport: connections are encrypted (BIP-0324) with peers that can. */
  readonly v2Transport: boolean;
  /** -peerthread: sockets of peers are on a thread of their own. */
  readonly peerThread: boolean;
  /** -logips: addresses of peers may stand in the log. */
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
