import { arr, bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const restorewallet: MethodSpec = {
  name: 'restorewallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Makes a wallet of a file written by backupwallet, and loads it.',
  args: [
    str('wallet_name', 'The name it gets'),
    str('backup_file', 'The file'),
    bool(
      'load_on_startup?',
      'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), arr('warnings?', 'Warnings', { since: 25 }, [str()])])],
  examples: [{ cli: '"testwallet" "backup.dat"', rpc: '"testwallet", "backup.dat"' }],
  waits: true,
};
