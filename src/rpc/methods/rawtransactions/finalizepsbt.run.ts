// Core 0.21: rpc/rawtransaction.cpp.

import { Slicer } from '../../../lib/slicer.js';
import { follows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/index.js';
import { finalizePsbt } from '../../../signing/index.js';
import type { NodeRun } from '../../context/node.js';
import { hex } from '../../render/hex.js';
import { asPsbt, psbtText } from '../../render/psbt-text.js';
import type { finalizepsbt as spec } from './finalizepsbt.spec.js';

export const finalizepsbt: NodeRun<typeof spec> = async (params, ctx, call) => {
  const pauses = new Slicer(call.yieldToUrgent);
  const psbt = await asPsbt(params.psbt, ctx, pauses);
  const { extract } = params;
  const complete = await finalizePsbt(psbt, ctx.crypto, follows(ctx.compat, 32), pauses);
  return complete && extract ? { hex: hex(extractTx(psbt)), complete } : { psbt: psbtText(psbt, ctx.crypto, ctx.compat), complete };
};
