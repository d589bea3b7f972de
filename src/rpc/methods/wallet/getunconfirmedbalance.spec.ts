import { amount } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getunconfirmedbalance: MethodSpec = {
  name: 'getunconfirmedbalance',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  repeatable: true,
  description: 'Returns the same as getbalances().mine.untrusted_pending. For older programs.',
  args: [],
  results: [amount('BTC')],
  examples: [],
};
