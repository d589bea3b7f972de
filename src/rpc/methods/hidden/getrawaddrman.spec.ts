// Declares getrawaddrman.
import type { MethodSpec } from '../../declare/types.js';

export const getrawaddrman: MethodSpec = {
  name: 'getrawaddrman',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  since: 26,
  description: 'All known addresses by their places in the tables "new" and "tried".',
  args: [],
  results: [
    {
      type: 'obj-dyn',
      help: 'By table',
      inner: [
        {
          type: 'obj-dyn',
          key: 'table',
          help: 'By place',
          inner: [
            {
              type: 'obj',
              key: 'bucket/position',
              help: '',
              inner: [
                { type: 'str', key: 'address', help: 'The address' },
                { type: 'num', key: 'mapped_as', optional: true, help: 'Autonomous system of it, with -asmap' },
                { type: 'num', key: 'port', help: 'Its port' },
                { type: 'num', key: 'services', help: 'What it offers' },
                { type: 'num-time', key: 'time', help: 'When it was last heard of' },
                { type: 'str', key: 'network', help: 'ipv4, ipv6, onion, i2p or cjdns' },
                { type: 'str', key: 'source', help: 'The address that told of it' },
                { type: 'str', key: 'source_network', help: 'The network of that' },
                { type: 'num', key: 'source_mapped_as', optional: true, help: 'Autonomous system of that, with -asmap' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
