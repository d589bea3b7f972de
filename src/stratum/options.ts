// Options of work, payouts and share difficulty. The options of sockets are in serve/.

export const STRATUM_WORK_ROWS = {
  payoutAddress: [
    'stratumaddress',
    'filled',
    'Address that every block pays, whatever the user names are (default: the address in the user name)',
  ],
  fee: ['stratumfee', 'filled', 'ADDRESS:PERCENT: part of each block that goes to an address of yours, for example bc1q...:1.5'],
  tag: ['stratumtag', 'string', 'Text in the coinbase, at most 40 characters of ASCII', 'adit'],
  startDifficulty: ['stratumdiff', 'int', 'Difficulty of a new miner', 1024, { least: 1 }],
  leastDifficulty: [
    'stratummindiff',
    'int',
    'Lowest difficulty, unless the miner asks for a lower one or its user agent names a small device',
    1,
    { least: 1 },
  ],
  mostDifficulty: ['stratummaxdiff', 'int', 'Highest difficulty', 1_099_511_627_776, { least: 1 }],
  sharesPerMinute: [
    'stratumshares',
    'int',
    'Set the difficulty of each miner so that it finds about this many shares per minute',
    8,
    { least: 1, most: 120 },
  ],
  versionMask: ['stratumversionmask', 'string', 'Bits of the version that miners may change', '1fffe000'],
} as const;
