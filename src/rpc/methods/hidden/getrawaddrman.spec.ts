import { dyn, num, obj, str, time } from '../../declare/parts.js';
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
    dyn('By table', [
      dyn('table', 'By place', [
        obj('bucket/position', '', [
          str('address', 'The address'),
          num('mapped_as?', 'Autonomous system of it, with -asmap'),
          num('port', 'Its port'),
          num('services', 'What it offers'),
          time('time', 'When it was last heard of'),
          str('network', 'ipv4, ipv6, onion, i2p or cjdns'),
          str('source', 'The address that told of it'),
          str('source_network', 'The network of that'),
          num('source_mapped_as?', 'Autonomous system of that, with -asmap'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
