// Declares keypoolrefill; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const keypoolrefill: MethodSpec = {
  name: 'keypoolrefill',
  category: 'wallet',
  runs: 'node',
  description: 'Fills the pool of keys in waiting.',
  args: [{ name: 'newsize', type: 'num', default: 'set by -keypool', help: 'How many there are to be' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
