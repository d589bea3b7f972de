// Runs getconnectioncount.
import type { NodeRun } from '../../node/context.js';

export const getconnectioncount: NodeRun = (ctx) => {
  const { in: inbound, out } = ctx.network.connections();
  return inbound + out;
};
