import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { checkName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'loadwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Loads a wallet from disk.',
  args: [
    str('filename', 'Name or path of the wallet'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), ...WARNINGS])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});

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
