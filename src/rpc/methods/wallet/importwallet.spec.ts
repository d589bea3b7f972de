import { none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importwallet: MethodSpec = {
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
};
