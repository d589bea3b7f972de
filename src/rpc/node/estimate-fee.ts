// Shared by estimaterawfee and estimatesmartfee. Core 0.21: rpc/mining.cpp.
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';

/** Returns the fee estimator. @throws RpcError if fee estimation is disabled */
export function feeEstimates({ mempool }: NodeContext): NodeContext['mempool']['fees'] {
  if (!mempool.fees.enabled) fail(RPC_CODE.INTERNAL_ERROR, 'Fee estimation disabled');
  return mempool.fees;
}

/** Checks a confirmation target (Core's ParseConfirmTarget). @param highest largest target that the estimator tracks */
export function confirmTarget(highest: number, target: number): number {
  if (target < 1 || target > highest) fail(RPC_CODE.INVALID_PARAMETER, `Invalid conf_target, must be between 1 and ${highest}`);
  return target;
}
