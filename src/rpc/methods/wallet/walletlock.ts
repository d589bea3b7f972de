import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';
import { ensureEncrypted } from '../../wallet/encryption.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'walletlock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Locks the wallet.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});

export const walletlock: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletlock');
  await wallet.access.runExclusive(() => wallet.encryption.lockNow());
  return null;
};
