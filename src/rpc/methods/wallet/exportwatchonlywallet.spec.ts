import { obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const exportwatchonlywallet: MethodSpec = {
  name: 'exportwatchonlywallet',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Writes a copy of the wallet without private keys: its descriptors, transactions and labels. restorewallet makes a wallet of it,\nwhich watches only. Where descriptors derive by hardened steps it knows addresses as far as the pool reaches.',
  args: [str('destination', 'The file, which must not be there yet')],
  results: [obj([str('exported_file', 'The file')])],
  examples: [{ cli: '"/path/to/export.dat"', rpc: '"/path/to/export.dat"' }],
  waits: true,
};
