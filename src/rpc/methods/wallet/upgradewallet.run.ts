import { WALLET_VERSION } from '../../../wallet/index.js';
import { checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import type { upgradewallet as spec } from './upgradewallet.spec.js';

export const upgradewallet: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['number'], true);
  ensureUnlocked(wallet);
  const version = params.version ?? 0;
  const current = wallet.record.version;
  const wanted = version === 0 ? WALLET_VERSION.LATEST : version;
  const facts = { wallet_name: wallet.name, previous_version: current, current_version: current };
  if (wanted < current) {
    return { ...facts, error: `Cannot downgrade wallet from version ${current} to version ${wanted}. Wallet version unchanged.` };
  }
  // adit creates only wallets of the latest version.
  return { ...facts, result: 'Already at latest version. Wallet version unchanged.' };
};
