// Declares getblockcount; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getblockcount: MethodSpec = {
  name: 'getblockcount',
  category: 'blockchain',
  runs: 'front',
  description: 'Height of the best validated chain. The genesis block has height 0.',
  args: [],
  results: [{ type: 'num', help: 'The height' }],
  examples: [{ cli: '', rpc: '' }],
};
