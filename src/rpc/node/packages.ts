// submitpackage, and testmempoolaccept of several transactions: Core master's answers (rpc/mempool.cpp).
import { hashKey } from '../../consensus/bytes/hex.js';
import { isUnspendable } from '../../consensus/coin.js';
import { OP } from '../../consensus/script/opcodes.js';
import { ScriptTokenizer } from '../../consensus/script/tokenizer.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { PackageTxResult } from '../../mempool/package/package-acceptor.js';
import { isChildWithLoneParents, MAX_PACKAGE_COUNT, packageFaultText } from '../../mempool/package/package-shape.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { asAmount, asArray, asString, checkTypes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { decodeTx } from './raw-tx.js';

/** 0.10 BTC per 1,000 virtual bytes. */
const DEFAULT_MAX_FEE_RATE = 10_000_000;
/** A whole coin per 1,000 virtual bytes is a mistake. */
export const ABSURD_FEE_RATE = 100_000_000;

/** Bytes that a script may push at once. */
const MAX_PUSH = 520;

type Fields = Record<string, JsonResult>;

export const failAbsurdRate = (): never => fail(RPC_CODE.INVALID_PARAMETER, 'Fee rates larger than or equal to 1BTC/kvB are not accepted');

export const failBurnt = (): never => fail(RPC_CODE.VERIFY_ERROR, 'Unspendable output exceeds maximum configured by user (maxburnamount)');

/** Why a transaction is refused, as testmempoolaccept says it. */
export const rejectMembers = (reject: Reject): Record<string, JsonResult> =>
  reject.category === 'missing-inputs'
    ? { 'reject-reason': 'missing-inputs' }
    : { 'reject-reason': reject.reason, 'reject-details': rejectText(reject) };

/** The transactions of a list of texts. */
export function packageTxs(ctx: NodeContext, texts: readonly JsonValue[]): TxView[] {
  return texts.map((text) => {
    const hex = asString(text);
    const tx = decodeTx(ctx, hex);
    return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed: ${hex} Make sure the tx has at least one input.`);
  });
}

const keyOf = (tx: TxView): string => hashKey(tx.wtxid);

const isGiven = (value: JsonValue | undefined): boolean => (value ?? null) !== null;

export const submitpackage: Run<NodeContext> = async (ctx, args) => {
  checkTypes(args, ['array', null, null]);
  const list = asArray(args[0]);
  if (list.length === 0 || list.length > MAX_PACKAGE_COUNT) {
    fail(RPC_CODE.INVALID_PARAMETER, `Array must contain between 1 and ${MAX_PACKAGE_COUNT} transactions.`);
  }
  const maxFeeRate = isGiven(args[1]) ? asAmount(args[1]) : DEFAULT_MAX_FEE_RATE;
  if (maxFeeRate >= ABSURD_FEE_RATE) failAbsurdRate();
  const maxBurn = isGiven(args[2]) ? asAmount(args[2]) : 0;
  const txs = packageTxs(ctx, list);
  for (const tx of txs) {
    if (burns(tx, maxBurn)) failBurnt();
  }
  if (txs.length > 1 && !isChildWithLoneParents(txs)) {
    fail(RPC_CODE.VERIFY_ERROR, 'package topology disallowed. not child-with-parents or parents depend on each other.');
  }
  const { fault, results } = await ctx.mempool.acceptPackage(txs, maxFeeRate === 0 ? {} : { maxFeeRate });
  const shown: Fields = {};
  const replaced: Uint8Array[] = [];
  for (const tx of txs) {
    // Once, as Core does: nothing of a package waits until a peer has asked for it. What came in and was pushed out
    // again is not told.
    ctx.mempool.announce(tx.txid);
    const result = results.get(keyOf(tx));
    shown[hashHex(tx.wtxid)] = {
      txid: hashHex(tx.txid),
      ...(result === undefined ? { error: 'package-not-validated' } : submitted(tx, result)),
    };
    if (result?.kind === 'valid') replaced.push(...result.replaced);
  }
  const ids = [...new Map(replaced.sort(Buffer.compare).map((txid) => [hashHex(txid), txid])).keys()];
  return {
    package_msg: fault === null ? 'success' : packageFaultText(fault),
    'tx-results': shown,
    'replaced-transactions': ids,
  };
};

/**
 * Each transaction's fate as testmempoolaccept tells it; the list has two or more.
 * @param maxRate satoshis per 1,000 virtual bytes, 0 for any
 */
export async function testPackage(ctx: NodeContext, txs: readonly TxView[], maxRate: number): Promise<JsonResult> {
  const { fault, results } = await ctx.mempool.testPackage(txs);
  let over = false;
  return txs.map((tx): Fields => {
    const shown: Fields = { txid: hashHex(tx.txid), wtxid: hashHex(tx.wtxid) };
    if (fault?.kind === 'policy') shown['package-error'] = packageFaultText(fault);
    const result = results.get(keyOf(tx));
    if (over || result === undefined) return shown;
    if (result.kind === 'invalid') {
      return { ...shown, allowed: false, ...rejectMembers(result.reject) };
    }
    if (result.kind !== 'valid') return shown;
    const most = feeForSize(maxRate, result.size);
    if (most !== 0 && result.fee > most) {
      over = true;
      return { ...shown, allowed: false, 'reject-reason': 'max-fee-exceeded' };
    }
    return { ...shown, allowed: true, ...sizesOf(tx, result.size), fees: feesOf(result) };
  });
}

/** With what counts for its signature operations, and without it. */
const sizesOf = (tx: TxView, size: number): Fields => ({ vsize_adjusted: size, vsize: size, vsize_bip141: tx.vsize });

function submitted(tx: TxView, result: PackageTxResult): Fields {
  switch (result.kind) {
    case 'valid':
      return { ...sizesOf(tx, result.size), fees: feesOf(result) };
    case 'known':
      return { ...sizesOf(tx, result.size), fees: { base: new Amount(result.fee) } };
    case 'other-witness':
      return { 'other-wtxid': hashHex(result.wtxid) };
    case 'invalid':
      return { error: rejectText(result.reject) };
  }
}

function feesOf({ fee, feeRate, includes }: Extract<PackageTxResult, { kind: 'valid' }>): Fields {
  return { base: new Amount(fee), 'effective-feerate': new Amount(feeRate), 'effective-includes': includes.map(hashHex) };
}

/** Whether an output of more than so many satoshis can never be spent. */
export function burns(tx: TxView, maxBurn: number): boolean {
  for (let i = 0; i < tx.outputCount; i++) {
    const script = tx.outputScript(i);
    if (tx.outputValue(i) > maxBurn && (isUnspendable(script) || !hasValidOps(script))) return true;
  }
  return false;
}

/**
 * Core's HasValidOps: whether the script can be read, has no pushes that are too long and no opcodes beyond the known
 * ones.
 */
function hasValidOps(script: Uint8Array): boolean {
  const tokens = new ScriptTokenizer(script);
  while (tokens.next()) {
    if (tokens.opcode > OP.OP_NOP10 || tokens.dataEnd - tokens.dataStart > MAX_PUSH) return false;
  }
  return !tokens.failed;
}
