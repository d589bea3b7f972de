import { hex, none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importprunedfunds: MethodSpec = {
  name: 'importprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    "Records a confirmed transaction without a scan, by a proof that it is in the chain. Its addresses must be the wallet's already.",
  args: [hex('rawtransaction', 'The transaction'), hex('txoutproof', 'Its proof, as gettxoutproof makes it')],
  results: [none()],
  examples: [{ cli: '"signedhex" "proof"', rpc: '"signedhex", "proof"' }],
};
