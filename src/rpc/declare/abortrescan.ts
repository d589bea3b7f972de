// Declares abortrescan; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const abortrescan: MethodSpec = {
  name: 'abortrescan',
  category: 'wallet',
  runs: 'node',
  description: 'Stops the scan under way.',
  args: [],
  results: [{ type: 'bool', help: 'Whether there was one to stop' }],
  examples: [{ cli: '', rpc: '' }],
};
