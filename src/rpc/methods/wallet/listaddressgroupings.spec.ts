// Declares listaddressgroupings.
import type { MethodSpec } from '../../declare/types.js';

export const listaddressgroupings: MethodSpec = {
  name: 'listaddressgroupings',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description:
    "Groups addresses that were spent together or are the change of one another: anyone who reads the chain may take them for one owner's.",
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'arr',
          help: 'A group',
          inner: [
            {
              type: 'arr-fixed',
              help: 'An address',
              inner: [
                { type: 'str', help: 'The address' },
                { type: 'amount', help: 'Its balance in BTC' },
                { type: 'str', optional: true, help: 'Its label' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
