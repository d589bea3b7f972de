// Core 0.21: rpc/rawtransaction_util.cpp, with the same order of checks.
import type { Run } from '../../dispatch.js';
import type { FrontContext } from '../../front/context.js';
import { asReplaceable, asTxVersion, constructTransaction } from '../../front/createrawtransaction.js';
import { hex } from '../../render/hex.js';

export const createrawtransaction: Run<FrontContext> = (ctx, args) => {
  return hex(constructTransaction(ctx, args, asReplaceable(args[3], ctx.compat), asTxVersion(args[4])));
};
