// Declares getunconfirmedbalance; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getunconfirmedbalance: MethodSpec = {
  name: 'getunconfirmedbalance',
  category: 'wallet',
  runs: 'node',
  repeatable: true,
  description: 'Same as getbalances().mine.untrusted_pending; kept for older programs.',
  args: [],
  results: [{ type: 'amount', help: 'BTC' }],
  examples: [],
};
