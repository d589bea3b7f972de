import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { managerOf } from '../../wallet/select.js';

export const listwallets: Run<WalletContext> = (ctx) => managerOf(ctx).all.map((wallet) => wallet.name);
