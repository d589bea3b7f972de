import type { WalletRun } from '../../context/wallet.js';
import { ensureEncrypted } from '../../wallet/encryption.js';
import { walletOf } from '../../wallet/select.js';
import type { walletlock as spec } from './walletlock.spec.js';

export const walletlock: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletlock');
  await wallet.access.runExclusive(() => wallet.encryption.lockNow());
  return null;
};
