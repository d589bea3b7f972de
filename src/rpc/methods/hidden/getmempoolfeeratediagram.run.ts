import type { NodeRun } from '../../context/node.js';
import type { getmempoolfeeratediagram as spec } from './getmempoolfeeratediagram.spec.js';

export const getmempoolfeeratediagram: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.mempool.settled();
  return ctx.mempoolTexts.whole('diagram');
};
