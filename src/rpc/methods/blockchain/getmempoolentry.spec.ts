import { ENTRY_MEMBERS } from '../../declare/members.js';
import { hex, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolentry: MethodSpec = {
  name: 'getmempoolentry',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the mempool entry of a transaction.',
  args: [hex('txid', 'The transaction id (must be in the mempool)')],
  results: [obj(ENTRY_MEMBERS)],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
};
