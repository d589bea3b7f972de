// Core 0.21: rpc/rawtransaction.cpp.

import { parseTx } from '../../../consensus/tx/tx-view.js';
import { createPsbt } from '../../../psbt/index.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { FrontRun } from '../../front/context.js';
import { asReplaceable, constructTransaction } from '../../front/createrawtransaction.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import { spec as createrawtransaction } from './createrawtransaction.js';

export const spec = declare({
  name: 'createpsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Creates a PSBT (BIP174) from inputs and outputs. The PSBT has no further data about them yet.',
  args: [...createrawtransaction.args, PSBT_VERSION_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: `"[{\\"txid\\":\\"myid\\",\\"vout\\":0}]" "[{\\"data\\":\\"00010203\\"}]"` }],
});

export const createpsbt: FrontRun<typeof spec> = (params, ctx) => {
  const bytes = constructTransaction(ctx, params, asReplaceable(params.replaceable, ctx.compat), params.version);
  const version = asPsbtVersion(params.psbt_version, ctx.compat);
  return psbtText(createPsbt(parseTx(bytes, ctx.hashes, { allowWitness: false }), ctx.hashes, version), ctx.hashes, ctx.compat);
};
