// Declares restorewallet.
import type { MethodSpec } from '../../declare/types.js';

export const restorewallet: MethodSpec = {
  name: 'restorewallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Makes a wallet of a file written by backupwallet, and loads it.',
  args: [
    { name: 'wallet_name', type: 'str', help: 'The name it gets' },
    { name: 'backup_file', type: 'str', help: 'The file' },
    {
      name: 'load_on_startup',
      type: 'bool',
      optional: true,
      help: 'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    },
  ],
  results: [{ type: 'obj', help: '', inner: [{ type: 'str', key: 'name', help: 'Name of the wallet' }] }],
  examples: [{ cli: '"testwallet" "backup.dat"', rpc: '"testwallet", "backup.dat"' }],
  waits: true,
};
