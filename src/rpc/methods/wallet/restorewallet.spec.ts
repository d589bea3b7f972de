import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';

export const restorewallet = declare({
  name: 'restorewallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Creates a wallet from a file written by backupwallet and loads it.',
  args: [
    str('wallet_name', 'Name of the new wallet'),
    str('backup_file', 'The file'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [obj([str('name', 'Name of the wallet'), arr('warnings?', 'Warnings', { since: 25 }, [str()])])],
  examples: [{ cli: '"testwallet" "backup.dat"', rpc: '"testwallet", "backup.dat"' }],
  waits: true,
});
