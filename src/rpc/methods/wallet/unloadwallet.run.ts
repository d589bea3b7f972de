import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { loadOnStart, uniqueWalletName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, failNotLoaded, managerOf } from '../../wallet/select.js';

export const unloadwallet: Run<WalletContext> = async (ctx, args, call) => {
  const manager = managerOf(ctx);
  const name = uniqueWalletName(ctx, call, args[0]);
  const wallet = manager.get(name);
  const load = loadOnStart(args[1]);
  try {
    if (wallet !== undefined) await manager.unloadWallet(wallet);
    else if (!manager.dismissFailed(name)) failNotLoaded();
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return warned([]);
};
