import type { NodeRun } from '../../context/node.js';
import { relatives } from '../../node/pool.js';
import type { getmempooldescendants as spec } from './getmempooldescendants.spec.js';

export const getmempooldescendants: NodeRun<typeof spec> = relatives((ctx, entry) => ctx.mempool.descendants(entry));
