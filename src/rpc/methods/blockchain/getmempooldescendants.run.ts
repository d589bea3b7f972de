import type { NodeRun } from '../../context/node.js';
import { relatives } from '../../node/pool.js';

export const getmempooldescendants: NodeRun = relatives((ctx, entry) => ctx.mempool.descendants(entry));
