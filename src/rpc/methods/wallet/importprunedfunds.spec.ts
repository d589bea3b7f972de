// Declares importprunedfunds.
import type { MethodSpec } from '../../declare/types.js';

export const importprunedfunds: MethodSpec = {
  name: 'importprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    "Records a confirmed transaction without a scan, by a proof that it is in the chain. Its addresses must be the wallet's already.",
  args: [
    { name: 'rawtransaction', type: 'hex', help: 'The transaction' },
    { name: 'txoutproof', type: 'hex', help: 'Its proof, as gettxoutproof makes it' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"signedhex" "proof"', rpc: '"signedhex", "proof"' }],
};
