import { bool, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const addpeeraddress: MethodSpec = {
  name: 'addpeeraddress',
  category: 'hidden',
  runs: 'node',
  description: 'Adds an address to those that are known, as if a peer had told of it. For testing.',
  args: [
    str('address', 'The address.'),
    num('port', 'The port.'),
    bool('tried', 'Whether to file it under addresses that were connected to', { since: 23, default: 'false' }),
  ],
  results: [obj([bool('success', 'Whether it was added'), str('error?', 'Why not', { since: 28 })])],
  examples: [{ cli: '"1.2.3.4" 8333', rpc: '"1.2.3.4", 8333' }],
};
