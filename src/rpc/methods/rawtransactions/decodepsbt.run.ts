// Core 0.21: rpc/rawtransaction.cpp.
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { renderContext } from '../../node/lookup.js';
import { Slicer } from '../../node/slices.js';
import { psbtMembers } from '../../render/psbt.js';
import { asPsbt } from '../../render/psbt-text.js';

export const decodepsbt: Run<NodeContext> = async (ctx, args, call) => {
  const pauses = new Slicer(call.yieldToUrgent);
  const psbt = await asPsbt(args[0], ctx, pauses);
  return psbtMembers(psbt, renderContext(ctx), pauses);
};
