import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const walletlock = declare({
  name: 'walletlock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Locks the wallet.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});
