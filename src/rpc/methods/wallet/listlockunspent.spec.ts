import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj } from '../../declare/parts.js';

export const listlockunspent = declare({
  name: 'listlockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the coins that lockunspent has locked.',
  args: [],
  results: [arr([obj([hex('txid', 'Transaction'), num('vout', 'Output')])])],
  examples: [{ cli: '', rpc: '' }],
});
