// Declares help.
import type { MethodSpec } from '../../declare/types.js';

export const help: MethodSpec = {
  name: 'help',
  category: 'control',
  runs: 'front',
  description: 'Lists all methods, or shows the page of one.',
  args: [{ name: 'command', type: 'str', default: 'all commands', help: 'The method' }],
  results: [{ type: 'str', help: 'The text' }],
  examples: [],
};
