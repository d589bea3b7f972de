import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { managerOf } from '../../wallet/select.js';

export const listwalletdir: Run<WalletContext> = async (ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});
