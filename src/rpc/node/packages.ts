// submitpackage, and testmempoolaccept of several transactions: Core master's answers (rpc/mempool.cpp).
import { hashKey } from '../../consensus/bytes/hex.js';
import { isUnspendable } from '../../consensus/coin.js';
import { OP } from '../../consensus/script/opcodes.js';
import { ScriptTokenizer } from '../../consensus/script/tokenizer.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { PackageTxResult } from '../../mempool/package/package-acceptor.js';
import { packageFaultText } from '../../mempool/package/package-shape.js';
import { follows } from '../../policy/compat.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { decodeTx } from './raw-tx.js';

/** A whole coin per 1,000 virtual bytes is a mistake. */
export const ABSURD_FEE_RATE = 100_000_000;

/** Bytes that a script may push at once. */
const MAX_PUSH = 520;

export type Fields = Record<string, JsonResult>;

export const failAbsurdRate = (): never => fail(RPC_CODE.INVALID_PARAMETER, 'Fee rates larger than or equal to 1BTC/kvB are not accepted');

export const failBurnt = (): never => fail(RPC_CODE.VERIFY_ERROR, 'Unspendable output exceeds maximum configured by user (maxburnamount)');

/** Why a transaction is refused, as testmempoolaccept says it. */
export const rejectMembers = (reject: Reject): Record<string, JsonResult> =>
  reject.category === 'missing-inputs'
    ? { 'reject-reason': 'missing-inputs' }
    : { 'reject-reason': reject.reason, 'reject-details': rejectText(reject) };

/** A transaction of a list of texts. */
export function packageTx(ctx: NodeContext, text: JsonValue): TxView {
  const hex = asString(text);
  const tx = decodeTx(ctx, hex);
  return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed: ${hex} Make sure the tx has at least one input.`);
}

/** The highest fee that a caller's rate allows; rounded up since release 23. */
export const maxFee = ({ compat }: NodeContext, rate: number, size: number): number =>
  feeForSize(rate, size, follows(compat, 23)) || Number.MAX_SAFE_INTEGER;

export const keyOf = (tx: TxView): string => hashKey(tx.wtxid);

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
    if (result.fee > maxFee(ctx, maxRate, result.size)) {
      over = true;
      return { ...shown, allowed: false, 'reject-reason': 'max-fee-exceeded' };
    }
    return { ...shown, allowed: true, ...sizesOf(tx, result.size), fees: feesOf(result) };
  });
}

/** With what counts for its signature operations, and without it. */
export const sizesOf = (tx: TxView, size: number): Fields => ({ vsize_adjusted: size, vsize: size, vsize_bip141: tx.vsize });

export function feesOf({ fee, feeRate, includes }: Extract<PackageTxResult, { kind: 'valid' }>): Fields {
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
