// Declares getprivatebroadcastinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getprivatebroadcastinfo: MethodSpec = {
  name: 'getprivatebroadcastinfo',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Transactions that are being sent privately, with -privatebroadcast.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'transactions',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'txid', help: 'The transaction id' },
                { type: 'hex', key: 'wtxid', help: 'The same with its witness' },
                { type: 'hex', key: 'hex', help: 'The transaction' },
                { type: 'num-time', key: 'time_added', since: 32, help: 'When it was handed in' },
                {
                  type: 'num',
                  key: 'attempts_remaining',
                  since: 32,
                  help: 'How often it may still be sent; 0: not again before it is handed in again',
                },
                {
                  type: 'arr',
                  key: 'peers',
                  help: '',
                  inner: [
                    {
                      type: 'obj',
                      help: '',
                      inner: [
                        { type: 'str', key: 'address', help: 'A peer that it was sent to' },
                        { type: 'num-time', key: 'sent', help: 'When' },
                        { type: 'num-time', key: 'received', optional: true, help: 'When the peer confirmed it' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
