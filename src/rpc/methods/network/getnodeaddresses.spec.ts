import { arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnodeaddresses: MethodSpec = {
  name: 'getnodeaddresses',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Known addresses, with which a client can look for nodes on the network.',
  args: [
    num('count', 'How many at most; 0 for all that are known.', { default: '1' }),
    str('network?', 'Only those of ipv4, ipv6, onion, i2p or cjdns.', { since: 22 }),
  ],
  results: [
    arr([
      obj([
        num('time', 'When it was last seen, seconds since 1970'),
        num('services', 'What it offers, as bits'),
        str('address', 'The address'),
        num('port', 'The port'),
        str('network', 'The network', { since: 22 }),
      ]),
    ]),
  ],
  examples: [{ cli: '8', rpc: '8' }],
};
