import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PSBTS_ARG } from '../../declare/psbt-parts.js';

export const joinpsbts = declare({
  name: 'joinpsbts',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Joins the inputs and outputs of several PSBTs to one PSBT, in random order. An output may be spent by one of\nthem only.',
  args: [PSBTS_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"[\\"mybase64_1\\", \\"mybase64_2\\"]"' }],
});
