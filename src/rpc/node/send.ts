// sendrawtransaction and testmempoolaccept: raw transactions into the pool, or as if. Core 0.21: rpc/rawtransaction.cpp,
// node/transaction.cpp.
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { MAX_PACKAGE_COUNT } from '../../mempool/package/package-shape.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { asAmount, asArray, asString, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { outpointOf } from './lookup.js';
import { packageTxs, testPackage } from './packages.js';
import { decodeTx } from './raw-tx.js';
import { SendAhead } from './send-ahead.js';

/** 0.10 BTC per 1,000 virtual bytes. */
const DEFAULT_MAX_FEE_RATE = 10_000_000;

const undecodable = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed. Make sure the tx has at least one input.');

/** The transaction of a text; in a batch perhaps read before, with its scripts under way. */
const offeredTx = (ctx: NodeContext, text: string, call: CallInfo): TxView =>
  (call.ahead instanceof SendAhead ? call.ahead.take(text) : undefined) ?? decodeTx(ctx, text) ?? undecodable();

/** The highest fee a caller allows; 0 given means any. */
function maxFee(value: JsonValue | undefined, tx: TxView): number {
  const rate = (value ?? null) === null ? DEFAULT_MAX_FEE_RATE : asAmount(value);
  return feeForSize(rate, tx.vsize) || Number.MAX_SAFE_INTEGER;
}

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
 * Core asks first whether a block has the transaction. A transaction that a block has cannot be accepted, so asking only
 * after a refusal gives the same answers and spares everyone else the search.
 */
export const sendrawtransaction: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string', null]);
  const tx = offeredTx(ctx, asString(args[0]), call);
  const maxFeeSats = maxFee(args[1], tx);
  const { txid } = tx;
  await ctx.mempool.settled();
  if (!ctx.mempool.get(txid)) {
    const { reject, fee } = await ctx.mempool.accept(tx, { maxFeeSats });
    if (reject) {
      if (await isConfirmed(ctx, tx)) fail(RPC_CODE.VERIFY_ALREADY_IN_CHAIN, 'Transaction already in block chain');
      refuse(reject);
    }
    if (fee > maxFeeSats) {
      fail(RPC_CODE.VERIFY_ERROR, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)');
    }
  }
  ctx.mempool.addUnbroadcast(txid);
  return hashHex(txid);
};

export const testmempoolaccept: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['array', null]);
  const list = asArray(args[0]);
  // Core 0.21 takes one and refuses every other list; newer ones take several, but none twice.
  if (list.length === 0 || list.length > MAX_PACKAGE_COUNT || new Set(list).size < list.length) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Array must contain exactly one raw transaction for now');
  }
  if (list.length > 1) return testPackage(ctx, packageTxs(ctx, list), args[1]);
  const tx = offeredTx(ctx, asString(list[0]), call);
  const limit = maxFee(args[1], tx);
  const txid = hashHex(tx.txid);
  const { reject, fee, vsize } = await ctx.mempool.accept(tx, { testOnly: true });
  if (reject) {
    return [{ txid, allowed: false, 'reject-reason': reject.category === 'missing-inputs' ? 'missing-inputs' : reject.reason }];
  }
  if (fee > limit) return [{ txid, allowed: false, 'reject-reason': 'max-fee-exceeded' }];
  return [{ txid, allowed: true, vsize, fees: { base: new Amount(fee) } }];
};
