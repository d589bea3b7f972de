import { declare } from '../../declare/parameters.js';
import { amount, arr, num, obj, str } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';

const RANGE: readonly ResultSpec[] = [
  num('startrange', 'Lower end of the fee rates'),
  num('endrange', 'Upper end of the fee rates'),
  num('withintarget', 'Transactions that confirmed within the target (decayed)'),
  num('totalconfirmed', 'Transactions that confirmed at any time (decayed)'),
  num('inmempool', 'Transactions that have been in the mempool for at least the target'),
  num('leftmempool', 'Transactions that left the mempool unconfirmed after the target'),
];

const horizon = (key: string, help: string): ResultSpec =>
  obj(key, help, { optional: true }, [
    amount('feerate?', 'Fee rate in BTC/kB'),
    num('decay', 'Factor by which older data decays with each block'),
    num('scale', 'Resolution of targets in blocks'),
    obj('pass?', 'Lowest range of fee rates that meets the threshold', RANGE),
    obj('fail?', 'Highest range of fee rates that does not meet the threshold', RANGE),
    arr('errors?', '', [str('Reasons why there is no estimate')]),
  ]);

export const estimaterawfee = declare({
  name: 'estimaterawfee',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description: 'Returns the figures that estimatesmartfee uses, for each horizon. They may change from version to version.',
  args: [
    num('conf_target', 'Blocks (1 - 1008)', { checked: true }),
    num('threshold', 'Share of transactions that must have confirmed within the target', { as: 'double', default: '0.95' }),
  ],
  results: [
    obj('One member for each horizon that covers the target', [
      horizon('short', 'Up to 12 blocks'),
      horizon('medium', 'Up to 48 blocks'),
      horizon('long', 'Up to 1008 blocks'),
    ]),
  ],
  examples: [{ cli: '6 0.9' }],
});
