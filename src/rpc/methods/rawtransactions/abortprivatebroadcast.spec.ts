// Declares abortprivatebroadcast.
import type { MethodSpec } from '../../declare/types.js';

export const abortprivatebroadcast: MethodSpec = {
  name: 'abortprivatebroadcast',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Sends a transaction no further, with -privatebroadcast.',
  args: [{ name: 'id', type: 'hex', help: 'Its txid or wtxid; several transactions may have one txid' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'removed_transactions',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'txid', help: 'The transaction id' },
                { type: 'hex', key: 'wtxid', help: 'The same with its witness' },
                { type: 'hex', key: 'hex', help: 'The transaction' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '"id"', rpc: '"id"' }],
};
