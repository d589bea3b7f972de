import path from 'node:path';
import { asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName, loadOnStart } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { restorewallet as spec } from './restorewallet.spec.js';

export const restorewallet: WalletRun<typeof spec> = async ({ args }, ctx) => {
  const manager = managerOf(ctx);
  const name = asString(args[0]);
  const file = path.resolve(asString(args[1]));
  const load = loadOnStart(args[2]);
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
