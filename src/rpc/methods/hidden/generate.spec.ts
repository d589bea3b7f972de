import { declare } from '../../declare/parameters.js';

export const generate = declare({
  name: 'generate',
  category: 'hidden',
  runs: 'node',
  bare: true,
  description: 'has been replaced by the -generate cli option. Refer to -help for more information.',
  args: [],
  results: [],
  examples: [],
});
