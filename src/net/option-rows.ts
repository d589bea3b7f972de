// The options of the network that stand for themselves: what an operator gives, in the names that options.ts has. Those
// that depend on others (where to listen, whom to connect to, proxies) are made in config/network-options.ts.

import type { Compat } from '../policy/compat.js';
import { DEFAULT_NET } from './options.js';

export const NET_ROWS = {
  maxConnections: ['maxconnections', 'int', 'Connections at most', DEFAULT_NET.maxConnections],
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
    'Thousands of bytes a peer may have sent that are not handled yet',
    DEFAULT_NET.maxReceiveBytes,
    { unit: 1_000, least: 1 },
  ],
  maxSendBytes: [
    'maxsendbuffer',
    'int',
    'Thousands of bytes a peer may leave unread before it has to wait',
    DEFAULT_NET.maxSendBytes,
    { unit: 1_000, least: 1 },
  ],
  connectTimeoutMs: ['timeout', 'int', 'Milliseconds a connection may take to be made', DEFAULT_NET.connectTimeoutMs, { least: 1 }],
  peerTimeoutSeconds: ['peertimeout', 'int', 'Seconds a new peer has for its first message', DEFAULT_NET.peerTimeoutSeconds],
  banSeconds: ['bantime', 'int', 'Seconds a ban lasts when none are named', DEFAULT_NET.banSeconds],
  active: ['networkactive', 'bool', 'Whether there are peers at all; setnetworkactive changes it', DEFAULT_NET.active],
  proxyRandomize: [
    'proxyrandomize',
    'bool',
    'New credentials for each connection through a proxy, so that Tor uses separate circuits',
    DEFAULT_NET.proxyRandomize,
  ],
  dns: ['dns', 'bool', 'Look names up for -addnode, -seednode and -connect', DEFAULT_NET.dns],
  forceDnsSeed: ['forcednsseed', 'bool', 'Always ask DNS seeds', DEFAULT_NET.forceDnsSeed],
  fixedSeeds: [
    'fixedseeds',
    'bool',
    'Begin with addresses that came with the program when a minute brought no others',
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
    'Encrypt connections to peers that can (BIP-0324; default: {default}, with -compat=0.21.1 {0.21.1})',
    ({ encryptPeers }: Compat) => encryptPeers,
  ],
  peerThread: ['peerthread', 'bool', 'Sockets of peers, encryption and checksums on a thread of their own', DEFAULT_NET.peerThread],
  extraTxs: [
    'blockreconstructionextratxn',
    'int',
    'Transactions outside the mempool kept for compact blocks',
    DEFAULT_NET.extraTxs,
    { least: 0 },
  ],
  blocksOnly: ['blocksonly', 'bool', 'Take no transactions from peers', DEFAULT_NET.blocksOnly],
  feeFilter: ['feefilter', 'bool', 'Tell peers which fee rates are wanted', DEFAULT_NET.feeFilter],
  orphanScore: [
    'maxorphantx',
    'int',
    'Transactions of peers, ten of their inputs counting as one more, kept while parents are missing (default: {default}, with -compat=0.21.1 {0.21.1})',
    ({ orphanScore }: Compat) => orphanScore,
    { least: 0 },
  ],
  advertiseLoopback: ['addrmantest', 'bool', '', DEFAULT_NET.advertiseLoopback],
  privateBroadcast: [
    'privatebroadcast',
    'bool',
    'Send what sendrawtransaction is given through Tor or I2P to a few peers, and not by way of the mempool',
    DEFAULT_NET.privateBroadcast,
  ],
} as const;

/** What config makes places, addresses and permissions of. */
export const PEER_ROWS = {
  forceRelay: [
    'whitelistforcerelay',
    'bool',
    'Peers of -whitelist without named permissions may have known transactions passed on again',
    false,
  ],
  relay: ['whitelistrelay', 'bool', 'The same peers may send transactions despite -blocksonly (default: 1 without -blocksonly)'],
  port: ['port', 'int', "Port for peers (default: the chain's own, 8333 on main, 18444 on regtest)"],
  listen: ['listen', 'bool', 'Let peers connect (default: 1 unless -proxy or -connect)'],
  binds: ['bind', 'list', 'Listen for peers at this address[:port][=onion] only; may be given more than once; =onion: for Tor'],
  whiteBinds: ['whitebind', 'list', 'The same, with permissions for whoever comes in there: [permission,...@]address:port'],
  whitelist: [
    'whitelist',
    'list',
    'Permissions for peers of an address or subnet: [noban,relay,forcerelay,mempool,download,addr,bloom,all,in,out@]subnet; out: for those that are called by -addnode and -connect, in: for those that come (default: in)',
  ],
  connect: ['connect', 'list', 'Connect to this peer only; 0: to none'],
  addNodes: ['addnode', 'list', 'Keep a connection to this peer, besides others'],
  seedNodes: ['seednode', 'list', 'Ask this peer for addresses of others, then leave it'],
  onlyNets: ['onlynet', 'list', 'Connect to addresses of this network only: ipv4, ipv6, onion, i2p, cjdns'],
  proxy: [
    'proxy',
    'list',
    'Connect through this SOCKS5 proxy: host[:port] or unix:path. Append =ipv4, =ipv6, =onion or =cjdns to use it for one network only. Can be given several times. An empty value removes proxies',
  ],
  onion: ['onion', 'string', 'Use this SOCKS5 proxy for onion addresses: host[:port] or unix:path (default: -proxy)'],
  external: ['externalip', 'list', 'Tell peers that this is our address; a name is looked up at the start'],
  discover: ['discover', 'bool', 'Tell peers of our address as others see it (default: 1 when listening without -externalip or -proxy)'],
  dnsSeed: ['dnsseed', 'bool', 'Ask DNS seeds for addresses when few are known (default: 1 unless -connect)'],
  bloomFilters: ['peerbloomfilters', 'bool', 'Let light clients set filters for what they are told (BIP-0037; default: {default})', false],
  asmap: [
    'asmap',
    'filled',
    'A file that says which networks belong together, so that peers are chosen from different ones (without a name: {default}; default: none)',
    'ip_asn.map',
  ],
  listenOnion: ['listenonion', 'bool', 'Have Tor pass on to us what comes to an onion service of our own (default: 1 when listening)'],
  torControl: ['torcontrol', 'filled', "Tor's control port, host[:port]", '127.0.0.1:9051'],
  torPassword: ['torpassword', 'string', "Password of Tor's control port (default: none; a cookie file is found by itself)", ''],
  i2pSam: ['i2psam', 'string', 'SAM bridge of an I2P router, host[:port], for peers in I2P (default: none)', ''],
  i2pAccept: [
    'i2pacceptincoming',
    'bool',
    'With -i2psam: let peers connect to an address of I2P that is kept; without it each call is from an address of its own (default: 1 when listening)',
  ],
  comments: ['uacomment', 'list', 'Comment to add to the user agent'],
} as const;
