import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { loadwallet as spec } from './loadwallet.spec.js';

export const loadwallet: WalletRun<typeof spec> = async (params, ctx) => {
  const manager = managerOf(ctx);
  const { filename: name, load_on_startup: load } = params;
  if (follows(ctx.compat, 25) && manager.get(name)) fail(RPC_CODE.WALLET_ALREADY_LOADED, `Wallet "${name}" is already loaded.`);
  checkName(ctx, name);
  try {
    const wallet = await manager.loadWallet(name);
    if (load !== undefined) manager.setLoadOnStart(wallet.name, load);
    return { name: wallet.name, ...warned(manager.warnings) };
  } catch (error) {
    throw asRpcError(error);
  }
};
