// Declares backupwallet; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const backupwallet: MethodSpec = {
  name: 'backupwallet',
  category: 'wallet',
  runs: 'node',
  description: 'Writes the wallet to one file, whole and with a checksum.',
  args: [{ name: 'destination', type: 'str', help: 'A file, which is replaced, or a folder' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
};
