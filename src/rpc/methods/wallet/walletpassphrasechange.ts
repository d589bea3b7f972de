import { changePassphrase } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, passphrase } from '../../declare/parts.js';
import { empty, ensureEncrypted, incorrect } from '../../wallet/encryption.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'walletpassphrasechange',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes the passphrase of the wallet.',
  args: [passphrase('oldpassphrase', 'The current passphrase'), passphrase('newpassphrase', 'The new passphrase')],
  results: [none()],
  examples: [{ cli: '"old one" "new one"', rpc: '"old one", "new one"' }],
});

export const walletpassphrasechange: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletpassphrasechange');
  const { oldpassphrase: old, newpassphrase: fresh } = params;
  try {
    if (old.length === 0 || fresh.length === 0) empty(ctx);
    if (!(await changePassphrase(wallet, old, fresh))) incorrect();
  } finally {
    old.fill(0);
    fresh.fill(0);
  }
  ctx.wallets.logOperation(wallet.name, 'has a new passphrase');
  return null;
};
