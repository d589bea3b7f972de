import type { NodeRun } from '../../context/node.js';

export const getconnectioncount: NodeRun = (ctx) => {
  const { in: inbound, out } = ctx.network.connections();
  return inbound + out;
};
