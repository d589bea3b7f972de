// Runs listwallets.

import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { managerOf } from '../../wallet/select.js';

export const listwallets: Run<NodeContext> = (ctx) => managerOf(ctx).all.map((wallet) => wallet.name);
