import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';

export const exportwatchonlywallet = declare({
  name: 'exportwatchonlywallet',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Writes a copy of the wallet without private keys: its descriptors, transactions and labels. restorewallet\ncreates a watch-only wallet from it.\nIf descriptors have hardened derivation steps, that wallet knows addresses only up to the end of the key pool.',
  args: [str('destination', 'The file. It must not exist')],
  results: [obj([str('exported_file', 'The file')])],
  examples: [{ cli: '"/path/to/export.dat"', rpc: '"/path/to/export.dat"' }],
  waits: true,
});
