import { none, num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const keypoolrefill: MethodSpec = {
  name: 'keypoolrefill',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Fills the pool of keys in waiting.',
  args: [num('newsize', 'How many there are to be', { default: 'set by -keypool' })],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
