import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const help = declare({
  name: 'help',
  category: 'control',
  runs: 'front',
  description: 'Lists all methods, or explains one.',
  args: [str('command', 'The method', { as: 'json', default: 'all commands' })],
  results: [str('The text')],
  examples: [],
});
