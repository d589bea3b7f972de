import type { NodeRun } from '../../context/node.js';
import type { syncwithvalidationinterfacequeue as spec } from './syncwithvalidationinterfacequeue.spec.js';

export const syncwithvalidationinterfacequeue: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.waitForListeners();
  return null;
};
