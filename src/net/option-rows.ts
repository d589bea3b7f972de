// Command-line options of the network that depend on no other option. The property names are those of options.ts.
// Options that depend on others (where to listen, whom to connect to, proxies) are resolved in
// config/network-options.ts.

import type { Compat } from '../policy/compat.js';
import { DEFAULT_NET } from './options.js';

export const NET_ROWS = {
  maxConnections: ['maxconnections', 'int', 'Maximum number of connections to peers', DEFAULT_NET.maxConnections],
  maxUploadBytes: [
    'maxuploadtarget',
    'bytes',
    'Stop serving old blocks after this upload within 24 hours (default: {default}, no limit). In MiB, or with a unit: k, m, g, t (powers of 1000) or K, M, G, T (powers of 1024)',
    DEFAULT_NET.maxUploadBytes,
    { unit: 1 << 20 },
  ],
  maxReceiveBytes: [
    'maxreceivebuffer',
    'int',
    'Maximum receive buffer for each peer, in thousands of bytes',
    DEFAULT_NET.maxReceiveBytes,
    { unit: 1_000, least: 1 },
  ],
  maxSendBytes: [
    'maxsendbuffer',
    'int',
    'Maximum send buffer for each peer, in thousands of bytes',
    DEFAULT_NET.maxSendBytes,
    { unit: 1_000, least: 1 },
  ],
  connectTimeoutMs: [
    'timeout',
    'int',
    'Milliseconds after which an attempt to connect to a peer fails',
    DEFAULT_NET.connectTimeoutMs,
    { least: 1 },
  ],
  peerTimeoutSeconds: [
    'peertimeout',
    'int',
    'Seconds after which a new peer without a first message is disconnected',
    DEFAULT_NET.peerTimeoutSeconds,
  ],
  banSeconds: ['bantime', 'int', 'Default duration of a ban in seconds', DEFAULT_NET.banSeconds],
  active: ['networkactive', 'bool', 'Enable connections to peers. setnetworkactive changes this', DEFAULT_NET.active],
  proxyRandomize: [
    'proxyrandomize',
    'bool',
    'Use new credentials for each connection through a proxy, so that Tor uses separate circuits',
    DEFAULT_NET.proxyRandomize,
  ],
  dns: ['dns', 'bool', 'Allow DNS lookups for -addnode, -seednode and -connect', DEFAULT_NET.dns],
  forceDnsSeed: ['forcednsseed', 'bool', 'Always query DNS seeds', DEFAULT_NET.forceDnsSeed],
  fixedSeeds: [
    'fixedseeds',
    'bool',
    'Use the built-in addresses of peers if the node has found no others within a minute',
    DEFAULT_NET.fixedSeeds,
  ],
  peerBlockFilters: [
    'peerblockfilters',
    'bool',
    'Serve filters of -blockfilterindex to peers (BIP-0157; default: {default})',
    DEFAULT_NET.peerBlockFilters,
  ],
  v2Transport: [
    'v2transport',
    'bool',
    'Encrypt connections to peers that support it (BIP-0324; default: {default}, with -compat=0.21.1 {0.21.1})',
    ({ encryptPeers }: Compat) => encryptPeers,
  ],
  peerThread: ['peerthread', 'bool', 'Use a separate thread for the sockets of peers, encryption and checksums', DEFAULT_NET.peerThread],
  extraTxs: [
    'blockreconstructionextratxn',
    'int',
    'Number of transactions outside the mempool that are stored to reconstruct compact blocks',
    DEFAULT_NET.extraTxs,
    { least: 0 },
  ],
  blocksOnly: ['blocksonly', 'bool', 'Accept no transactions from peers', DEFAULT_NET.blocksOnly],
  feeFilter: ['feefilter', 'bool', 'Send peers the lowest fee rate that the mempool accepts', DEFAULT_NET.feeFilter],
  orphanScore: [
    'maxorphantx',
    'int',
    'Maximum number of transactions with missing parents that are stored. Ten inputs count as one more transaction (default: {default}, with -compat=0.21.1 {0.21.1})',
    ({ orphanScore }: Compat) => orphanScore,
    { least: 0 },
  ],
  advertiseLoopback: ['addrmantest', 'bool', '', DEFAULT_NET.advertiseLoopback],
  privateBroadcast: [
    'privatebroadcast',
    'bool',
    'Send transactions of sendrawtransaction to a few peers through Tor or I2P, and do not put them into the mempool',
    DEFAULT_NET.privateBroadcast,
  ],
} as const;

