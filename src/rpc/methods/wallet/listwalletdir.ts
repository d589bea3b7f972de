import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, obj, str } from '../../declare/parts.js';
import { managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'listwalletdir',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Returns the wallets in the folder of all wallets, loaded or not.',
  args: [],
  results: [
    obj([
      arr('wallets', '', [obj([str('name', 'Name of a wallet'), arr('warnings', 'Warnings about the wallet', { since: 29 }, [str()])])]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const listwalletdir: WalletRun<typeof spec> = async (_, ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});
