// Options of work, payouts and share difficulty. The options of sockets are in serve/.

export const STRATUM_WORK_ROWS = {
  payoutAddress: ['stratumaddress', 'filled', 'Address that is paid for every block; without it the address in each user name is'],
  fee: ['stratumfee', 'filled', 'ADDRESS:PERCENT: part of each block that goes to an address of yours, for example bc1q...:1.5'],
  tag: ['stratumtag', 'string', 'Text in the coinbase, at most 40 characters of ASCII', 'adit'],
  startDifficulty: ['stratumdiff', 'int', 'Difficulty of a new miner', 1024, { least: 1 }],
  leastDifficulty: [
    'stratummindiff',
    'int',
    'Lowest difficulty of a miner that asks for none lower and is not known as a small device',
    1,
    { least: 1 },
  ],
  mostDifficulty: ['stratummaxdiff', 'int', 'Highest difficulty', 1_099_511_627_776, { least: 1 }],
  sharesPerMinute: ['stratumshares', 'int', 'Shares per minute and miner that the difficulty aims at', 8, { least: 1, most: 120 }],
  versionMask: ['stratumversionmask', 'string', 'Bits of the version that miners may change', '1fffe000'],
} as const;
