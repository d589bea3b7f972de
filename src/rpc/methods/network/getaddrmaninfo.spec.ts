// Declares getaddrmaninfo. Core has it since version 26; `-addrinfo` of its
// client calls it.
import { dyn, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getaddrmaninfo: MethodSpec = {
  name: 'getaddrmaninfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Counts the known addresses of nodes by network.',
  args: [],
  results: [
    dyn('By network (ipv4, ipv6, onion, i2p, cjdns), and all_networks', [
      obj('network', '', [
        num('new', 'Addresses that were heard of'),
        num('tried', 'Addresses that a connection succeeded to'),
        num('total', 'Both'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
