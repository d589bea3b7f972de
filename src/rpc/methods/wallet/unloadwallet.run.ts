import type { WalletRun } from '../../context/wallet.js';
import { uniqueWalletName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, failNotLoaded, managerOf } from '../../wallet/select.js';
import type { unloadwallet as spec } from './unloadwallet.spec.js';

export const unloadwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const manager = managerOf(ctx);
  const name = uniqueWalletName(ctx, call, params.wallet_name);
  const wallet = manager.get(name);
  const { load_on_startup: load } = params;
  try {
    if (wallet !== undefined) await manager.unloadWallet(wallet);
    else if (!manager.dismissFailed(name)) failNotLoaded();
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return warned([]);
};
