import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, str } from '../../declare/parts.js';

export const checkdeclaredblock = declare({
  name: 'checkdeclaredblock',
  category: 'mining',
  runs: 'node',
  description:
    'Checks a block without proof of work, as getblocktemplate does in mode "proposal", but takes wtxids in place\nof the transactions (not in Bitcoin Core).\nThe call finds transactions in the mempool, in pinned jobs, among those stored for block reconstruction, and\nin the last three blocks. It stores nothing.',
  args: [
    hex('header', 'The 80 bytes of the header. Any nonce is accepted', { as: 'json' }),
    hex('coinbase', 'The coinbase transaction with its witness', { as: 'json' }),
    arr('wtxids', 'The transactions after the coinbase, in block order', [hex('wtxid?', '')]),
    arr(
      'transactions?',
      'Transactions that an earlier call has reported as missing, in any order. The call ignores transactions that are not in wtxids',
      [hex('transaction?', '')],
    ),
  ],
  results: [
    obj([
      bool('valid?', 'Whether the block is valid except for its proof of work. Absent if transactions are missing'),
      str('reject-reason?', 'The reject reason, as for a proposal'),
      arr('missing?', 'Transactions that the node does not know. Send them with the next call', [hex('wtxid')]),
    ]),
  ],
  examples: [{ cli: `"header" "coinbase" '["mywtxid",...]'`, rpc: '"header", "coinbase", ["mywtxid",...]' }],
});
