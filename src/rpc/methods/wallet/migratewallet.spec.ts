import { bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const migratewallet: MethodSpec = {
  name: 'migratewallet',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  description:
    'Makes wallets of descriptors of a legacy wallet. What it has private keys for stays in the wallet; what it only watches goes to\na wallet with _watchonly behind its name, and scripts that it can solve but does not watch to one with _solvables.\nBefore that, the legacy wallet is saved to WALLET_TIME.legacy.bak in the folder of all wallets: restorewallet brings it back.\nWhat fails leaves the legacy wallet as it was. Make a new backup of each new wallet. This may take minutes.',
  args: [
    str('wallet_name', 'The wallet; where the path of the call names one, it must be the same', {
      default: 'the wallet that the path of the call names',
    }),
    str('passphrase?', 'That of an encrypted wallet', { holds: 'passphrase' }),
    bool('load_wallet', 'Load the new wallets, now and at every start', { default: 'true' }),
  ],
  results: [
    obj([
      str('wallet_name', 'Name of the main wallet'),
      str('watchonly_name?', 'Name of the wallet with what was only watched'),
      str('solvables_name?', 'Name of the wallet with what can be solved and is not watched'),
      str('backup_path', 'The file with the legacy wallet'),
    ]),
  ],
  examples: [{ cli: '"savings"', rpc: '"savings"' }],
  waits: true,
};
