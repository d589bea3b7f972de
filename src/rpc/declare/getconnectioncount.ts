// Declares getconnectioncount; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getconnectioncount: MethodSpec = {
  name: 'getconnectioncount',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Number of connections to peers.',
  args: [],
  results: [{ type: 'num', help: 'The number' }],
  examples: [{ cli: '', rpc: '' }],
};
