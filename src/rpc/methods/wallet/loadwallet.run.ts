import { follows } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName, loadOnStart, warned } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const loadwallet: Run<WalletContext> = async (ctx, args) => {
  const manager = managerOf(ctx);
  const name = asString(args[0]);
  const load = loadOnStart(args[1]);
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
