// Shared by sendrawtransaction and testmempoolaccept. Core 0.21: rpc/rawtransaction.cpp, node/transaction.cpp.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { follows } from '../../policy/compat.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { ABSURD_FEE_RATE, failAbsurdRate } from './packages.js';
import { decodeTx } from './raw-tx.js';
import { TxBatchPrefetch } from './tx-batch-prefetch.js';

/** Default of maxfeerate: 0.10 BTC per 1,000 virtual bytes. */

const undecodable = (what = '.'): never =>
  fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed${what} Make sure the tx has at least one input.`);

/**
 * Parses a transaction. In a batch it may have been parsed before, and its scripts may already run.
 * @throws RpcError
 */
export const offeredTx = (ctx: NodeContext, text: string, call: CallInfo, what?: string): TxView =>
  (call.prefetch instanceof TxBatchPrefetch ? call.prefetch.takeTx(text) : undefined) ?? decodeTx(ctx, text) ?? undecodable(what);

/** Reads maxfeerate, in satoshis per 1,000 virtual bytes; 0 means any. */
export function maxRate({ compat }: NodeContext, rate: number): number {
  if (rate >= ABSURD_FEE_RATE && follows(compat, 27)) failAbsurdRate();
  return rate;
}
