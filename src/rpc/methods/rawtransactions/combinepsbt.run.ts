// Core 0.21: rpc/rawtransaction.cpp.
import { combinePsbts } from '../../../psbt/index.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { asPsbts } from '../../node/psbt.js';
import { psbtText } from '../../render/psbt-text.js';
import type { combinepsbt as spec } from './combinepsbt.spec.js';

export const combinepsbt: NodeRun<typeof spec> = async ({ txs: list }, ctx, call) => {
  if (list.length === 0) fail(RPC_CODE.INVALID_PARAMETER, "Parameter 'txs' cannot be empty");
  const combined = combinePsbts(await asPsbts(ctx, list, call), ctx.crypto);
  return combined
    ? psbtText(combined, ctx.crypto, ctx.compat)
    : fail(RPC_CODE.INVALID_PARAMETER, 'PSBTs not compatible (different transactions)');
};
