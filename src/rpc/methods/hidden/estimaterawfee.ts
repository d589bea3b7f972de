// Core 0.21: rpc/mining.cpp.

import type { FeeRange } from '../../../mempool/index.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, num, obj, str } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { fail, RPC_CODE } from '../../errors.js';
import { confirmTarget, feeEstimates } from '../../node/estimate-fee.js';
import { Amount, Double, type JsonResult } from '../../wire/values.js';

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

export const spec = declare({
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

const HORIZONS = ['short', 'medium', 'long'] as const;

/** Rounds to two decimals, halves away from zero. */
const cents = (value: number): Double => new Double(Math.round(value * 100) / 100);

const rangeObject = (range: FeeRange): Record<string, JsonResult> => ({
  startrange: new Double(Math.round(range.start)),
  endrange: new Double(Math.round(range.end)),
  withintarget: cents(range.withinTarget),
  totalconfirmed: cents(range.totalConfirmed),
  inmempool: cents(range.inMempool),
  leftmempool: cents(range.leftMempool),
});

export const estimaterawfee: NodeRun<typeof spec> = (params, ctx) => {
  const { conf_target } = params;
  const fees = feeEstimates(ctx);
  const target = confirmTarget(fees.highestTarget('long'), conf_target);
  const { threshold: share } = params;
  if (share < 0 || share > 1) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid threshold');
  const result: Record<string, JsonResult> = {};
  for (const horizon of HORIZONS) {
    if (target > fees.highestTarget(horizon)) continue;
    const { feeRate, decay, scale, pass, fail: failed } = fees.raw(target, share, horizon);
    const shape = { decay: new Double(decay), scale };
    if (feeRate === 0) {
      const errors = ['Insufficient data or no feerate found which meets threshold'];
      result[horizon] = { ...shape, fail: rangeObject(failed), errors };
      continue;
    }
    result[horizon] = {
      feerate: new Amount(feeRate),
      ...shape,
      pass: rangeObject(pass),
      // The range is absent if even the lowest feerate passed.
      ...(failed.start === -1 ? {} : { fail: rangeObject(failed) }),
    };
  }
  return result;
};
