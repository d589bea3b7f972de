import type { NodeRun } from '../../context/node.js';
import { relatives } from '../../node/pool.js';

export const getmempoolancestors: NodeRun = relatives((ctx, entry) => ctx.mempool.ancestors(entry));
