import { declare } from '../../declare/parameters.js';
import { bool, hex, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';

export const converttopsbt = declare({
  name: 'converttopsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Converts a transaction of createrawtransaction or fundrawtransaction to a PSBT. Use createpsbt for new\ntransactions.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('permitsigdata', 'Whether to remove signatures. If false, the call fails for a transaction with signatures', {
      default: 'false',
    }),
    bool('iswitness', 'Whether the transaction has witnesses. If omitted, both formats are tried and the plausible one is used', {
      default: 'depends on heuristic tests',
    }),
    PSBT_VERSION_ARG,
  ],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"hexstring"' }],
});
