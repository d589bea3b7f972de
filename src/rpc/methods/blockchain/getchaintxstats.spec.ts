import { declare } from '../../declare/parameters.js';
import { hash, hex, num, obj, time } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';

const COUNT: ResultSpec = num('window_tx_count?', 'Number of transactions in the window');

export const getchaintxstats = declare({
  name: 'getchaintxstats',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the number and rate of transactions in the chain.',
  args: [
    num('nblocks', 'Size of the window in blocks', { default: 'one month' }),
    hash('blockhash', 'The block that ends the window.', { default: 'chain tip' }),
  ],
  results: [
    obj([
      time('time', 'Time of the last block'),
      num('txcount?', 'Number of transactions in the chain up to that block. Absent while blocks below a snapshot are missing'),
      hex('window_final_block_hash', 'Its hash'),
      num('window_final_block_height', 'Its height'),
      num('window_block_count', 'Number of blocks in the window'),
      { ...COUNT, until: 22 },
      num('window_interval?', 'Length of the window in seconds'),
      { ...COUNT, since: 22 },
      num('txrate?', 'Transactions per second'),
    ]),
  ],
  examples: [{ cli: '', rpc: '2016' }],
});
