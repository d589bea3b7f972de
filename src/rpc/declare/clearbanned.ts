// Declares clearbanned; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const clearbanned: MethodSpec = {
  name: 'clearbanned',
  category: 'network',
  runs: 'node',
  description: 'Lifts all bans.',
  args: [],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
};
