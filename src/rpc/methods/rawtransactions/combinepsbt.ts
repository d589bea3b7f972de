// Core 0.21: rpc/rawtransaction.cpp.

import { combinePsbts } from '../../../psbt/index.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBTS_ARG } from '../../declare/psbt-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { DecodeRun } from '../../front/context.js';
import { asPsbts } from '../../front/psbts.js';
import { psbtText } from '../../render/psbt-text.js';

export const spec = declare({
  name: 'combinepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Combines several PSBTs of one transaction (BIP174, combiner).',
  args: [PSBTS_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"[\\"mybase64_1\\", \\"mybase64_2\\"]"' }],
});

export const combinepsbt: DecodeRun<typeof spec> = ({ txs: list }, ctx) => {
  if (list.length === 0) fail(RPC_CODE.INVALID_PARAMETER, "Parameter 'txs' cannot be empty");
  const combined = combinePsbts(asPsbts(ctx, list), ctx.crypto);
  return combined
    ? psbtText(combined, ctx.crypto, ctx.compat)
    : fail(RPC_CODE.INVALID_PARAMETER, 'PSBTs not compatible (different transactions)');
};
