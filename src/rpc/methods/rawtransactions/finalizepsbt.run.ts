// Core 0.21: rpc/rawtransaction.cpp.

import { follows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/index.js';
import { finalizePsbt } from '../../../signing/index.js';
import type { DecodeRun } from '../../front/context.js';
import { hex } from '../../render/hex.js';
import { asPsbt, psbtText } from '../../render/psbt-text.js';
import type { finalizepsbt as spec } from './finalizepsbt.spec.js';

export const finalizepsbt: DecodeRun<typeof spec> = (params, ctx) => {
  const psbt = asPsbt(params.psbt, ctx);
  const { extract } = params;
  const complete = finalizePsbt(psbt, ctx.crypto, follows(ctx.compat, 32));
  return complete && extract ? { hex: hex(extractTx(psbt)), complete } : { psbt: psbtText(psbt, ctx.crypto, ctx.compat), complete };
};
