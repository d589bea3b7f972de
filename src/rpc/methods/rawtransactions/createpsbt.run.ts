// Core 0.21: rpc/rawtransaction.cpp.
import { parseTx } from '../../../consensus/tx/tx-view.js';
import { createPsbt } from '../../../psbt/create-psbt.js';
import type { Run } from '../../dispatch.js';
import type { FrontContext } from '../../front/context.js';
import { asReplaceable, asTxVersion, constructTransaction } from '../../front/createrawtransaction.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';

export const createpsbt: Run<FrontContext> = (ctx, args) => {
  const bytes = constructTransaction(ctx, args, asReplaceable(args[3], ctx.compat), asTxVersion(args[4]));
  const version = asPsbtVersion(args[5], ctx.compat);
  return psbtText(createPsbt(parseTx(bytes, ctx.hashes, { allowWitness: false }), ctx.hashes, version), ctx.hashes, ctx.compat);
};
