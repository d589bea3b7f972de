import { none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const backupwallet: MethodSpec = {
  name: 'backupwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Writes the wallet to one file with a checksum.',
  args: [str('destination', 'A file (an existing one is overwritten) or a folder')],
  results: [none()],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
};
