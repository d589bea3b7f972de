import type { WalletRun } from '../../context/wallet.js';
import { walletOf } from '../../wallet/select.js';
import type { abortrescan as spec } from './abortrescan.spec.js';

export const abortrescan: WalletRun<typeof spec> = (_, ctx, call) => walletOf(ctx, call).scans.abort();
