// Declares getmempoolentry.
import { ENTRY_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolentry: MethodSpec = {
  name: 'getmempoolentry',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'A transaction of the pool.',
  args: [{ name: 'txid', type: 'hex', help: 'The transaction id (must be in the pool)' }],
  results: [{ type: 'obj', help: '', inner: ENTRY_MEMBERS }],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
};
