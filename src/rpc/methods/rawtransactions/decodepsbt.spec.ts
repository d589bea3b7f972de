import { declare } from '../../declare/parameters.js';
import { obj } from '../../declare/parts.js';
import { PSBT_ARG, PSBT_MEMBERS } from '../../declare/psbt-parts.js';

export const decodepsbt = declare({
  name: 'decodepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a PSBT as an object.',
  args: [PSBT_ARG],
  results: [obj(PSBT_MEMBERS)],
  examples: [{ cli: '"psbt"' }],
});
