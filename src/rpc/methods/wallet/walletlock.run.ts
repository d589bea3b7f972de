import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { ensureEncrypted } from '../../wallet/encryption.js';
import { walletOf } from '../../wallet/select.js';

export const walletlock: Run<WalletContext> = async (ctx, _args, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletlock');
  await wallet.access.runExclusive(() => wallet.lockNow());
  return null;
};
