// Declares signrawtransactionwithkey; types.ts says what a declaration is for.
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
    {
      name: 'sighashtype',
      type: 'str',
      default: 'ALL',
      help: 'What the signatures commit to:\n"ALL"\n"NONE"\n"SINGLE"\n"ALL|ANYONECANPAY"\n"NONE|ANYONECANPAY"\n"SINGLE|ANYONECANPAY"',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'hex', help: 'The transaction with its signatures' },
        { type: 'bool', key: 'complete', help: 'Whether every input can be spent now' },
        {
          type: 'arr',
          key: 'errors',
          optional: true,
          help: 'Inputs that cannot be spent yet',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'txid', help: 'The transaction whose output is spent' },
                { type: 'num', key: 'vout', help: 'The output number' },
                { type: 'arr', key: 'witness', help: 'The witness', inner: [{ type: 'hex', key: 'witness', help: 'An item' }] },
                { type: 'hex', key: 'scriptSig', help: 'The scriptSig' },
                { type: 'num', key: 'sequence', help: 'The sequence number' },
                { type: 'str', key: 'error', help: 'What is wrong' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '"myhex" "[\\"key1\\",\\"key2\\"]"', rpc: '"myhex", "[\\"key1\\",\\"key2\\"]"' }],
};
