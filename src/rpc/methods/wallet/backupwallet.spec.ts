import { none, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const backupwallet: MethodSpec = {
  name: 'backupwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Writes the wallet to one file, whole and with a checksum.',
  args: [str('destination', 'A file, which is replaced, or a folder')],
  results: [none()],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
};
