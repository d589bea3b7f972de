import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';
import { PREVTXS_ARG, SIGHASH_TYPE_ARG, SIGNED_RESULTS } from '../../declare/signing-parts.js';

export const signrawtransactionwithkey = declare({
  name: 'signrawtransactionwithkey',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description: 'Signs the inputs of a transaction with the given private keys only.',
  args: [
    str('hexstring', 'The transaction'),
    arr('privkeys', 'The private keys', [str('privatekey?', 'A private key in Base58Check', { holds: 'key' })]),
    PREVTXS_ARG,
    SIGHASH_TYPE_ARG,
  ],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex" "[\\"key1\\",\\"key2\\"]"', rpc: '"myhex", "[\\"key1\\",\\"key2\\"]"' }],
});
