import { arr, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listwalletdir: MethodSpec = {
  name: 'listwalletdir',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Lists the wallets in the folder of all wallets, loaded or not.',
  args: [],
  results: [
    obj([
      arr('wallets', '', [
        obj([str('name', 'Name of a wallet'), arr('warnings', 'Things to know before loading it', { since: 29 }, [str()])]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
