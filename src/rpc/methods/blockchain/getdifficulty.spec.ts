import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getdifficulty: MethodSpec = {
  name: 'getdifficulty',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the proof-of-work difficulty of the tip as a multiple of the lowest difficulty.',
  args: [],
  results: [num('The difficulty')],
  examples: [{ cli: '', rpc: '' }],
};
