// Runs listwallets.
import type { Run } from '../../dispatch.js';
import type { NodeContext } from '../../node/context.js';
import { managerOf } from '../../wallet/select.js';

export const listwallets: Run<NodeContext> = (ctx) => managerOf(ctx).all.map((wallet) => wallet.name);
