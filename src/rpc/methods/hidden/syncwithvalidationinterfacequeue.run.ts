// Runs syncwithvalidationinterfacequeue.
import type { NodeRun } from '../../node/context.js';

export const syncwithvalidationinterfacequeue: NodeRun = async (ctx) => {
  await ctx.settle();
  return null;
};
