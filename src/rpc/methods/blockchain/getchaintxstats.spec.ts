import { hex, num, obj, time } from '../../declare/parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const COUNT: ResultSpec = num('window_tx_count?', 'Transactions of the window');

export const getchaintxstats: MethodSpec = {
  name: 'getchaintxstats',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Number and rate of transactions in the chain.',
  args: [
    num('nblocks', 'Size of the window in blocks', { default: 'one month' }),
    hex('blockhash', 'The block that ends the window.', { default: 'chain tip' }),
  ],
  results: [
    obj([
      time('time', 'Time of the last block'),
      num('txcount?', 'Transactions in the chain up to it; absent while blocks below a snapshot are missing'),
      hex('window_final_block_hash', 'Its hash'),
      num('window_final_block_height', 'Its height'),
      num('window_block_count', 'Blocks of the window'),
      { ...COUNT, until: 22 },
      num('window_interval?', 'Seconds of the window'),
      { ...COUNT, since: 22 },
      num('txrate?', 'Transactions per second'),
    ]),
  ],
  examples: [{ cli: '', rpc: '2016' }],
};
