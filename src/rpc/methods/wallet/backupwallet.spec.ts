import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';

export const backupwallet = declare({
  name: 'backupwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Writes the wallet to one file with a checksum.',
  args: [str('destination', 'A file (an existing one is overwritten) or a folder')],
  results: [none()],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
});
