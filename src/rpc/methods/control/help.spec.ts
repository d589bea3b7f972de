import { str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const help: MethodSpec = {
  name: 'help',
  category: 'control',
  runs: 'front',
  description: 'Lists all methods, or explains one.',
  args: [str('command', 'The method', { default: 'all commands' })],
  results: [str('The text')],
  examples: [],
};
