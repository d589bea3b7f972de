import { declare } from '../../declare/parameters.js';
import { bool, num, obj, str } from '../../declare/parts.js';

export const addpeeraddress = declare({
  name: 'addpeeraddress',
  category: 'hidden',
  runs: 'node',
  description: 'Adds an address to the known addresses, as if a peer had sent it. For testing only.',
  args: [
    str('address', 'The address.'),
    num('port', 'The port.'),
    bool('tried', 'Whether to add it to the tried table', { since: 23, default: 'false' }),
  ],
  results: [obj([bool('success', 'Whether the address was added'), str('error?', 'Reason if it was not added', { since: 28 })])],
  examples: [{ cli: '"1.2.3.4" 8333', rpc: '"1.2.3.4", 8333' }],
});
