import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';

export const removeprunedfunds = declare({
  name: 'removeprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Removes a transaction from the wallet, whether importprunedfunds added it or not. The balances change\naccordingly.',
  args: [hash('txid', 'The transaction')],
  results: [none()],
  examples: [
    {
      cli: '"a8d0c0184dde994a09ec054286f1ce581bebf46446a512166eae7628734ea0a5"',
      rpc: '"a8d0c0184dde994a09ec054286f1ce581bebf46446a512166eae7628734ea0a5"',
    },
  ],
});
