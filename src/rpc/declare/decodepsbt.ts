// Declares decodepsbt; types.ts says what a declaration is for.
import { PSBT_ARG, PSBT_MEMBERS } from './psbt-parts.js';
import type { MethodSpec } from './types.js';

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
