// Declares signrawtransactionwithwallet; types.ts says what a declaration is for.
import { PREVTXS_ARG, SIGHASH_TYPE_ARG, SIGNED_RESULTS } from './signing-parts.js';
import type { MethodSpec } from './types.js';

export const signrawtransactionwithwallet: MethodSpec = {
  name: 'signrawtransactionwithwallet',
  category: 'wallet',
  runs: 'node',
  repeatable: true,
  description: 'Signs the inputs of a transaction with the keys of the wallet, which must be unlocked.',
  args: [{ name: 'hexstring', type: 'str', help: 'The transaction' }, PREVTXS_ARG, SIGHASH_TYPE_ARG],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex"', rpc: '"myhex"' }],
};
