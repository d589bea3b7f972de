import type { WalletRun } from '../../context/wallet.js';
import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { uniqueWalletName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, failNotLoaded, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'unloadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Unloads the wallet that the path or the argument names.',
  args: [
    str('wallet_name', 'Its name', { as: 'json', default: 'the wallet of the path' }),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj(WARNINGS)],
  examples: [{ cli: 'wallet_name', rpc: 'wallet_name' }],
  waits: true,
});

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
