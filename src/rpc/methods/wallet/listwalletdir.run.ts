// Runs listwalletdir.
import type { Run } from '../../dispatch.js';
import type { NodeContext } from '../../node/context.js';
import { managerOf } from '../../wallet/select.js';

export const listwalletdir: Run<NodeContext> = async (ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});
