// Declares listwalletdir.
import type { MethodSpec } from '../../declare/types.js';

export const listwalletdir: MethodSpec = {
  name: 'listwalletdir',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Lists the wallets in the folder of all wallets, loaded or not.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'wallets',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'str', key: 'name', help: 'Name of a wallet' },
                { type: 'arr', key: 'warnings', since: 29, help: 'Things to know before loading it', inner: [{ type: 'str', help: '' }] },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
