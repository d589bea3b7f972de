// Declares checkdeclaredblock.
import type { MethodSpec } from '../../declare/types.js';

export const checkdeclaredblock: MethodSpec = {
  name: 'checkdeclaredblock',
  category: 'mining',
  runs: 'node',
  description:
    'Checks a block without proof of work, as getblocktemplate does in mode "proposal", with wtxids instead of its transactions (not in Bitcoin Core).\nTransactions are looked for in the mempool, in pinned jobs, among those kept for block reconstruction, and in the last three blocks.\nNothing is kept.',
  args: [
    { name: 'header', type: 'hex', help: 'The 80 bytes of the header; its nonce does not matter' },
    { name: 'coinbase', type: 'hex', help: 'The coinbase transaction with its witness' },
    {
      name: 'wtxids',
      type: 'arr',
      help: 'The transactions after the coinbase, in block order',
      inner: [{ name: 'wtxid', type: 'hex', optional: true, help: '' }],
    },
    {
      name: 'transactions',
      type: 'arr',
      optional: true,
      help: 'Transactions that an earlier call has found missing, in any order; only those that wtxids lists are used',
      inner: [{ name: 'transaction', type: 'hex', optional: true, help: '' }],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'bool',
          key: 'valid',
          optional: true,
          help: 'Whether the block is valid but for its proof of work; left out when transactions are missing',
        },
        { type: 'str', key: 'reject-reason', optional: true, help: 'Why it is not, as a proposal is answered' },
        {
          type: 'arr',
          key: 'missing',
          optional: true,
          help: 'Transactions that are not known here: to be sent with the next call',
          inner: [{ type: 'hex', help: 'wtxid' }],
        },
      ],
    },
  ],
  examples: [{ cli: `"header" "coinbase" '["mywtxid",...]'`, rpc: '"header", "coinbase", ["mywtxid",...]' }],
};
