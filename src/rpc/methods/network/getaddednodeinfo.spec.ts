import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';

export const getaddednodeinfo = declare({
  name: 'getaddednodeinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns the peers that addnode or -addnode has added (not those of onetry).',
  args: [str('node?', 'Return only this peer, as addnode or -addnode named it')],
  results: [
    arr([
      obj([
        str('addednode', 'The peer, as addnode or -addnode named it'),
        bool('connected', 'Whether the peer is connected'),
        arr('addresses', 'Addresses of the connection, if there is one', [
          obj([str('address', 'Address and port'), str('connected', 'inbound or outbound')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '"192.168.0.201"', rpc: '"192.168.0.201"' }],
});
