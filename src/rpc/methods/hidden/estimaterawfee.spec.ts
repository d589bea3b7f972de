import { amount, arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const RANGE: readonly ResultSpec[] = [
  num('startrange', 'Lower end of the fee rates'),
  num('endrange', 'Upper end'),
  num('withintarget', 'Transactions that confirmed within the target (decayed)'),
  num('totalconfirmed', 'Transactions that confirmed at all'),
  num('inmempool', 'Still in the pool, for at least the target'),
  num('leftmempool', 'Left the pool unconfirmed after the target'),
];

const horizon = (key: string, help: string): ResultSpec =>
  obj(key, help, { optional: true }, [
    amount('feerate?', 'Fee rate in BTC/kB'),
    num('decay', 'Factor for the past with each block'),
    num('scale', 'Blocks to a step of targets'),
    obj('pass?', 'Lowest run of fee rates that meets the threshold', RANGE),
    obj('fail?', 'Highest run that does not', RANGE),
    arr('errors?', '', [str('Why there is no answer')]),
  ]);

export const estimaterawfee: MethodSpec = {
  name: 'estimaterawfee',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description: 'The figures behind estimatesmartfee for each horizon. They may change from version to version.',
  args: [
    num('conf_target', 'Blocks (1 - 1008)'),
    num('threshold', 'Share of transactions that must have confirmed within the target', { default: '0.95' }),
  ],
  results: [
    obj('For each horizon that follows the target', [
      horizon('short', 'Up to 12 blocks'),
      horizon('medium', 'Up to 48 blocks'),
      horizon('long', 'Up to 1008 blocks'),
    ]),
  ],
  examples: [{ cli: '6 0.9' }],
};
