// Runs a method without a dispatcher, with positional arguments.

import { METHODS } from '../../src/rpc/declare/methods.js';
import { parametersOf } from '../../src/rpc/declare/parameters.js';
import type { CallInfo, Run } from '../../src/rpc/dispatch.js';
import { WALLET_RUNS } from '../../src/rpc/wallet/runs.js';
import type { JsonResult, JsonValue } from '../../src/rpc/wire/values.js';

const CALL: CallInfo = { user: '', path: '/' };

/**
 * Runs a method.
 * @param method its run function, or a method of wallets by name or from WALLET_RUNS, which then takes its lock
 */
export function runMethod<Context>(
  method: string | Run<Context, never>,
  ctx: Context,
  args: readonly JsonValue[],
  call: CallInfo = CALL,
): JsonResult | Promise<JsonResult> {
  const isName = typeof method === 'string';
  const run = (isName ? WALLET_RUNS[method] : method) as Run<Context, never>;
  // Run functions of WALLET_RUNS have no name of their own.
  const name = isName ? method : method.name || Object.entries(WALLET_RUNS).find(([, other]) => other === method)![0];
  return run(parametersOf(METHODS.get(name)!, args, call) as never, ctx, call);
}
