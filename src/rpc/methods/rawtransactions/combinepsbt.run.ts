// Core 0.21: rpc/rawtransaction.cpp.
import { combinePsbts } from '../../../psbt/index.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { DecodeRun } from '../../front/context.js';
import { asPsbts } from '../../front/psbts.js';
import { psbtText } from '../../render/psbt-text.js';
import type { combinepsbt as spec } from './combinepsbt.spec.js';

export const combinepsbt: DecodeRun<typeof spec> = ({ txs: list }, ctx) => {
  if (list.length === 0) fail(RPC_CODE.INVALID_PARAMETER, "Parameter 'txs' cannot be empty");
  const combined = combinePsbts(asPsbts(ctx, list), ctx.crypto);
  return combined
    ? psbtText(combined, ctx.crypto, ctx.compat)
    : fail(RPC_CODE.INVALID_PARAMETER, 'PSBTs not compatible (different transactions)');
};
