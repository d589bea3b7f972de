import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const addconnection = declare({
  name: 'addconnection',
  since: 22,
  category: 'hidden',
  runs: 'node',
  description: 'Opens a connection to a peer as if the node had chosen the peer itself. For testing only.',
  args: [
    str('address', 'Address and port'),
    str('connection_type', '"outbound-full-relay", "block-relay-only", "addr-fetch" or "feeler"'),
    bool('v2transport', 'Whether to try encryption (BIP-0324)', { since: 26 }),
  ],
  results: [obj([str('address', 'The address'), str('connection_type', 'The type')])],
  examples: [{ cli: '"192.168.0.6:8333" "outbound-full-relay" true', rpc: '"192.168.0.6:8333", "outbound-full-relay", true' }],
});
