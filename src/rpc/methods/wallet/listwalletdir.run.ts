// Runs listwalletdir.

import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { managerOf } from '../../wallet/select.js';

export const listwalletdir: Run<NodeContext> = async (ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});
