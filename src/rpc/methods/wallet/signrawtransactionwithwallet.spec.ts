import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PREVTXS_ARG, SIGHASH_TYPE_ARG, SIGNED_RESULTS } from '../../declare/signing-parts.js';

export const signrawtransactionwithwallet = declare({
  name: 'signrawtransactionwithwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Signs the inputs of a transaction with the keys of the wallet. The wallet must be unlocked.',
  args: [str('hexstring', 'The transaction'), PREVTXS_ARG, SIGHASH_TYPE_ARG],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex"', rpc: '"myhex"' }],
});
