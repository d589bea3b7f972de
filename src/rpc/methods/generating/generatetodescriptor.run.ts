import { asInt, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { descriptorScript } from '../../node/descriptor-script.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';
import type { generatetodescriptor as spec } from './generatetodescriptor.spec.js';

export const generatetodescriptor: NodeRun<typeof spec> = ({ args }, ctx, call) => {
  const count = asInt(args[0]);
  const budget = budgetOf(args[2]);
  const found = descriptorScript(ctx, asString(args[1]), call);
  if ('error' in found) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, found.error);
  return mineBlocks(ctx, found.script, count, budget);
};
