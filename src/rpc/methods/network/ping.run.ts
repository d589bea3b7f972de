import type { NodeRun } from '../../context/node.js';
import type { ping as spec } from './ping.spec.js';

export const ping: NodeRun<typeof spec> = (_, ctx) => {
  ctx.network.control.pingAll();
  return null;
};
