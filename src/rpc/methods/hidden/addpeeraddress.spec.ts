// Declares addpeeraddress.
import type { MethodSpec } from '../../declare/types.js';

export const addpeeraddress: MethodSpec = {
  name: 'addpeeraddress',
  category: 'hidden',
  runs: 'node',
  description: 'Adds an address to those that are known, as if a peer had told of it. For testing.',
  args: [
    { name: 'address', type: 'str', help: 'The address.' },
    { name: 'port', type: 'num', help: 'The port.' },
  ],
  results: [{ type: 'obj', help: '', inner: [{ type: 'bool', key: 'success', help: 'Whether it was added' }] }],
  examples: [{ cli: '"1.2.3.4" 8333', rpc: '"1.2.3.4", 8333' }],
};
