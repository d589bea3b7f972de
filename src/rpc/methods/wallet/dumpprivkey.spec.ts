import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const dumpprivkey = declare({
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
});
