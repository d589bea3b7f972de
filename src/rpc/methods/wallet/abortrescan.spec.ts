import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';

export const abortrescan = declare({
  name: 'abortrescan',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Stops the current scan.',
  args: [],
  results: [bool('Whether there was a scan to stop')],
  examples: [{ cli: '', rpc: '' }],
});
