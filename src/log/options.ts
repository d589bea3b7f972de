// Options of the log.

/** Options of the log, named as in LogOptions. `ips`: whether lines about peers show their addresses. */
export const LOG_ROWS = {
  file: ['debuglogfile', 'filled', 'The log file, relative to the network folder (default: {default}; -nodebuglogfile: none)', 'debug.log'],
  categories: ['debug', 'list', 'Log debug messages of this category (1 or all: every category)'],
  excluded: ['debugexclude', 'list', 'Exclude a category from -debug'],
  levels: [
    'loglevel',
    'list',
    'Minimum level of debug lines, for all categories or for one (category:level): trace, debug or info (default: debug). With info there are no debug lines',
  ],
  ips: ['logips', 'bool', 'Write addresses of peers to the log', false],
  console: ['printtoconsole', 'bool', 'Write the log to the console too (default: 1 without -daemon)'],
  timestamps: ['logtimestamps', 'bool', 'Start each line of the log with the time', true],
  micros: ['logtimemicros', 'bool', 'Use microseconds in the times of the log', false],
  threadNames: ['logthreadnames', 'bool', 'Show the thread in each line of the log', false],
  levelAlways: ['loglevelalways', 'bool', 'Show category and level in each line of the log', false],
  shrink: ['shrinkdebugfile', 'bool', 'Shorten debug.log to its newest 10 MB at the start (default: 1 without -debug)'],
} as const;
