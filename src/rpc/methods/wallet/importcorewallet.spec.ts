import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, passphrase, str } from '../../declare/parts.js';

export const importcorewallet = declare({
  name: 'importcorewallet',
  category: 'wallet',
  runs: 'wallet',
  description:
    'Creates a wallet from a wallet file of Bitcoin Core (wallet.dat, Berkeley DB or SQLite) and loads it. The\nwallet gets the keys, descriptors, scripts, labels and transactions.\nThe call only reads the file. No other program may have it open. adit scans the blocks after the last one that\nBitcoin Core had seen.',
  args: [
    str('file', 'The file, or the folder that wallet.dat is in'),
    str('wallet_name', 'Name of the new wallet', { default: "the folder's name" }),
    passphrase('passphrase?', 'Passphrase, if the wallet file is encrypted. The new wallet has the same one'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [
    obj([
      str('name', 'Name of the wallet'),
      num('keys', 'Number of private keys in the file'),
      num('descriptors', 'Descriptors'),
      num('transactions', 'Transactions'),
      num('addresses', 'Number of addresses with a label'),
      arr('warnings?', 'Data that was not imported', [str('Script in text form (asm)')]),
    ]),
  ],
  examples: [{ cli: '"/home/you/.bitcoin/wallets/savings/wallet.dat" "savings"' }],
  waits: true,
});
