// sendrawtransaction and testmempoolaccept: raw transactions into the pool, or as if. Core 0.21:
// rpc/rawtransaction.cpp, node/transaction.cpp.
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { MAX_PACKAGE_COUNT } from '../../mempool/package/package-shape.js';
import { follows, only } from '../../policy/compat.js';
import { feeForSize, feeRateOf } from '../../policy/fee-rate.js';
import { asAmount, asArray, asString, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { outpointOf } from './lookup.js';
import { ABSURD_FEE_RATE, burns, failAbsurdRate, failBurnt, packageTxs, rejectMembers, testPackage } from './packages.js';
import { checkReachable, sendPrivately } from './private-broadcast.js';
import { decodeTx } from './raw-tx.js';
import { SendAhead } from './send-ahead.js';

/** 0.10 BTC per 1,000 virtual bytes. */
const DEFAULT_MAX_FEE_RATE = 10_000_000;

const undecodable = (what = '.'): never =>
  fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed${what} Make sure the tx has at least one input.`);

/** The transaction of a text; in a batch perhaps read before, with its scripts under way. */
const offeredTx = (ctx: NodeContext, text: string, call: CallInfo, what?: string): TxView =>
  (call.ahead instanceof SendAhead ? call.ahead.take(text) : undefined) ?? decodeTx(ctx, text) ?? undecodable(what);

/** The highest rate that a caller allows, satoshis per 1,000 virtual bytes; 0 means any. */
function maxRate({ compat }: NodeContext, value: JsonValue | undefined): number {
  const rate = (value ?? null) === null ? DEFAULT_MAX_FEE_RATE : asAmount(value);
  if (rate >= ABSURD_FEE_RATE && follows(compat, 27)) failAbsurdRate();
  return rate;
}

/** The highest fee that a caller allows. */
const maxFee = (rate: number, size: number): number => feeForSize(rate, size) || Number.MAX_SAFE_INTEGER;

function refuse(reject: Reject): never {
  const code = reject.category === 'missing-inputs' ? RPC_CODE.VERIFY_ERROR : RPC_CODE.VERIFY_REJECTED;
  return fail(code, rejectText(reject));
}

/** Whether an output of the transaction is among the unspent ones, that is, whether a block has it. */
async function isConfirmed(ctx: NodeContext, tx: TxView): Promise<boolean> {
  for (let i = 0; i < tx.outputCount; i++) if (await ctx.chain.coin(outpointOf(tx.txid, i))) return true;
  return false;
}

/**
 * Core asks first whether a block has the transaction. A transaction that a block has cannot be accepted, so asking
 * only after a refusal gives the same answers and spares everyone else the search.
 */
export const sendrawtransaction: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string', null]);
  const tx = offeredTx(ctx, asString(args[0]), call);
  const maxFeeSats = maxFee(maxRate(ctx, args[1]), tx.vsize);
  const maxBurn = (args[2] ?? null) === null ? 0 : asAmount(args[2]);
  // Before release 25 nothing was said of what is burnt, so only a caller that asks is told.
  if ((only(ctx.compat, 25) || (args[2] ?? null) !== null) && burns(tx, maxBurn)) failBurnt();
  const { txid } = tx;
  const privately = ctx.network.privately();
  if (privately !== null) checkReachable(privately);
  await ctx.mempool.settled();
  const known = ctx.mempool.get(txid) !== undefined;
  if (!known) {
    const { reject, fee } = await ctx.mempool.accept(tx, { maxFeeSats, testOnly: privately !== null });
    if (reject) {
      if (await isConfirmed(ctx, tx))
        fail(
          RPC_CODE.VERIFY_ALREADY_IN_CHAIN,
          follows(ctx.compat, 28) ? 'Transaction outputs already in utxo set' : 'Transaction already in block chain',
        );
      refuse(reject);
    }
    if (fee > maxFeeSats) {
      fail(RPC_CODE.VERIFY_ERROR, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)');
    }
  }
  if (privately !== null) {
    sendPrivately(privately, tx);
    return hashHex(txid);
  }
  // Before release 23 one that was here already was marked too.
  if (known && only(ctx.compat, 23)) ctx.mempool.announce(txid);
  else ctx.mempool.addUnbroadcast(txid);
  return hashHex(txid);
};

export const testmempoolaccept: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['array', null]);
  const list = asArray(args[0]);
  // Core 0.21 takes one and refuses every other list; since release 22 there may be several.
  const several = follows(ctx.compat, 22);
  if (list.length === 0 || list.length > MAX_PACKAGE_COUNT || (!several && new Set(list).size < list.length)) {
    const count = several ? `between 1 and ${MAX_PACKAGE_COUNT} transactions.` : 'exactly one raw transaction for now';
    fail(RPC_CODE.INVALID_PARAMETER, `Array must contain ${count}`);
  }
  const rate = maxRate(ctx, args[1]);
  if (list.length > 1) return testPackage(ctx, packageTxs(ctx, list), rate);
  const text = asString(list[0]);
  const tx = offeredTx(ctx, text, call, several ? `: ${text}` : undefined);
  const result = await ctx.mempool.accept(tx, { testOnly: true });
  const { reject, fee } = result;
  // What counts as its size: with its signature operations since release 22.
  const vsize = several ? result.size : result.vsize;
  const ids = { txid: hashHex(tx.txid), wtxid: hashHex(tx.wtxid) };
  if (reject) return [{ ...ids, allowed: false, ...rejectMembers(reject) }];
  if (fee > maxFee(rate, vsize)) return [{ ...ids, allowed: false, 'reject-reason': 'max-fee-exceeded' }];
  const feeRate = feeRateOf(result.modifiedFee, result.size);
  const fees = { base: new Amount(fee), 'effective-feerate': new Amount(feeRate), 'effective-includes': [ids.wtxid] };
  return [{ ...ids, allowed: true, vsize_adjusted: vsize, vsize, vsize_bip141: tx.vsize, fees }];
};
