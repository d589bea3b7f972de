import { arr, bool, hex, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const checkdeclaredblock: MethodSpec = {
  name: 'checkdeclaredblock',
  category: 'mining',
  runs: 'node',
  description:
    'Checks a block without proof of work, as getblocktemplate does in mode "proposal", with wtxids instead of its transactions (not in Bitcoin Core).\nTransactions are looked for in the mempool, in pinned jobs, among those kept for block reconstruction, and in the last three blocks.\nNothing is kept.',
  args: [
    hex('header', 'The 80 bytes of the header; its nonce does not matter'),
    hex('coinbase', 'The coinbase transaction with its witness'),
    arr('wtxids', 'The transactions after the coinbase, in block order', [hex('wtxid?', '')]),
    arr('transactions?', 'Transactions that an earlier call has found missing, in any order; only those that wtxids lists are used', [
      hex('transaction?', ''),
    ]),
  ],
  results: [
    obj([
      bool('valid?', 'Whether the block is valid but for its proof of work; left out when transactions are missing'),
      str('reject-reason?', 'Why it is not, as a proposal is answered'),
      arr('missing?', 'Transactions that are not known here: to be sent with the next call', [hex('wtxid')]),
    ]),
  ],
  examples: [{ cli: `"header" "coinbase" '["mywtxid",...]'`, rpc: '"header", "coinbase", ["mywtxid",...]' }],
};
