import { declare } from '../../declare/parameters.js';
import { dyn, num, obj, str, time } from '../../declare/parts.js';

export const getrawaddrman = declare({
  name: 'getrawaddrman',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  since: 26,
  description: 'Returns all known addresses with their positions in the tables "new" and "tried".',
  args: [],
  results: [
    dyn('Tables', [
      dyn('table', 'Addresses by position (bucket and place)', [
        obj('bucket/position', '', [
          str('address', 'The address'),
          num('mapped_as?', 'Autonomous system of the address (only with -asmap)'),
          num('port', 'The port'),
          num('services', 'The services of the node, as bits'),
          time('time', 'Time at which a peer last announced the address'),
          str('network', 'ipv4, ipv6, onion, i2p or cjdns'),
          str('source', 'Address of the peer that sent this address'),
          str('source_network', 'Network of that peer'),
          num('source_mapped_as?', 'Autonomous system of that peer (only with -asmap)'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
