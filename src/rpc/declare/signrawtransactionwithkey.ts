// Declares signrawtransactionwithkey; types.ts says what a declaration is for.
import { SIGHASH_TYPE_ARG, SIGNED_RESULTS } from './signing-parts.js';
import type { MethodSpec } from './types.js';

export const signrawtransactionwithkey: MethodSpec = {
  name: 'signrawtransactionwithkey',
  category: 'rawtransactions',
  runs: 'node',
  description: 'Signs the inputs of a transaction with the given private keys and no others.',
  args: [
    { name: 'hexstring', type: 'str', help: 'The transaction' },
    {
      name: 'privkeys',
      type: 'arr',
      help: 'The private keys',
      inner: [{ name: 'privatekey', type: 'str', optional: true, help: 'A private key in Base58Check' }],
    },
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
            { name: 'redeemScript', type: 'hex', optional: true, help: 'For P2SH: the redeem script' },
            { name: 'witnessScript', type: 'hex', optional: true, help: 'For P2WSH, also inside P2SH: the witness script' },
            { name: 'amount', type: 'amount', optional: true, help: 'The amount, needed for segwit outputs' },
          ],
        },
      ],
    },
    SIGHASH_TYPE_ARG,
  ],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex" "[\\"key1\\",\\"key2\\"]"', rpc: '"myhex", "[\\"key1\\",\\"key2\\"]"' }],
};
