// Options of the sockets of Stratum V1 miners. ../options.ts has the options of work, payouts and difficulty.

export const STRATUM_LISTEN_ROWS = {
  enabled: ['stratum', 'bool', 'Serve Stratum V1 miners: point a Bitaxe, an ASIC or a proxy at this node', false],
  binds: ['stratumbind', 'list', 'Address to listen on for miners, host[:port] (default: 127.0.0.1)'],
  port: ['stratumport', 'port', 'Port for miners', 3333],
  tlsCert: ['stratumtlscert', 'filled', 'Certificate for miners that use TLS, a PEM file relative to the data folder; with -stratumtlskey'],
  tlsKey: ['stratumtlskey', 'filled', "The certificate's key, a PEM file relative to the data folder"],
  tlsPort: ['stratumtlsport', 'port', 'Port for miners that use TLS, at the addresses of -stratumbind', 4333],
  most: ['stratumconnections', 'int', 'Maximum number of connections of miners', 10_000, { least: 1 }],
  blocksFolder: [
    'stratumblocks',
    'filled',
    'Folder for found blocks until they are in the chain, relative to the network folder (adit-front: to the current one)',
    'stratum-solutions',
  ],
  mostWorkers: [
    'stratumworkers',
    'int',
    'Maximum number of workers with statistics. Above it the worker with the oldest share is forgotten first',
    20_000,
    { least: 1, most: 1_000_000 },
  ],
  workersFolder: [
    'stratumdb',
    'filled',
    'Folder of the database with the statistics of workers, relative to the network folder (adit-front: to the current one)',
    'stratum-workers',
  ],
  front: [
    'stratumfront',
    'int',
    'Number of this process, 0 to 255. Each process that serves miners of one fleet needs a different number, so that no two give out the same extranonces',
    undefined,
    { least: 0, most: 255 },
  ],
  perAddress: [
    'stratumperaddress',
    'int',
    'Maximum number of connections of miners from one address of another machine',
    256,
    { least: 1 },
  ],
  sharesPerSecond: [
    'stratumsharerate',
    'int',
    'Shares per second that adit reads from one connection; further shares wait',
    50,
    { least: 1 },
  ],
} as const;
