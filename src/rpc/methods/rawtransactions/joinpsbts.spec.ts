import { str } from '../../declare/parts.js';
import { PSBTS_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const joinpsbts: MethodSpec = {
  name: 'joinpsbts',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description: 'Makes one PSBT of the inputs and outputs of several, in random order. No outpoint may be in two of them.',
  args: [PSBTS_ARG],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"[\\"mybase64_1\\", \\"mybase64_2\\"]"' }],
};
