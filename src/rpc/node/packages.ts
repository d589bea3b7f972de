// Shared by submitpackage and testmempoolaccept of several transactions: results of Core 31 (rpc/mempool.cpp).
import { hashKey } from '../../consensus/bytes/hex.js';
import { isUnspendable } from '../../consensus/coin.js';
import { OP } from '../../consensus/script/opcodes.js';
import { ScriptTokenizer } from '../../consensus/script/tokenizer.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { type PackageTxResult, packageFaultText } from '../../mempool/index.js';
import { follows } from '../../policy/compat.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { decodeTx } from './raw-tx.js';

/** Fee rates of 1 BTC per 1,000 virtual bytes and more count as mistakes. */
export const ABSURD_FEE_RATE = 100_000_000;

/** Largest push in a script, in bytes. */
const MAX_PUSH = 520;

export type Fields = Record<string, JsonResult>;

export const failAbsurdRate = (): never => fail(RPC_CODE.INVALID_PARAMETER, 'Fee rates larger than or equal to 1BTC/kvB are not accepted');

export const failBurnt = (): never => fail(RPC_CODE.VERIFY_ERROR, 'Unspendable output exceeds maximum configured by user (maxburnamount)');

/** Returns the members of testmempoolaccept for a rejected transaction. */
export const rejectMembers = (reject: Reject): Record<string, JsonResult> =>
  reject.category === 'missing-inputs'
    ? { 'reject-reason': 'missing-inputs' }
    : { 'reject-reason': reject.reason, 'reject-details': rejectText(reject) };

/** Parses a transaction of a list of hex strings. @throws RpcError */
export function packageTx(ctx: NodeContext, text: JsonValue): TxView {
  const hex = asString(text);
  const tx = decodeTx(ctx, hex);
  return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed: ${hex} Make sure the tx has at least one input.`);
}

/** Returns the largest fee for a caller's fee rate; rounded up since release 23. */
export const maxFee = ({ compat }: NodeContext, rate: number, size: number): number =>
  feeForSize(rate, size, follows(compat, 23)) || Number.MAX_SAFE_INTEGER;

export const keyOf = (tx: TxView): string => hashKey(tx.wtxid);

/**
 * Checks two or more transactions as a package.
 * @param maxRate satoshis per 1,000 virtual bytes, 0 for any
 * @returns the result of testmempoolaccept
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

/** Returns the size members: with the adjustment for signature operations, and without it. */
export const sizesOf = (tx: TxView, size: number): Fields => ({ vsize_adjusted: size, vsize: size, vsize_bip141: tx.vsize });

export function feesOf({ fee, feeRate, includes }: Extract<PackageTxResult, { kind: 'valid' }>): Fields {
  return { base: new Amount(fee), 'effective-feerate': new Amount(feeRate), 'effective-includes': includes.map(hashHex) };
}

/** Returns whether a transaction has an output of more than `maxBurn` satoshis that can never be spent. */
export function burns(tx: TxView, maxBurn: number): boolean {
  for (let i = 0; i < tx.outputCount; i++) {
    const script = tx.outputScript(i);
    if (tx.outputValue(i) > maxBurn && (isUnspendable(script) || !hasValidOps(script))) return true;
  }
  return false;
}

/**
 * Returns whether a script can be parsed, and has no pushes that are too long and no unknown opcodes (Core's
 * HasValidOps).
 */
function hasValidOps(script: Uint8Array): boolean {
  const tokens = new ScriptTokenizer(script);
  while (tokens.next()) {
    if (tokens.opcode > OP.OP_NOP10 || tokens.dataEnd - tokens.dataStart > MAX_PUSH) return false;
  }
  return !tokens.failed;
}
