import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';

export const keypoolrefill = declare({
  name: 'keypoolrefill',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Fills the key pool.',
  args: [num('newsize', 'New size of the key pool', { default: 'set by -keypool' })],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
});
