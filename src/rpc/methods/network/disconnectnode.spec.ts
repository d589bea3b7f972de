import { declare } from '../../declare/parameters.js';
import { none, num, str } from '../../declare/parts.js';

export const disconnectnode = declare({
  name: 'disconnectnode',
  category: 'network',
  runs: 'node',
  description: 'Disconnects a peer. Name the peer by its address or by its number. With a number, leave the address empty.',
  args: [
    str('address?', 'Address and port as getpeerinfo shows them.', { as: 'json' }),
    num('nodeid?', 'Number as getpeerinfo shows it.', { as: 'json' }),
  ],
  results: [none()],
  examples: [
    { cli: '"192.168.0.6:8333"', rpc: '"192.168.0.6:8333"' },
    { cli: '"" 1', rpc: '"", 1' },
  ],
});
