import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { descriptorScript } from '../../node/descriptor-script.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';
import type { generatetodescriptor as spec } from './generatetodescriptor.spec.js';

export const generatetodescriptor: NodeRun<typeof spec> = (params, ctx, call) => {
  const { num_blocks: count } = params;
  const budget = budgetOf(params.maxtries);
  const found = descriptorScript(ctx, params.descriptor, call);
  if ('error' in found) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, found.error);
  return mineBlocks(ctx, found.script, count, budget);
};
