// Options of the start itself, which are read before those of the modules, and options of a fleet.

/** Options that are read first: the network, its rules, and the folders. */
export const OWN_ROWS = {
  questionMark: ['?', 'bool', 'Print this help and exit'],
  help: ['help', 'bool'],
  h: ['h', 'bool'],
  helpDebug: ['help-debug', 'bool'],
  version: ['version', 'bool', 'Print the version and exit'],
  dataDir: ['datadir', 'string', 'The data folder (default: ~/.adit). If you name one, it must exist'],
  conf: ['conf', 'filled', 'The configuration file, relative to the data folder (default: {default}; -noconf: none)', 'bitcoin.conf'],
  allowIgnoredConf: [
    'allowignoredconf',
    'bool',
    'If another configuration file is used, ignore bitcoin.conf in the data folder with a warning instead of an error (not needed with -compat=0.21.1)',
    false,
  ],
  blocksDir: ['blocksdir', 'string', 'The folder of the block files (default: the data folder)'],
  pidFile: [
    'pid',
    'filled',
    'Write the process id to this file, relative to the network folder (default: {default}; -nopid: none)',
    'bitcoind.pid',
  ],
  persistMempool: ['persistmempool', 'bool', 'Save the mempool to mempool.dat when the node stops, and load it at the next start', true],
  acceptStaleFees: [
    'acceptstalefeeestimates',
    'bool',
    'Read fee estimates that are more than 60 hours old, regtest only (default: {default})',
    false,
  ],
  rehearse: [
    'rehearse',
    'bool',
    'Warm up: after the first request for a template, or with -sv2, -stratum or -fleet after the start, process made-up blocks on a throwaway chain, so that the first real block is as fast as later ones (default: {default})',
    true,
  ],
  settings: [
    'settings',
    'filled',
    'File in which the node keeps settings that were changed over RPC, relative to the network folder (default: {default}; -nosettings: none)',
    'settings.json',
  ],
  includes: ['includeconf', 'list', 'An additional configuration file. Only allowed inside a configuration file'],
  compat: [
    'compat',
    'string',
    'The version of Bitcoin Core to follow. 0.21.1 or 31: exactly this version. default: Core 31, and also the calls, arguments and members that only 0.21.1 has (default: {default}; see docs/compatibility.md)',
    'default',
  ],
  chain: ['chain', 'string', 'main, test, testnet4, signet or regtest', 'main'],
  regtest: ['regtest', 'bool', 'Same as -chain=regtest: a private chain on which you make the blocks yourself'],
  signet: ['signet', 'bool', 'Same as -chain=signet'],
  testnet: ['testnet', 'bool', 'Same as -chain=test (testnet3)'],
  testnet4: ['testnet4', 'bool', 'Same as -chain=testnet4'],
  signetChallengeHex: ['signetchallenge', 'string', 'The block script of a custom signet, in hex'],
  signetSeedNodes: [
    'signetseednode',
    'list',
    'DNS name to look up for addresses of signet nodes, instead of the default ones. Can be given several times',
  ],
  segwitHeight: ['segwitheight', 'int', 'Activation height of segwit (-1: never). Regtest only'],
  activationHeights: [
    'testactivationheight',
    'list',
    'Activation height of a rule, as name@height. The names are segwit, bip34, dersig, cltv and csv. Regtest only',
  ],
  vbparams: [
    'vbparams',
    'list',
    'Start, end and minimum activation height of a deployment, as deployment:start:end[:min_activation_height]. Regtest only',
  ],
  testOptions: ['test', 'list', 'bip94: enforce the retarget rules of BIP-0094. Regtest only. Other values of Core have no effect'],
  deprecatedRpc: [
    'deprecatedrpc',
    'list',
    'Restore old behaviour of calls. bumpfee: return a PSBT for wallets without private keys. warnings: return warnings as one text. removeprunedfunds: enable the call. banscore, getpeerinfo_addnode, whitelisted: return these members of getpeerinfo. bip125, fullrbf: return these members of mempool calls',
  ],
  daemon: ['daemon', 'bool', 'Run in the background, detached from the terminal', false],
  daemonWait: [
    'daemonwait',
    'bool',
    'Run in the background. The command returns when the node is up, or with status 1 if the start failed',
    false,
  ],
  announce: ['announce', 'bool', 'Print on the console where the node listens and what to try next', false],
  mockTime: ['mocktime', 'int', 'Start with this time instead of the real time. Test chains only'],
} as const;

/** Values of -deprecatedrpc that have an effect. */
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

/**
 * Options that nodes and fronts of a fleet share. They are declared here so that a node without a fleet loads nothing
 * of the fleet module.
 */
export const BROKER_ROWS = {
  servers: [
    'fleet',
    'list',
    'NATS servers of the fleet, through which nodes and fronts (adit-front) communicate: nats://[user:password@]host[:port],... or tls://',
  ],
  creds: ['fleetcreds', 'filled', 'NATS credentials file, relative to the data folder'],
  ca: ['fleettlsca', 'filled', 'Certificate authority of the NATS servers, a PEM file relative to the data folder'],
  cert: ['fleettlscert', 'filled', 'Certificate for the NATS servers, a PEM file relative to the data folder. Requires -fleettlskey'],
  key: ['fleettlskey', 'filled', 'Private key of the certificate, a PEM file relative to the data folder'],
} as const;

/** Options of nodes in a fleet. */
export const FLEET_ROWS = {
  name: ['fleetname', 'string', 'Name of this node in the fleet: letters, digits, - and _', 'node'],
  key: [
    'fleetkey',
    'filled',
    'File of the key with which the node signs its publications, relative to the network folder. It is created if it does not exist',
    'fleet_key',
  ],
  accounts: [
    'fleetaccount',
    'list',
    'Allow calls of the fronts of this account: account[:method,method...]. Without methods, all calls are allowed. Can be given several times',
  ],
  replicas: [
    'fleetreplicas',
    'whole',
    'Number of servers of the NATS cluster that store templates and found blocks',
    1,
    { least: 1, most: 5 },
  ],
  shares: ['fleetshares', 'bool', 'Publish each share of the miners of -stratum on the broker, for accounting programs', false],
} as const;
