import { follows, only } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { WalletContext } from '../../context/wallet.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { given, loadOnStart, warned } from '../../wallet/lifecycle.js';
import { asRpcError, failNotLoaded, managerOf, walletNameOf } from '../../wallet/select.js';

export const unloadwallet: Run<WalletContext> = async (ctx, args, call) => {
  const manager = managerOf(ctx);
  const endpoint = walletNameOf(call.path);
  const same = follows(ctx.compat, 22);
  if (endpoint !== null && given(args[0]) && same && endpoint !== asString(args[0])) {
    fail(RPC_CODE.INVALID_PARAMETER, 'The RPC endpoint wallet and the wallet name parameter specify different wallets');
  }
  if (endpoint !== null && given(args[0]) && !same) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Both the RPC endpoint wallet and wallet_name parameter were provided (only one allowed)');
  }
  if (endpoint === null && !given(args[0]) && only(ctx.compat, 30)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Either the RPC endpoint wallet or the wallet name parameter must be provided');
  }
  const name = endpoint ?? asString(args[0]);
  const wallet = manager.get(name) ?? failNotLoaded();
  const load = loadOnStart(args[1]);
  try {
    await manager.unload(wallet);
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return warned([]);
};
