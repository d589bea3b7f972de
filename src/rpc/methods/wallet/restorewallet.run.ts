import path from 'node:path';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { restorewallet as spec } from './restorewallet.spec.js';

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
