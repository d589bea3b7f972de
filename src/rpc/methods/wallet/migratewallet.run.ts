import { Slicer } from '../../../lib/slicer.js';
import type { WalletRun } from '../../context/wallet.js';
import { uniqueWalletName } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { migratewallet as spec } from './migratewallet.spec.js';

export const migratewallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const manager = managerOf(ctx);
  const passphrase = params.passphrase ?? null;
  try {
    const name = uniqueWalletName(ctx, call, params.wallet_name);
    const { load_wallet: loads } = params;
    const { main, watchOnly, solvables, backupPath } = await manager.migrateWallet(name, passphrase, loads, new Slicer(call.yieldToUrgent));
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
