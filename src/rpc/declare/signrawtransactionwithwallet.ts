// Declares signrawtransactionwithwallet; types.ts says what a declaration is for.
import { SIGHASH_TYPE_ARG, SIGNED_RESULTS } from './signing-parts.js';
import type { MethodSpec } from './types.js';

export const signrawtransactionwithwallet: MethodSpec = {
  name: 'signrawtransactionwithwallet',
  category: 'wallet',
  runs: 'node',
  description: 'Signs the inputs of a transaction with the keys of the wallet, which must be unlocked.',
  args: [
    { name: 'hexstring', type: 'str', help: 'The transaction' },
    {
      name: 'prevtxs',
      type: 'arr',
      optional: true,
      help: 'Outputs the inputs spend that the node need not know',
      inner: [
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [
            { name: 'txid', type: 'hex', help: 'The transaction id' },
            { name: 'vout', type: 'num', help: 'The output number' },
            { name: 'scriptPubKey', type: 'hex', help: 'The output script' },
            { name: 'redeemScript', type: 'hex', optional: true, help: 'Taken and not used: the wallet knows its scripts' },
            { name: 'witnessScript', type: 'hex', optional: true, help: 'Taken and not used' },
            { name: 'amount', type: 'amount', optional: true, help: 'The amount, needed for segwit outputs' },
          ],
        },
      ],
    },
    SIGHASH_TYPE_ARG,
  ],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex"', rpc: '"myhex"' }],
};
