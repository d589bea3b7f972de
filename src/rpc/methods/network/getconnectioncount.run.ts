import type { NodeRun } from '../../context/node.js';
import type { getconnectioncount as spec } from './getconnectioncount.spec.js';

export const getconnectioncount: NodeRun<typeof spec> = (_, ctx) => {
  const { in: inbound, out } = ctx.network.connections();
  return inbound + out;
};
