// Declares getchaintxstats.
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const COUNT: ResultSpec = { type: 'num', key: 'window_tx_count', optional: true, help: 'Transactions of the window' };

export const getchaintxstats: MethodSpec = {
  name: 'getchaintxstats',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Number and rate of transactions in the chain.',
  args: [
    { name: 'nblocks', type: 'num', default: 'one month', help: 'Size of the window in blocks' },
    { name: 'blockhash', type: 'hex', default: 'chain tip', help: 'The block that ends the window.' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num-time', key: 'time', help: 'Time of the last block' },
        {
          type: 'num',
          key: 'txcount',
          optional: true,
          help: 'Transactions in the chain up to it; absent while blocks below a snapshot are missing',
        },
        { type: 'hex', key: 'window_final_block_hash', help: 'Its hash' },
        { type: 'num', key: 'window_final_block_height', help: 'Its height' },
        { type: 'num', key: 'window_block_count', help: 'Blocks of the window' },
        { ...COUNT, until: 22 },
        { type: 'num', key: 'window_interval', optional: true, help: 'Seconds of the window' },
        { ...COUNT, since: 22 },
        { type: 'num', key: 'txrate', optional: true, help: 'Transactions per second' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '2016' }],
};
