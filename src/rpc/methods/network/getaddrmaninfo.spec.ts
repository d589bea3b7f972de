// Declares getaddrmaninfo. Core has it since version 26; `-addrinfo` of its
// client calls it.
import type { MethodSpec } from '../../declare/types.js';

export const getaddrmaninfo: MethodSpec = {
  name: 'getaddrmaninfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Counts the known addresses of nodes by network.',
  args: [],
  results: [
    {
      type: 'obj-dyn',
      help: 'By network (ipv4, ipv6, onion, i2p, cjdns), and all_networks',
      inner: [
        {
          type: 'obj',
          key: 'network',
          help: '',
          inner: [
            { type: 'num', key: 'new', help: 'Addresses that were heard of' },
            { type: 'num', key: 'tried', help: 'Addresses that a connection succeeded to' },
            { type: 'num', key: 'total', help: 'Both' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
