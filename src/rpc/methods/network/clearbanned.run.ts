import type { NodeRun } from '../../context/node.js';
import type { clearbanned as spec } from './clearbanned.spec.js';

export const clearbanned: NodeRun<typeof spec> = (_, ctx) => {
  ctx.network.control.clearBans();
  return null;
};
