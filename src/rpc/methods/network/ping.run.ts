// Runs ping.
import type { NodeRun } from '../../node/context.js';

export const ping: NodeRun = (ctx) => {
  ctx.network.control.pingAll();
  return null;
};
