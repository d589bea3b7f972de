import { bool, hex, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const finalizepsbt: MethodSpec = {
  name: 'finalizepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description:
    'Puts the signatures of a PSBT together (BIP174, finalizer). Once every input has all it needs, the transaction comes out,\nready for sendrawtransaction; else the PSBT with those inputs final that are complete.',
  args: [PSBT_ARG, bool('extract', 'Whether the transaction is given instead of the PSBT when it is complete', { default: 'true' })],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64, when there is no transaction'),
      hex('hex?', 'The transaction'),
      bool('complete', 'Whether all inputs are final'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
};
