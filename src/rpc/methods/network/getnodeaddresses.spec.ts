// Declares getnodeaddresses.
import type { MethodSpec } from '../../declare/types.js';

export const getnodeaddresses: MethodSpec = {
  name: 'getnodeaddresses',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Known addresses, with which a client can look for nodes on the network.',
  args: [
    { name: 'count', type: 'num', default: '1', help: 'How many at most; 0 for all that are known.' },
    { name: 'network', type: 'str', optional: true, since: 22, help: 'Only those of ipv4, ipv6, onion, i2p or cjdns.' },
  ],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'num', key: 'time', help: 'When it was last seen, seconds since 1970' },
            { type: 'num', key: 'services', help: 'What it offers, as bits' },
            { type: 'str', key: 'address', help: 'The address' },
            { type: 'num', key: 'port', help: 'The port' },
            { type: 'str', key: 'network', since: 22, help: 'The network' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '8', rpc: '8' }],
};
