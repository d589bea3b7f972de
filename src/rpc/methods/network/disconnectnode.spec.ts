// Declares disconnectnode.
import type { MethodSpec } from '../../declare/types.js';

export const disconnectnode: MethodSpec = {
  name: 'disconnectnode',
  category: 'network',
  runs: 'node',
  description: 'Ends the connection to a peer, which is named by its address or by its number. With a number the address is left empty.',
  args: [
    { name: 'address', type: 'str', help: 'Address and port as getpeerinfo shows them.', optional: true },
    { name: 'nodeid', type: 'num', help: 'Number as getpeerinfo shows it.', optional: true },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '"192.168.0.6:8333"', rpc: '"192.168.0.6:8333"' },
    { cli: '"" 1', rpc: '"", 1' },
  ],
};
