import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';

export const importwallet = declare({
  name: 'importwallet',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports the keys and scripts of a file written by dumpwallet, then scans the blocks.',
  args: [str('filename', 'The file')],
  results: [none()],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});
