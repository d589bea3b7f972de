// Declares listdescriptors.
import type { MethodSpec } from '../../declare/types.js';

export const listdescriptors: MethodSpec = {
  name: 'listdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Lists the descriptors of a wallet.',
  args: [{ name: 'private', type: 'bool', default: 'false', help: 'With private keys' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'wallet_name', help: 'Name of the wallet' },
        {
          type: 'arr',
          key: 'descriptors',
          help: 'By text',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'str', key: 'desc', help: 'The descriptor' },
                { type: 'num-time', key: 'timestamp', help: 'From when it matters' },
                { type: 'bool', key: 'active', help: 'Whether it gives out addresses' },
                { type: 'bool', key: 'internal', optional: true, help: 'Whether those are for change' },
                {
                  type: 'arr-fixed',
                  key: 'range',
                  optional: true,
                  help: 'First and last index',
                  inner: [
                    { type: 'num', help: 'First' },
                    { type: 'num', help: 'Last' },
                  ],
                },
                { type: 'num', key: 'next', optional: true, help: 'Next index; same as next_index' },
                { type: 'num', key: 'next_index', optional: true, help: 'The next index given out' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'true', rpc: 'true' },
  ],
};
