// Core has this method since release 26. The option -addrinfo of bitcoin-cli calls it.

import { declare } from '../../declare/parameters.js';
import { dyn, num, obj } from '../../declare/parts.js';

export const getaddrmaninfo = declare({
  name: 'getaddrmaninfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns the number of known addresses of nodes by network.',
  args: [],
  results: [
    dyn('By network (ipv4, ipv6, onion, i2p, cjdns), and all_networks', [
      obj('network', '', [
        num('new', 'Number of addresses that peers have announced'),
        num('tried', 'Number of addresses to which a connection succeeded'),
        num('total', 'Sum of both'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
