import type { HeaderInfo } from '../../context/chain.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hash, hex, num, obj, time } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { Double } from '../../wire/values.js';

const COUNT: ResultSpec = num('window_tx_count?', 'Number of transactions in the window');

export const spec = declare({
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

/** Default window of getchaintxstats: 30 days. */
const WINDOW_SECONDS = 30 * 24 * 60 * 60;

export const getchaintxstats: NodeRun<typeof spec> = (params, ctx) => {
  const { chain } = ctx;
  let last: HeaderInfo = chain.tip;
  if (params.blockhash !== undefined) {
    last = chain.node(params.blockhash) ?? notFound();
    if (!chain.contains(last)) fail(RPC_CODE.INVALID_PARAMETER, 'Block is not in main chain');
  }
  const month = Math.floor(WINDOW_SECONDS / chain.params.powTargetSpacing);
  const count = params.nblocks ?? Math.max(0, Math.min(month, last.height - 1));
  if (count < 0 || (count > 0 && count >= last.height)) {
    fail(RPC_CODE.INVALID_PARAMETER, "Invalid block count: should be between 0 and the block's height - 1");
  }
  const first = last.ancestor(last.height - count) ?? last;
  const seconds = last.medianTimePast() - first.medianTimePast();
  // Below a snapshot, transactions are not counted until the blocks are downloaded.
  const counted = last.chainTxCount > 0 && first.chainTxCount > 0;
  const transactions = counted ? last.chainTxCount - first.chainTxCount : undefined;
  return {
    time: last.time,
    txcount: last.chainTxCount > 0 ? last.chainTxCount : undefined,
    window_final_block_hash: last.hashHex,
    window_final_block_height: last.height,
    window_block_count: count,
    window_tx_count: count > 0 ? transactions : undefined,
    window_interval: count > 0 ? seconds : undefined,
    txrate: transactions !== undefined && count > 0 && seconds > 0 ? new Double(transactions / seconds) : undefined,
  };
};
