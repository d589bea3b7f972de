// Declares generate; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const generate: MethodSpec = {
  name: 'generate',
  category: 'hidden',
  runs: 'node',
  bare: true,
  description: 'has been replaced by the -generate cli option. Refer to -help for more information.',
  args: [],
  results: [],
  examples: [],
};
