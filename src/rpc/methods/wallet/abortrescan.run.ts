import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { walletOf } from '../../wallet/select.js';

export const abortrescan: Run<WalletContext> = (ctx, _args, call) => {
  const { scan } = walletOf(ctx, call);
  if (scan === null || scan.abort) return false;
  scan.abort = true;
  return true;
};
