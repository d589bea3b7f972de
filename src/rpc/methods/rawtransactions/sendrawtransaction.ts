// Core 0.21: rpc/rawtransaction.cpp, node/transaction.cpp.

import { type Reject, rejectText } from '../../../consensus/state.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import type { AcceptResult } from '../../../mempool/index.js';
import { follows } from '../../../policy/compat.js';
import type { PrivateBroadcastAccess } from '../../context/network.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, hex } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { outpointOf } from '../../node/lookup.js';
import { burns, failBurnt, maxFee } from '../../node/packages.js';
import { checkReachable, sendPrivately } from '../../node/private-broadcast.js';
import { maxRate, offeredTx } from '../../node/send.js';
import { hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'sendrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  everywhere: true,
  checks: 'types',
  description: 'Submits a signed transaction to the mempool and announces it to peers.',
  args: [
    hex('hexstring', 'The transaction'),
    amount('maxfeerate', 'Refuse the transaction above this fee rate, in BTC/kB.\n0 accepts any fee rate', { default: '0.10' }),
    amount('maxburnamount', 'Refuse transactions whose unspendable outputs exceed this amount, in BTC', {
      seesAbsence: true,
      since: 25,
      default: '0.00',
    }),
  ],
  results: [hex('The transaction id')],
  examples: [{ title: 'Send a signed transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
});

/** Returns whether the transaction has an unspent output in the chain, that is, whether it is confirmed. */
async function isConfirmed(ctx: NodeContext, tx: TxView): Promise<boolean> {
  for (let i = 0; i < tx.outputCount; i++) if (await ctx.coins.coin(outpointOf(tx.txid, i))) return true;
  return false;
}

/** A submitted transaction. */
interface Offer {
  readonly tx: TxView;
  readonly maxFeeSats: number;
  readonly privately: PrivateBroadcastAccess | null;
}

/** Creates no promise unless the mempool needs one, because batches have thousands of calls. */
export const sendrawtransaction: NodeRun<typeof spec> = (params, ctx, call) => {
  const maxBurn = params.maxburnamount ?? 0;
  const tx = offeredTx(ctx, params.hexstring, call);
  // Core has this limit since release 25. Before, only a caller that passes the argument gets the error.
  if ((follows(ctx.compat, 25) || params.maxburnamount !== undefined) && burns(tx, maxBurn)) failBurnt();
  const maxFeeSats = maxFee(ctx, maxRate(ctx, params.maxfeerate), tx.vsize);
  const privately = ctx.network.privately();
  if (privately !== null) checkReachable(privately);
  const offer = { tx, maxFeeSats, privately };
  return ctx.mempool.returning ? ctx.mempool.settled().then(() => send(ctx, offer)) : send(ctx, offer);
};

function send(ctx: NodeContext, offer: Offer): string | Promise<string> {
  const { tx, maxFeeSats, privately } = offer;
  if (ctx.mempool.get(tx.txid) !== undefined) return pass(ctx, offer, true);
  const verdict = ctx.mempool.accept(tx, { maxFeeSats, testOnly: privately !== null });
  return verdict instanceof Promise ? verdict.then((late) => judged(ctx, offer, late)) : judged(ctx, offer, verdict);
}

/**
 * Core first checks whether the transaction is confirmed. A confirmed transaction cannot be accepted, so checking only
 * after a rejection gives the same answers and saves the lookup for accepted transactions.
 */
function judged(ctx: NodeContext, offer: Offer, { reject, fee }: AcceptResult): string | Promise<string> {
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

/** Announces the transaction to peers. @param known whether it was in the mempool before */
function pass(ctx: NodeContext, { tx, privately }: Offer, known: boolean): string {
  if (privately !== null) sendPrivately(privately, tx);
  // Since release 23 a transaction that was already in the mempool is only announced, not marked as unbroadcast.
  else if (known && follows(ctx.compat, 23)) ctx.mempool.announce(tx.txid);
  else ctx.mempool.addUnbroadcast(tx.txid);
  return hashHex(tx.txid);
}
