import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, passphrase, str } from '../../declare/parts.js';
import { uniqueWalletName } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'migratewallet',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  description:
    'Migrates a legacy wallet to descriptor wallets. Scripts whose private keys the wallet has stay in the wallet.\nScripts that it only watches go to a wallet named NAME_watchonly. Scripts that it can solve but does not watch\ngo to a wallet named NAME_solvables.\nThe call first saves the legacy wallet to NAME_TIME.legacy.bak in the folder of all wallets. restorewallet\nrestores it. If the call fails, the legacy wallet is unchanged.\nMake a new backup of each new wallet. The call may take minutes.',
  args: [
    str('wallet_name', 'Name of the wallet. If the endpoint names a wallet too, it must be the same', {
      as: 'json',
      default: 'the wallet of the endpoint',
    }),
    passphrase('passphrase?', 'Passphrase of an encrypted wallet'),
    bool('load_wallet', 'Load the new wallets, now and at every start', { default: 'true' }),
  ],
  results: [
    obj([
      str('wallet_name', 'Name of the main wallet'),
      str('watchonly_name?', 'Name of the wallet with the scripts that were only watched'),
      str('solvables_name?', 'Name of the wallet with the scripts that can be solved and were not watched'),
      str('backup_path', 'Path of the backup of the legacy wallet'),
    ]),
  ],
  examples: [{ cli: '"savings"', rpc: '"savings"' }],
  waits: true,
});

export const migratewallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const manager = managerOf(ctx);
  const passphrase = params.passphrase ?? null;
  try {
    const name = uniqueWalletName(ctx, call, params.wallet_name);
    const { load_wallet: loads } = params;
    const { main, watchOnly, solvables, backupPath } = await manager.migrateWallet(name, passphrase, loads);
    return {
      wallet_name: main ?? watchOnly ?? solvables ?? name,
      ...(watchOnly !== null && { watchonly_name: watchOnly }),
      ...(solvables !== null && { solvables_name: solvables }),
      backup_path: backupPath,
    };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};
