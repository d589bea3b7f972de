import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';

export const addnode = declare({
  name: 'addnode',
  category: 'network',
  runs: 'node',
  description:
    'Connects to a peer. With "add" the node connects again whenever the connection is lost, with "onetry" it tries\nonce, with "remove" it stops connecting again.',
  args: [
    str('node', 'The peer, host or host:port.'),
    str('command', "'add', 'remove' or 'onetry'.", { as: 'json' }),
    bool('v2transport?', 'Whether to try encryption (BIP-0324) first (default: as -v2transport).'),
  ],
  results: [none()],
  examples: [{ cli: '"192.168.0.6:8333" "onetry"', rpc: '"192.168.0.6:8333", "onetry"' }],
});
