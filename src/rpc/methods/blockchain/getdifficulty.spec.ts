// Declares getdifficulty.
import type { MethodSpec } from '../../declare/types.js';

export const getdifficulty: MethodSpec = {
  name: 'getdifficulty',
  category: 'blockchain',
  runs: 'front',
  description: 'Proof-of-work difficulty of the tip as a multiple of the lowest difficulty.',
  args: [],
  results: [{ type: 'num', help: 'The difficulty' }],
  examples: [{ cli: '', rpc: '' }],
};
