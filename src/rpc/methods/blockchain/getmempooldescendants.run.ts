// Runs getmempooldescendants.
import type { NodeRun } from '../../node/context.js';
import { relatives } from '../../node/pool.js';

export const getmempooldescendants: NodeRun = relatives((ctx, entry) => ctx.mempool.descendants(entry));
