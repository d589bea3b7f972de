import { declare } from '../../declare/parameters.js';
import { bool, hex, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';

export const finalizepsbt = declare({
  name: 'finalizepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description:
    'Finalizes the inputs of a PSBT (BIP174, finalizer). If every input is complete, the call returns the\ntransaction for sendrawtransaction. Otherwise it returns the PSBT, in which the complete inputs are final.',
  args: [PSBT_ARG, bool('extract', 'Whether to return the transaction instead of the PSBT if it is complete', { default: 'true' })],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64. Absent if the transaction is returned'),
      hex('hex?', 'The transaction'),
      bool('complete', 'Whether all inputs are final'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});
