import { declare } from '../../declare/parameters.js';
import { bytes, hex, none } from '../../declare/parts.js';

export const importprunedfunds = declare({
  name: 'importprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Records a confirmed transaction without a scan. A proof shows that it is in the chain. Its addresses must\nalready be in the wallet.',
  args: [hex('rawtransaction', 'The transaction'), bytes('txoutproof', 'The proof from gettxoutproof', { errorName: 'proof' })],
  results: [none()],
  examples: [{ cli: '"signedhex" "proof"', rpc: '"signedhex", "proof"' }],
});
