import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const getdifficulty = declare({
  name: 'getdifficulty',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the proof-of-work difficulty of the tip as a multiple of the lowest difficulty.',
  args: [],
  results: [num('The difficulty')],
  examples: [{ cli: '', rpc: '' }],
});
