// estimatesmartfee and estimaterawfee. Core 0.21: rpc/mining.cpp.
import { asDouble, asInt, asString, checkType, checkTypes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { Amount, Double, type JsonResult, type JsonValue } from '../wire/values.js';
import type { FeeRangeInfo, NodeContext } from './context.js';

type NodeRun = Run<NodeContext>;

const HORIZONS = ['short', 'medium', 'long'] as const;
const MODES = ['UNSET', 'ECONOMICAL', 'CONSERVATIVE'];
const DEFAULT_SHARE = 0.95;

/** A number of blocks within what is followed (ParseConfirmTarget). */
export function confirmTarget(ctx: NodeContext, value: JsonValue | undefined): number {
  const highest = ctx.mempool.fees.highestTarget('long');
  const target = asInt(value);
  if (target < 1 || target > highest) fail(RPC_CODE.INVALID_PARAMETER, `Invalid conf_target, must be between 1 and ${highest}`);
  return target;
}

export const estimatesmartfee: NodeRun = (ctx, args) => {
  checkTypes(args, ['number', 'string']);
  checkType(args[0], 'number');
  const target = confirmTarget(ctx, args[0]);
  const mode = (args[1] ?? null) === null ? 'CONSERVATIVE' : asString(args[1]).toUpperCase();
  if (!MODES.includes(mode)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"');
  }
  const { feeRate, blocks } = ctx.mempool.fees.smart(target, mode !== 'ECONOMICAL');
  if (feeRate === 0) return { errors: ['Insufficient data or no feerate found'], blocks };
  return { feerate: new Amount(feeRate), blocks };
};

/** Two decimals, halves away from zero. */
const cents = (value: number): Double => new Double(Math.round(value * 100) / 100);

const rangeObject = (range: FeeRangeInfo): Record<string, JsonResult> => ({
  startrange: new Double(Math.round(range.start)),
  endrange: new Double(Math.round(range.end)),
  withintarget: cents(range.withinTarget),
  totalconfirmed: cents(range.totalConfirmed),
  inmempool: cents(range.inMempool),
  leftmempool: cents(range.leftMempool),
});

export const estimaterawfee: NodeRun = (ctx, args) => {
  checkTypes(args, ['number', 'number'], true);
  checkType(args[0], 'number');
  const target = confirmTarget(ctx, args[0]);
  const share = (args[1] ?? null) === null ? DEFAULT_SHARE : asDouble(args[1]);
  if (share < 0 || share > 1) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid threshold');
  const { fees } = ctx.mempool;
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
      // Everything down to the lowest rate may have passed.
      ...(failed.start === -1 ? {} : { fail: rangeObject(failed) }),
    };
  }
  return result;
};
