import type { NodeRun } from '../../context/node.js';

export const syncwithvalidationinterfacequeue: NodeRun = async (ctx) => {
  await ctx.waitForListeners();
  return null;
};
