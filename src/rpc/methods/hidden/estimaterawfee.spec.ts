// Declares estimaterawfee.
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const RANGE: readonly ResultSpec[] = [
  { type: 'num', key: 'startrange', help: 'Lower end of the fee rates' },
  { type: 'num', key: 'endrange', help: 'Upper end' },
  { type: 'num', key: 'withintarget', help: 'Transactions that confirmed within the target (decayed)' },
  { type: 'num', key: 'totalconfirmed', help: 'Transactions that confirmed at all' },
  { type: 'num', key: 'inmempool', help: 'Still in the pool, for at least the target' },
  { type: 'num', key: 'leftmempool', help: 'Left the pool unconfirmed after the target' },
];

const horizon = (key: string, help: string): ResultSpec => ({
  type: 'obj',
  key,
  optional: true,
  help,
  inner: [
    { type: 'amount', key: 'feerate', optional: true, help: 'Fee rate in BTC/kB' },
    { type: 'num', key: 'decay', help: 'Factor for the past with each block' },
    { type: 'num', key: 'scale', help: 'Blocks to a step of targets' },
    { type: 'obj', key: 'pass', optional: true, help: 'Lowest run of fee rates that meets the threshold', inner: RANGE },
    { type: 'obj', key: 'fail', optional: true, help: 'Highest run that does not', inner: RANGE },
    { type: 'arr', key: 'errors', optional: true, help: '', inner: [{ type: 'str', help: 'Why there is no answer' }] },
  ],
});

export const estimaterawfee: MethodSpec = {
  name: 'estimaterawfee',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'The figures behind estimatesmartfee for each horizon. They may change from version to version.',
  args: [
    { name: 'conf_target', type: 'num', help: 'Blocks (1 - 1008)' },
    { name: 'threshold', type: 'num', default: '0.95', help: 'Share of transactions that must have confirmed within the target' },
  ],
  results: [
    {
      type: 'obj',
      help: 'For each horizon that follows the target',
      inner: [horizon('short', 'Up to 12 blocks'), horizon('medium', 'Up to 48 blocks'), horizon('long', 'Up to 1008 blocks')],
    },
  ],
  examples: [{ cli: '6 0.9' }],
};
