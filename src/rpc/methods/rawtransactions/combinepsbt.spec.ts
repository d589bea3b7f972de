import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBTS_ARG } from '../../declare/psbt-parts.js';

export const combinepsbt = declare({
  name: 'combinepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Combines several PSBTs of one transaction (BIP174, combiner).',
  args: [PSBTS_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"[\\"mybase64_1\\", \\"mybase64_2\\"]"' }],
});
