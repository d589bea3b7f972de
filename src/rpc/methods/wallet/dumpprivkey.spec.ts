import { str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const dumpprivkey: MethodSpec = {
  name: 'dumpprivkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the private key of an address.',
  args: [str('address', 'The address')],
  results: [str('The key in WIF')],
  examples: [{ cli: '"myaddress"', rpc: '"myaddress"' }],
};
