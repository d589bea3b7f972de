import { bool, hex, num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const prioritisetransaction: MethodSpec = {
  name: 'prioritisetransaction',
  category: 'mining',
  runs: 'node',
  description:
    'Makes a transaction count as if its fee were higher or lower when blocks are put together.\nOnly the order changes; the fee itself stays.',
  args: [
    hex('txid', 'The transaction'),
    num('dummy?', 'Old priority, must be 0 or null'),
    num('fee_delta', 'Satoshis to add, at most 2^52 either way; they add up over calls'),
  ],
  results: [bool('Always true')],
  examples: [{ cli: '"txid" 0.0 10000', rpc: '"txid", 0.0, 10000' }],
};