/** Options that config/network-options.ts turns into addresses, binds and permissions. */
export const PEER_ROWS = {
  forceRelay: [
    'whitelistforcerelay',
    'bool',
    'Give the permission forcerelay to -whitelist peers that name no permissions: the node relays their transactions even if it knows them already',
    false,
  ],
  relay: [
    'whitelistrelay',
    'bool',
    'Give the permission relay to -whitelist peers that name no permissions: they may send transactions despite -blocksonly (default: 1 without -blocksonly)',
  ],
  port: ['port', 'int', "Port for peers (default: the chain's own, 8333 on main, 18444 on regtest)"],
  listen: ['listen', 'bool', 'Accept connections from peers (default: 1 unless -proxy or -connect)'],
  binds: [
    'bind',
    'list',
    'Listen for peers only at this address[:port][=onion]. =onion marks the address for Tor. Can be given several times',
  ],
  whiteBinds: [
    'whitebind',
    'list',
    'Listen for peers at this address, and give permissions to peers that connect there: [permission,...@]address:port',
  ],
  whitelist: [
    'whitelist',
    'list',
    'Permissions for peers of an address or subnet: [noban,relay,forcerelay,mempool,download,addr,bloom,all,in,out@]subnet. in: for incoming connections. out: for connections that -addnode and -connect make (default: in)',
  ],
  connect: ['connect', 'list', 'Connect only to this peer (0: to none). Can be given several times'],
  addNodes: ['addnode', 'list', 'Keep a connection to this peer, in addition to other peers. Can be given several times'],
  seedNodes: ['seednode', 'list', 'Request addresses of other peers from this peer, then disconnect'],
  onlyNets: ['onlynet', 'list', 'Connect to addresses of this network only: ipv4, ipv6, onion, i2p, cjdns'],
  proxy: [
    'proxy',
    'list',
    'Connect through this SOCKS5 proxy: host[:port] or unix:path. Append =ipv4, =ipv6, =onion or =cjdns to use it for one network only. Can be given several times. An empty value removes proxies',
  ],
  onion: ['onion', 'string', 'Use this SOCKS5 proxy for onion addresses: host[:port] or unix:path (default: -proxy)'],
  external: ['externalip', 'list', 'Announce this address to peers as that of this node. A host name is looked up at the start'],
  discover: [
    'discover',
    'bool',
    'Discover the address of this node from its peers and announce it (default: 1 when listening without -externalip or -proxy)',
  ],
  dnsSeed: ['dnsseed', 'bool', 'Query DNS seeds for addresses if the node knows few (default: 1 unless -connect)'],
  bloomFilters: ['peerbloomfilters', 'bool', 'Support bloom filters of light clients (BIP-0037; default: {default})', false],
  asmap: [
    'asmap',
    'filled',
    'File that maps addresses to autonomous systems. The node then chooses peers from different ones (without a name: {default}; default: none)',
    'ip_asn.map',
  ],
  listenOnion: ['listenonion', 'bool', 'Create an onion service for this node through the control port of Tor (default: 1 when listening)'],
  torControl: ['torcontrol', 'filled', "Tor's control port, host[:port]", '127.0.0.1:9051'],
  torPassword: ['torpassword', 'string', "Password of Tor's control port (default: none. A cookie file is found automatically)", ''],
  i2pSam: ['i2psam', 'string', 'SAM bridge of an I2P router, host[:port], for peers in I2P (default: none)', ''],
  i2pAccept: [
    'i2pacceptincoming',
    'bool',
    'With -i2psam: accept connections at a permanent I2P address. With 0, each outgoing connection uses a new address (default: 1 when listening)',
  ],
  comments: ['uacomment', 'list', 'Comment to add to the user agent'],
} as const;
