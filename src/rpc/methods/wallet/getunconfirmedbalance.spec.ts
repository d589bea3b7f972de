// Declares getunconfirmedbalance.
import type { MethodSpec } from '../../declare/types.js';

export const getunconfirmedbalance: MethodSpec = {
  name: 'getunconfirmedbalance',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Same as getbalances().mine.untrusted_pending; kept for older programs.',
  args: [],
  results: [{ type: 'amount', help: 'BTC' }],
  examples: [],
};
