import { arr, bool, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importcorewallet: MethodSpec = {
  name: 'importcorewallet',
  category: 'wallet',
  runs: 'wallet',
  description:
    "Makes a wallet of a wallet file of Bitcoin Core (wallet.dat, Berkeley DB or SQLite), and loads it: keys, descriptors, scripts,\nlabels and transactions. The file is only read; no other program may have it open. Blocks after Bitcoin Core's last are looked\nthrough.",
  args: [
    str('file', 'The file, or the folder that wallet.dat is in'),
    str('wallet_name', 'The name it gets here', { default: "the folder's name" }),
    str('passphrase?', 'That of an encrypted wallet; it is the same here', { holds: 'passphrase' }),
    bool(
      'load_on_startup?',
      'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    ),
  ],
  results: [
    obj([
      str('name', 'Name of the wallet'),
      num('keys', 'Private keys in the file'),
      num('descriptors', 'Descriptors'),
      num('transactions', 'Transactions'),
      num('addresses', 'Addresses with a label'),
      arr('warnings?', 'What was left out', [str('In words')]),
    ]),
  ],
  examples: [{ cli: '"/home/you/.bitcoin/wallets/savings/wallet.dat" "savings"' }],
  waits: true,
};
