// The options of the network that stand for themselves: what an operator gives, in the names that options.ts has. Those
// that depend on others (where to listen, whom to connect to, proxies) are made in config/network-options.ts.

import type { Compat } from '../policy/compat.js';
import { DEFAULT_NET } from './options.js';

export const NET_ROWS = {
  maxConnections: {
    flag: 'maxconnections',
    type: 'int',
    default: DEFAULT_NET.maxConnections,
    help: 'Connections at most (default: {default})',
  },
  maxUploadBytes: {
    flag: 'maxuploadtarget',
    type: 'int',
    default: DEFAULT_NET.maxUploadBytes,
    unit: 1 << 20,
    help: 'MiB a day after which old blocks are not served any more (default: {default}, no limit)',
  },
  maxReceiveBytes: {
    flag: 'maxreceivebuffer',
    type: 'int',
    default: DEFAULT_NET.maxReceiveBytes,
    unit: 1_000,
    least: 1,
    help: 'Thousands of bytes a peer may have sent that are not handled yet (default: {default})',
  },
  maxSendBytes: {
    flag: 'maxsendbuffer',
    type: 'int',
    default: DEFAULT_NET.maxSendBytes,
    unit: 1_000,
    least: 1,
    help: 'Thousands of bytes a peer may leave unread before it has to wait (default: {default})',
  },
  connectTimeoutMs: {
    flag: 'timeout',
    type: 'int',
    default: DEFAULT_NET.connectTimeoutMs,
    least: 1,
    help: 'Milliseconds a connection may take to be made (default: {default})',
  },
  peerTimeoutSeconds: {
    flag: 'peertimeout',
    type: 'int',
    default: DEFAULT_NET.peerTimeoutSeconds,
    help: 'Seconds a new peer has for its first message (default: {default})',
  },
  banSeconds: {
    flag: 'bantime',
    type: 'int',
    default: DEFAULT_NET.banSeconds,
    help: 'Seconds a ban lasts when none are named (default: {default})',
  },
  active: {
    flag: 'networkactive',
    type: 'bool',
    default: DEFAULT_NET.active,
    help: 'Whether there are peers at all; setnetworkactive changes it (default: {default})',
  },
  proxyRandomize: {
    flag: 'proxyrandomize',
    type: 'bool',
    default: DEFAULT_NET.proxyRandomize,
    help: 'New credentials for each connection through a proxy, so that Tor uses separate circuits (default: {default})',
  },
  dns: {
    flag: 'dns',
    type: 'bool',
    default: DEFAULT_NET.dns,
    help: 'Look names up for -addnode, -seednode and -connect (default: {default})',
  },
  forceDnsSeed: {
    flag: 'forcednsseed',
    type: 'bool',
    default: DEFAULT_NET.forceDnsSeed,
    help: 'Always ask DNS seeds (default: {default})',
  },
  fixedSeeds: {
    flag: 'fixedseeds',
    type: 'bool',
    default: DEFAULT_NET.fixedSeeds,
    help: 'Begin with addresses that came with the program when a minute brought no others (default: {default})',
  },
  peerBlockFilters: {
    flag: 'peerblockfilters',
    type: 'bool',
    default: DEFAULT_NET.peerBlockFilters,
    help: 'Serve filters of -blockfilterindex to peers (BIP-0157; default: {default})',
  },
  v2Transport: {
    flag: 'v2transport',
    type: 'bool',
    default: ({ encryptPeers }: Compat) => encryptPeers,
    help: 'Encrypt connections to peers that can (BIP-0324; default: {default}, with -compat=0.21.1 {0.21.1})',
  },
  extraTxs: {
    flag: 'blockreconstructionextratxn',
    type: 'int',
    default: DEFAULT_NET.extraTxs,
    least: 0,
    help: 'Transactions outside the mempool kept for compact blocks (default: {default})',
  },
  blocksOnly: {
    flag: 'blocksonly',
    type: 'bool',
    default: DEFAULT_NET.blocksOnly,
    help: 'Take no transactions from peers (default: {default})',
  },
  feeFilter: {
    flag: 'feefilter',
    type: 'bool',
    default: DEFAULT_NET.feeFilter,
    help: 'Tell peers which fee rates are wanted (default: {default})',
  },
  orphanScore: {
    flag: 'maxorphantx',
    type: 'int',
    default: ({ orphanScore }: Compat) => orphanScore,
    least: 0,
    help: 'Transactions of peers, ten of their inputs counting as one more, kept while parents are missing (default: {default}, with -compat=0.21.1 {0.21.1})',
  },
  advertiseLoopback: { flag: 'addrmantest', type: 'bool', default: DEFAULT_NET.advertiseLoopback },
} as const;
