import { amount, arr, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolfeeratediagram: MethodSpec = {
  name: 'getmempoolfeeratediagram',
  since: 31,
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'Fees of the pool against its weight, chunk after chunk, best first.',
  args: [],
  results: [arr([obj([num('weight', 'Sigop-adjusted weight up to here'), amount('fee', 'Fees with deltas up to here, in BTC')])])],
  examples: [{ cli: '', rpc: '' }],
};
