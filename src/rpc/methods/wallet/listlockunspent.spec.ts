import { arr, hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listlockunspent: MethodSpec = {
  name: 'listlockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the coins that lockunspent has locked.',
  args: [],
  results: [arr([obj([hex('txid', 'Transaction'), num('vout', 'Output')])])],
  examples: [{ cli: '', rpc: '' }],
};
