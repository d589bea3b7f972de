// Core has this method since release 26. The option -addrinfo of bitcoin-cli calls it.

import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { dyn, num, obj } from '../../declare/parts.js';

export const spec = declare({
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

export const getaddrmaninfo: NodeRun<typeof spec> = (_, ctx) => {
  const all = { new: 0, tried: 0, total: 0 };
  const out: Record<string, typeof all> = {};
  for (const [network, count] of ctx.network.control.addressCounts()) {
    const total = count.new + count.tried;
    out[network] = { new: count.new, tried: count.tried, total };
    all.new += count.new;
    all.tried += count.tried;
    all.total += total;
  }
  return { ...out, all_networks: all };
};
