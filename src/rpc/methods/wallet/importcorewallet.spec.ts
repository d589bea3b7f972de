// Declares importcorewallet.
import type { MethodSpec } from '../../declare/types.js';

export const importcorewallet: MethodSpec = {
  name: 'importcorewallet',
  category: 'wallet',
  runs: 'wallet',
  description:
    "Makes a wallet of a wallet file of Bitcoin Core (wallet.dat, Berkeley DB or SQLite), and loads it: keys, descriptors, scripts,\nlabels and transactions. The file is only read; no other program may have it open. Blocks after Bitcoin Core's last are looked\nthrough.",
  args: [
    { name: 'file', type: 'str', help: 'The file, or the folder that wallet.dat is in' },
    { name: 'wallet_name', type: 'str', default: "the folder's name", help: 'The name it gets here' },
    { name: 'passphrase', type: 'str', holds: 'passphrase', optional: true, help: 'That of an encrypted wallet; it is the same here' },
    {
      name: 'load_on_startup',
      type: 'bool',
      optional: true,
      help: 'Whether the wallet is loaded at every start from now on: true adds it to the list, false takes it out, null leaves the list as it is',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'name', help: 'Name of the wallet' },
        { type: 'num', key: 'keys', help: 'Private keys in the file' },
        { type: 'num', key: 'descriptors', help: 'Descriptors' },
        { type: 'num', key: 'transactions', help: 'Transactions' },
        { type: 'num', key: 'addresses', help: 'Addresses with a label' },
        { type: 'arr', key: 'warnings', optional: true, help: 'What was left out', inner: [{ type: 'str', help: 'In words' }] },
      ],
    },
  ],
  examples: [{ cli: '"/home/you/.bitcoin/wallets/savings/wallet.dat" "savings"' }],
  waits: true,
};
