import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, str } from '../../declare/parts.js';

export const generateblock = declare({
  name: 'generateblock',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description:
    'Mines one block with the given transactions in the given order, and pays it to an address or descriptor. The\nminer does not get the fees.',
  args: [
    str('output', 'An address or a descriptor.', { holds: 'descriptor' }),
    arr('transactions', 'The transactions: ids of transactions in the mempool, or transactions as hex', [str('rawtx/txid?', '')]),
    bool('submit', 'Whether to submit the block. If false, the reply contains the block', {
      since: 25,
      default: 'true',
    }),
  ],
  results: [obj([hex('hash', 'Hash of the block'), hex('hex?', 'The block, only if submit is false', { since: 25 })])],
  examples: [{ title: 'A block with two transactions', cli: `"myaddress" '["rawtx", "mempool_txid"]'` }],
  waits: true,
});
