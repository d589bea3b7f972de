import path from 'node:path';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'restorewallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Creates a wallet from a file written by backupwallet and loads it.',
  args: [
    str('wallet_name', 'Name of the new wallet'),
    str('backup_file', 'The file'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), arr('warnings?', 'Warnings', { since: 25 }, [str()])])],
  examples: [{ cli: '"testwallet" "backup.dat"', rpc: '"testwallet", "backup.dat"' }],
  waits: true,
});

export const restorewallet: WalletRun<typeof spec> = async (params, ctx) => {
  const manager = managerOf(ctx);
  const { wallet_name: name } = params;
  const file = path.resolve(params.backup_file);
  const { load_on_startup: load } = params;
  if (name === '') fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
  checkName(ctx, name);
  try {
    await manager.restoreWallet(name, file);
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return { name, ...(manager.warnings.length > 0 && { warnings: manager.warnings }) };
};
