import type { WalletRun } from '../../context/wallet.js';
import { Slicer } from '../../node/slices.js';
import { flag, given, uniqueWalletName } from '../../wallet/lifecycle.js';
import { passphraseOf } from '../../wallet/passphrase.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { migratewallet as spec } from './migratewallet.spec.js';

export const migratewallet: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const manager = managerOf(ctx);
  const passphrase = given(args[1]) ? passphraseOf(args, 1, call) : null;
  try {
    const name = uniqueWalletName(ctx, call, args[0]);
    const loads = flag(args[2], true);
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
