import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';

export const getnodeaddresses = declare({
  name: 'getnodeaddresses',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns known addresses of nodes.',
  args: [
    num('count', 'Largest number of addresses to return. 0 means all known addresses', { default: '1' }),
    str('network?', 'Return only addresses of this network: ipv4, ipv6, onion, i2p or cjdns', { since: 22 }),
  ],
  results: [
    arr([
      obj([
        num('time', 'Time at which the node was last seen, in seconds since 1970'),
        num('services', 'The services of the node, as bits'),
        str('address', 'The address'),
        num('port', 'The port'),
        str('network', 'The network', { since: 22 }),
      ]),
    ]),
  ],
  examples: [{ cli: '8', rpc: '8' }],
});
