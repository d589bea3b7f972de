// Core 0.21: rpc/rawtransaction_util.cpp, with the same order of checks.
import type { FrontRun } from '../../front/context.js';
import { asReplaceable, constructTransaction } from '../../front/createrawtransaction.js';
import { hex } from '../../render/hex.js';
import type { createrawtransaction as spec } from './createrawtransaction.spec.js';

export const createrawtransaction: FrontRun<typeof spec> = (params, ctx) =>
  hex(constructTransaction(ctx, params, asReplaceable(params.replaceable, ctx.compat), params.version));
