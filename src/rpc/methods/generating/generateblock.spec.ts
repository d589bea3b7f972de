// Declares generateblock.
import type { MethodSpec } from '../../declare/types.js';

export const generateblock: MethodSpec = {
  name: 'generateblock',
  category: 'generating',
  runs: 'node',
  description:
    'Mines one block with the given transactions in the given order and pays it to an address or descriptor.\nFees are not collected.',
  args: [
    { name: 'output', type: 'str', holds: 'descriptor', help: 'An address or a descriptor.' },
    {
      name: 'transactions',
      type: 'arr',
      help: 'The transactions: ids of the pool, or raw ones',
      inner: [{ name: 'rawtx/txid', type: 'str', optional: true, help: '' }],
    },
    { name: 'submit', since: 25, type: 'bool', default: 'true', help: 'Whether it joins the chain; without, its bytes are the answer' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'hash', help: 'Hash of the block' },
        { type: 'hex', key: 'hex', since: 25, optional: true, help: 'The block, when submit is false' },
      ],
    },
  ],
  examples: [{ title: 'A block with two transactions', cli: `"myaddress" '["rawtx", "mempool_txid"]'` }],
  waits: true,
};
