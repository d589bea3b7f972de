import { arr, bool, hex, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const generateblock: MethodSpec = {
  name: 'generateblock',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description:
    'Mines one block with the given transactions in the given order and pays it to an address or descriptor.\nFees are not collected.',
  args: [
    str('output', 'An address or a descriptor.', { holds: 'descriptor' }),
    arr('transactions', 'The transactions: ids of the pool, or raw ones', [str('rawtx/txid?', '')]),
    bool('submit', 'Whether it joins the chain; without, its bytes are the answer', { since: 25, default: 'true' }),
  ],
  results: [obj([hex('hash', 'Hash of the block'), hex('hex?', 'The block, when submit is false', { since: 25 })])],
  examples: [{ title: 'A block with two transactions', cli: `"myaddress" '["rawtx", "mempool_txid"]'` }],
  waits: true,
};
