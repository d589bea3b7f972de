// Core 0.21: rpc/mining.cpp.

import type { FeeRange } from '../../../mempool/index.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { confirmTarget, feeEstimates } from '../../node/estimate-fee.js';
import { Amount, Double, type JsonResult } from '../../wire/values.js';
import type { estimaterawfee as spec } from './estimaterawfee.spec.js';

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
