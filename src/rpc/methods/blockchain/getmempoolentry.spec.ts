import { ENTRY_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj } from '../../declare/parts.js';

export const getmempoolentry = declare({
  name: 'getmempoolentry',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the mempool entry of a transaction.',
  args: [hex('txid', 'The transaction id (must be in the mempool)')],
  results: [obj(ENTRY_MEMBERS)],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
});
