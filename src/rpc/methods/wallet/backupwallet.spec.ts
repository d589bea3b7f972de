// Declares backupwallet.
import type { MethodSpec } from '../../declare/types.js';

export const backupwallet: MethodSpec = {
  name: 'backupwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Writes the wallet to one file, whole and with a checksum.',
  args: [{ name: 'destination', type: 'str', help: 'A file, which is replaced, or a folder' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
};
