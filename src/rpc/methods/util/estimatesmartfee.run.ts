// Runs estimatesmartfee. Core 0.21: rpc/mining.cpp.
import { asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { confirmTarget, feeEstimates } from '../../node/estimate-fee.js';
import { Amount } from '../../wire/values.js';

const MODES = ['UNSET', 'ECONOMICAL', 'CONSERVATIVE'];

export const estimatesmartfee: NodeRun = (ctx, args) => {
  const fees = feeEstimates(ctx);
  const target = confirmTarget(fees.highestTarget('long'), args[0]);
  const mode = (args[1] ?? null) === null ? 'CONSERVATIVE' : asString(args[1]).toUpperCase();
  if (!MODES.includes(mode)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"');
  }
  const { feeRate, blocks } = fees.smart(target, mode !== 'ECONOMICAL');
  if (feeRate === 0) return { errors: ['Insufficient data or no feerate found'], blocks };
  return { feerate: new Amount(feeRate), blocks };
};
