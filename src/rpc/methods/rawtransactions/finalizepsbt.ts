// Core 0.21: rpc/rawtransaction.cpp.

import { follows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/index.js';
import { finalizePsbt } from '../../../signing/index.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { DecodeRun } from '../../front/context.js';
import { bytesHex } from '../../render/hex.js';
import { asPsbt, psbtText } from '../../render/psbt-text.js';

export const spec = declare({
  name: 'finalizepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description:
    'Finalizes the inputs of a PSBT (BIP174, finalizer). If every input is complete, the call returns the\ntransaction for sendrawtransaction. Otherwise it returns the PSBT, in which the complete inputs are final.',
  args: [PSBT_ARG, bool('extract', 'Whether to return the transaction instead of the PSBT if it is complete', { default: 'true' })],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64. Absent if the transaction is returned'),
      hex('hex?', 'The transaction'),
      bool('complete', 'Whether all inputs are final'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});

export const finalizepsbt: DecodeRun<typeof spec> = (params, ctx) => {
  const psbt = asPsbt(params.psbt, ctx);
  const { extract } = params;
  const complete = finalizePsbt(psbt, ctx.crypto, follows(ctx.compat, 32));
  return complete && extract ? { hex: bytesHex(extractTx(psbt)), complete } : { psbt: psbtText(psbt, ctx.crypto, ctx.compat), complete };
};
