import { arr, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getprivatebroadcastinfo: MethodSpec = {
  name: 'getprivatebroadcastinfo',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Transactions that are being sent privately, with -privatebroadcast.',
  args: [],
  results: [
    obj([
      arr('transactions', '', [
        obj([
          hex('txid', 'The transaction id'),
          hex('wtxid', 'The same with its witness'),
          hex('hex', 'The transaction'),
          time('time_added', 'When it was handed in', { since: 32 }),
          num('attempts_remaining', 'How often it may still be sent; 0: not again before it is handed in again', { since: 32 }),
          arr('peers', '', [
            obj([str('address', 'A peer that it was sent to'), time('sent', 'When'), time('received?', 'When the peer confirmed it')]),
          ]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
