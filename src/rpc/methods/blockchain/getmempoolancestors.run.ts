import type { NodeRun } from '../../context/node.js';
import { relatives } from '../../node/pool.js';
import type { getmempoolancestors as spec } from './getmempoolancestors.spec.js';

export const getmempoolancestors: NodeRun<typeof spec> = relatives((ctx, entry) => ctx.mempool.ancestors(entry));
