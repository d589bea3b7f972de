// Declares converttopsbt.
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const converttopsbt: MethodSpec = {
  name: 'converttopsbt',
  category: 'rawtransactions',
  runs: 'front',
  description:
    'Makes a blank PSBT of a transaction, as createrawtransaction and fundrawtransaction give it. New ones come from createpsbt.',
  args: [
    { name: 'hexstring', type: 'hex', help: 'The transaction' },
    {
      name: 'permitsigdata',
      type: 'bool',
      default: 'false',
      help: 'Whether signatures in it are thrown away; otherwise a transaction that has some is refused.',
    },
    {
      name: 'iswitness',
      type: 'bool',
      default: 'depends on heuristic tests',
      help: 'Whether it has a witness. When not given, both readings are tried and the sane one is taken.',
    },
    PSBT_VERSION_ARG,
  ],
  results: [{ type: 'str', help: 'The PSBT in Base64' }],
  examples: [{ cli: '"hexstring"' }],
};
