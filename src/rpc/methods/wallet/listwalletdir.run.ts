import type { WalletRun } from '../../context/wallet.js';
import { managerOf } from '../../wallet/select.js';
import type { listwalletdir as spec } from './listwalletdir.spec.js';

export const listwalletdir: WalletRun<typeof spec> = async (_, ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});
