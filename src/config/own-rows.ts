// Options that are read before the rooms are, those of the start itself, and the fleet's.

/** What the operator gives; the network, its rules and the folders are read before all else. */
export const OWN_ROWS = {
  questionMark: ['?', 'bool', 'Print this help and exit'],
  help: ['help', 'bool'],
  h: ['h', 'bool'],
  helpDebug: ['help-debug', 'bool'],
  version: ['version', 'bool', 'Print the version and exit'],
  dataDir: ['datadir', 'string', 'The data folder (default: ~/.adit); one that is named must exist'],
  conf: ['conf', 'string', 'The configuration file, relative to the data folder (default: {default}; -noconf: none)', 'bitcoin.conf'],
  allowIgnoredConf: [
    'allowignoredconf',
    'bool',
    'If another configuration file is used, ignore bitcoin.conf in the data folder with a warning instead of an error (not needed with -compat=0.21.1)',
    false,
  ],
  blocksDir: ['blocksdir', 'string', 'Where block files live (default: the data folder)'],
  pidFile: ['pid', 'string', 'Write the process id to this file', 'bitcoind.pid'],
  persistMempool: ['persistmempool', 'bool', 'Write the mempool to mempool.dat at the end and load it at the next start', true],
  acceptStaleFees: [
    'acceptstalefeeestimates',
    'bool',
    'Read fee estimates that are more than 60 hours old, regtest only (default: {default})',
    false,
  ],
  rehearse: [
    'rehearse',
    'bool',
    'Once there are miners, run made-up blocks through a throwaway chain, so that the first real block is as fast as later ones (default: {default})',
    true,
  ],
  settings: [
    'settings',
    'string',
    'File of options that calls change, relative to the network folder (default: {default}; -nosettings: none)',
    'settings.json',
  ],
  includes: ['includeconf', 'list', 'A further configuration file; only inside a configuration file'],
  compat: [
    'compat',
    'string',
    '0.21.1 or 31: the version of Bitcoin Core to follow exactly; default: Core 31, and calls, arguments and members that only 0.21.1 has (default: {default}; see docs/compatibility.md)',
    'default',
  ],
  chain: ['chain', 'string', 'main, test, testnet4, signet or regtest', 'main'],
  regtest: ['regtest', 'bool', 'Same as -chain=regtest: a private chain where blocks are made on demand'],
  signet: ['signet', 'bool', 'Same as -chain=signet'],
  testnet: ['testnet', 'bool', 'Same as -chain=test (testnet3)'],
  testnet4: ['testnet4', 'bool', 'Same as -chain=testnet4'],
  signetChallengeHex: ['signetchallenge', 'string', 'The block script of a custom signet, in hex'],
  signetSeedNodes: ['signetseednode', 'list', 'Names that are looked up for addresses of signet nodes, instead of the usual ones'],
  segwitHeight: ['segwitheight', 'int', 'Activation height of segwit, regtest only (-1: never)'],
  activationHeights: [
    'testactivationheight',
    'list',
    'name@height: height from which segwit, bip34, dersig, cltv or csv holds, regtest only',
  ],
  vbparams: ['vbparams', 'list', 'deployment:start:end[:min_activation_height], regtest only'],
  testOptions: ['test', 'list', "bip94: enforce the retarget rules of BIP-0094, regtest only (Core's other values have no effect)"],
  deprecatedRpc: [
    'deprecatedrpc',
    'list',
    'Enable old behaviour. bumpfee: return a PSBT for wallets without private keys. warnings: one text. removeprunedfunds: the call. banscore, getpeerinfo_addnode, whitelisted: members of getpeerinfo. bip125, fullrbf: members of mempool calls',
  ],
  daemon: ['daemon', 'bool', 'Run in the background, detached from the terminal', false],
  daemonWait: ['daemonwait', 'bool', 'Run in the background, and return when the node is up, or with status 1 if the start failed', false],
  announce: ['announce', 'bool', 'Say on the console what the node listens on and what to try next', false],
  mockTime: ['mocktime', 'int', 'Start with this time instead of the real one, test chains only'],
} as const;

/** Values of -deprecatedrpc that change something. */
export const DEPRECATED_RPC = [
  'banscore',
  'bip125',
  'bumpfee',
  'fullrbf',
  'getpeerinfo_addnode',
  'removeprunedfunds',
  'warnings',
  'whitelisted',
];

/** What nodes and fronts of a fleet have in common; here because a node without one loads nothing of its room. */
export const BROKER_ROWS = {
  servers: [
    'fleet',
    'list',
    'Publish to and answer fronts on other machines (adit-front) over these NATS servers: nats://[user:password@]host[:port],... or tls://',
  ],
  creds: ['fleetcreds', 'filled', 'NATS credentials file, relative to the data folder'],
  ca: ['fleettlsca', 'filled', 'Certificate authority of the NATS servers, a PEM file relative to the data folder'],
  cert: ['fleettlscert', 'filled', 'Certificate to show to the NATS servers, a PEM file relative to the data folder; with -fleettlskey'],
  key: ['fleettlskey', 'filled', "The certificate's key, a PEM file relative to the data folder"],
} as const;

/** What the nodes of a fleet have besides. */
export const FLEET_ROWS = {
  name: ['fleetname', 'string', 'Name of this node in the fleet: letters, digits, - and _', 'node'],
  key: [
    'fleetkey',
    'filled',
    'File of the key that signs what is published, relative to the network folder; made when it is not there',
    'fleet_key',
  ],
  accounts: ['fleetaccount', 'list', 'account[:method,method...]: fronts of this account may call, all methods or these alone; repeatable'],
  replicas: ['fleetreplicas', 'whole', 'Servers of a NATS cluster that keep templates and found blocks', 1, { least: 1, most: 5 }],
} as const;
