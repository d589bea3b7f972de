// Runs sendrawtransaction. Core 0.21: rpc/rawtransaction.cpp, node/transaction.
import { type Reject, rejectText } from '../../../consensus/state.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { follows } from '../../../policy/compat.js';
import { asAmount, asString } from '../../args.js';
import type { PoolVerdict } from '../../context/mempool.js';
import type { PrivateBroadcastAccess } from '../../context/network.js';
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { outpointOf } from '../../node/lookup.js';
import { burns, failBurnt, maxFee } from '../../node/packages.js';
import { checkReachable, sendPrivately } from '../../node/private-broadcast.js';
import { maxRate, offeredTx } from '../../node/send.js';
import { hashHex } from '../../render/hex.js';
import type { JsonResult } from '../../wire/values.js';

/** Whether an output of the transaction is among the unspent ones, that is, whether a block has it. */
async function isConfirmed(ctx: NodeContext, tx: TxView): Promise<boolean> {
  for (let i = 0; i < tx.outputCount; i++) if (await ctx.chain.coin(outpointOf(tx.txid, i))) return true;
  return false;
}

/** A transaction on its way. */
interface Offer {
  readonly tx: TxView;
  readonly maxFeeSats: number;
  readonly privately: PrivateBroadcastAccess | null;
}

/** Without a promise where the pool needs none, since batches have thousands. */
export const sendrawtransaction: Run<NodeContext> = (ctx, args, call) => {
  const maxBurn = (args[2] ?? null) === null ? 0 : asAmount(args[2]);
  const tx = offeredTx(ctx, asString(args[0]), call);
  // Before release 25 nothing was said of what is burnt, so only a caller that asks is told.
  if ((follows(ctx.compat, 25) || (args[2] ?? null) !== null) && burns(tx, maxBurn)) failBurnt();
  const maxFeeSats = maxFee(ctx, maxRate(ctx, args[1]), tx.vsize);
  const privately = ctx.network.privately();
  if (privately !== null) checkReachable(privately);
  const offer = { tx, maxFeeSats, privately };
  return ctx.mempool.returning ? ctx.mempool.settled().then(() => send(ctx, offer)) : send(ctx, offer);
};

function send(ctx: NodeContext, offer: Offer): JsonResult | Promise<JsonResult> {
  const { tx, maxFeeSats, privately } = offer;
  if (ctx.mempool.get(tx.txid) !== undefined) return pass(ctx, offer, true);
  const verdict = ctx.mempool.accept(tx, { maxFeeSats, testOnly: privately !== null });
  return verdict instanceof Promise ? verdict.then((late) => judged(ctx, offer, late)) : judged(ctx, offer, verdict);
}

/**
 * Core asks first whether a block has the transaction. A transaction that a block has cannot be accepted, so asking
 * only after a refusal gives the same answers and saves accepted transactions the search.
 */
function judged(ctx: NodeContext, offer: Offer, { reject, fee }: PoolVerdict): JsonResult | Promise<JsonResult> {
  const { tx, maxFeeSats } = offer;
  if (reject) return refuse(ctx, tx, reject);
  if (fee > maxFeeSats) fail(RPC_CODE.VERIFY_ERROR, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)');
  return pass(ctx, offer, false);
}

async function refuse(ctx: NodeContext, tx: TxView, reject: Reject): Promise<never> {
  if (await isConfirmed(ctx, tx)) {
    fail(
      RPC_CODE.VERIFY_ALREADY_IN_CHAIN,
      follows(ctx.compat, 28) ? 'Transaction outputs already in utxo set' : 'Transaction already in block chain',
    );
  }
  const code = reject.category === 'missing-inputs' ? RPC_CODE.VERIFY_ERROR : RPC_CODE.VERIFY_REJECTED;
  return fail(code, rejectText(reject));
}

/** Has peers told of it. @param known it was in the pool before */
function pass(ctx: NodeContext, { tx, privately }: Offer, known: boolean): JsonResult {
  if (privately !== null) sendPrivately(privately, tx);
  // Before release 23 one that was here already was marked too.
  else if (known && follows(ctx.compat, 23)) ctx.mempool.announce(tx.txid);
  else ctx.mempool.addUnbroadcast(tx.txid);
  return hashHex(tx.txid);
}
