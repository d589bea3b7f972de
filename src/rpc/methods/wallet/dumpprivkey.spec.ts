// Declares dumpprivkey.
import type { MethodSpec } from '../../declare/types.js';

export const dumpprivkey: MethodSpec = {
  name: 'dumpprivkey',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Shows the private key of an address.',
  args: [{ name: 'address', type: 'str', help: 'The address' }],
  results: [{ type: 'str', help: 'The key in WIF' }],
  examples: [{ cli: '"myaddress"', rpc: '"myaddress"' }],
};
