// Core 0.21: rpc/rawtransaction.cpp.
import { parseTx } from '../../../consensus/tx/tx-view.js';
import { createPsbt } from '../../../psbt/index.js';
import type { FrontRun } from '../../front/context.js';
import { asReplaceable, constructTransaction } from '../../front/createrawtransaction.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import type { createpsbt as spec } from './createpsbt.spec.js';

export const createpsbt: FrontRun<typeof spec> = (params, ctx) => {
  const bytes = constructTransaction(ctx, params, asReplaceable(params.replaceable, ctx.compat), params.version);
  const version = asPsbtVersion(params.psbt_version, ctx.compat);
  return psbtText(createPsbt(parseTx(bytes, ctx.hashes, { allowWitness: false }), ctx.hashes, version), ctx.hashes, ctx.compat);
};
