import { WALLET_VERSION } from '../../../wallet/index.js';
import { checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { num, obj, str } from '../../declare/parts.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'upgradewallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  until: 30,
  description: 'Upgrades a wallet to a newer version.',
  args: [num('version', 'The version', { seesAbsence: true, default: '169900' })],
  results: [
    obj([
      str('wallet_name', 'Name of the wallet'),
      num('previous_version', 'Previous version'),
      num('current_version', 'New version'),
      str('result?', 'Result'),
      str('error?', 'Error'),
    ]),
  ],
  examples: [{ cli: '169900', rpc: '169900' }],
});

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
