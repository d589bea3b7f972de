// Core 0.21: rpc/rawtransaction.cpp.

import { Slicer } from '../../../lib/slicer.js';
import type { NodeRun } from '../../context/node.js';
import { renderContext } from '../../node/lookup.js';
import { psbtMembers } from '../../render/psbt.js';
import { asPsbt } from '../../render/psbt-text.js';
import type { decodepsbt as spec } from './decodepsbt.spec.js';

export const decodepsbt: NodeRun<typeof spec> = async (params, ctx, call) => {
  const pauses = new Slicer(call.yieldToUrgent);
  const psbt = await asPsbt(params.psbt, ctx, pauses);
  return psbtMembers(psbt, renderContext(ctx), pauses);
};
