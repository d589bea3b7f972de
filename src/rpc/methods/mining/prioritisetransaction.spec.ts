// Declares prioritisetransaction.
import type { MethodSpec } from '../../declare/types.js';

export const prioritisetransaction: MethodSpec = {
  name: 'prioritisetransaction',
  category: 'mining',
  runs: 'node',
  description:
    'Makes a transaction count as if its fee were higher or lower when blocks are put together.\nOnly the order changes; the fee itself stays.',
  args: [
    { name: 'txid', type: 'hex', help: 'The transaction' },
    { name: 'dummy', type: 'num', optional: true, help: 'Old priority, must be 0 or null' },
    { name: 'fee_delta', type: 'num', help: 'Satoshis to add, at most 2^52 either way; they add up over calls' },
  ],
  results: [{ type: 'bool', help: 'Always true' }],
  examples: [{ cli: '"txid" 0.0 10000', rpc: '"txid", 0.0, 10000' }],
};
