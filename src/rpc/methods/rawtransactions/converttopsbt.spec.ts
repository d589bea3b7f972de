import { bool, hex, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const converttopsbt: MethodSpec = {
  name: 'converttopsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description:
    'Makes a blank PSBT of a transaction, as createrawtransaction and fundrawtransaction give it. New ones come from createpsbt.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('permitsigdata', 'Whether signatures in it are thrown away; otherwise a transaction that has some is refused.', {
      default: 'false',
    }),
    bool('iswitness', 'Whether it has a witness. When not given, both readings are tried and the sane one is taken.', {
      default: 'depends on heuristic tests',
    }),
    PSBT_VERSION_ARG,
  ],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"hexstring"' }],
};
