// Declares keypoolrefill.
import type { MethodSpec } from '../../declare/types.js';

export const keypoolrefill: MethodSpec = {
  name: 'keypoolrefill',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Fills the pool of keys in waiting.',
  args: [{ name: 'newsize', type: 'num', default: 'set by -keypool', help: 'How many there are to be' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
