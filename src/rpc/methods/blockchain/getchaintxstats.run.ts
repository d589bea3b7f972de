import type { HeaderInfo } from '../../context/chain.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { Double } from '../../wire/values.js';
import type { getchaintxstats as spec } from './getchaintxstats.spec.js';

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
