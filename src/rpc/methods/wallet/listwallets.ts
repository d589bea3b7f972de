import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';
import { managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'listwallets',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Returns the loaded wallets.',
  args: [],
  results: [arr([str('Name of a wallet')])],
  examples: [{ cli: '', rpc: '' }],
});

export const listwallets: WalletRun<typeof spec> = (_, ctx) => managerOf(ctx).all.map((wallet) => wallet.name);
