// Declares decodepsbt.
import { PSBT_ARG, PSBT_MEMBERS } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const decodepsbt: MethodSpec = {
  name: 'decodepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Shows a PSBT as an object.',
  args: [PSBT_ARG],
  results: [{ type: 'obj', help: '', inner: PSBT_MEMBERS }],
  examples: [{ cli: '"psbt"' }],
};
