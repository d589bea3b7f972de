import type { WalletRun } from '../../context/wallet.js';
import { walletOf } from '../../wallet/select.js';
import type { abortrescan as spec } from './abortrescan.spec.js';

export const abortrescan: WalletRun<typeof spec> = (_, ctx, call) => {
  const { scan } = walletOf(ctx, call);
  if (scan === null || scan.abort) return false;
  scan.abort = true;
  return true;
};
