import type { WalletRun } from '../../context/wallet.js';
import { managerOf } from '../../wallet/select.js';
import type { listwallets as spec } from './listwallets.spec.js';

export const listwallets: WalletRun<typeof spec> = (_, ctx) => managerOf(ctx).all.map((wallet) => wallet.name);
