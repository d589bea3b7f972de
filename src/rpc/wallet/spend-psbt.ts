// Shared by send and walletcreatefundedpsbt: transactions from a list of outputs, as a PSBT or sent at once. Core:
// wallet/rpc/spend.cpp.

import { buildTx, type TxFields } from '../../consensus/tx/build-tx.js';
import { parseTx } from '../../consensus/tx/tx-view.js';
import { follows } from '../../policy/compat.js';
import { createPsbt, extractTx, fieldsOf, type Psbt, type PsbtVersion } from '../../psbt/index.js';
import { finalizePsbt } from '../../signing/index.js';
import { areStillUnspent, COINS_SPENT_MEANWHILE, commitTransaction, lockTime, type SpendTools, type Wallet } from '../../wallet/index.js';
import { asBool, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { constructTransaction, type TxParts } from '../front/createrawtransaction.js';
import { bytesHex, hashHex } from '../render/hex.js';
import { asPsbtVersion, psbtText } from '../render/psbt-text.js';
import { JsonObject, type JsonResult, type JsonValue } from '../wire/values.js';
import { fillPsbtBy } from './external-signer.js';
import { type Given, given, toolsOf } from './spend-args.js';
import { failFill } from './walletprocesspsbt.js';

/** Returns the fields of a transaction from inputs, outputs, and lock time. */
export function startedTx(ctx: WalletContext, parts: TxParts, replaceable: boolean, version?: number): TxFields {
  const context = { params: ctx.params, hashes: ctx.crypto, compat: ctx.compat };
  return fieldsOf(parseTx(constructTransaction(context, parts, replaceable, version), ctx.crypto, { allowWitness: false }));
}

/** Creates a PSBT, and adds what the wallet knows. */
export async function walletPsbt(
  ctx: WalletContext,
  wallet: Wallet,
  tx: TxFields,
  fill: { readonly sign: boolean; readonly derivations: boolean; readonly version?: PsbtVersion },
): Promise<{ psbt: Psbt; complete: boolean }> {
  const { sign, derivations, version = asPsbtVersion(undefined, ctx.compat) } = fill;
  const psbt = createPsbt(parseTx(buildTx(tx), ctx.crypto, { allowWitness: false }), ctx.crypto, version);
  const options = { hashType: null, sign, derivations, later: follows(ctx.compat, 32) };
  const outcome = await fillPsbtBy(ctx, wallet, psbt, options);
  return 'fault' in outcome ? failFill(outcome.fault) : { psbt, complete: outcome.complete };
}

/** Returns the names of the outputs in their order. */
export function outputNames(outputs: Given): string[] {
  const lists = outputs instanceof JsonObject ? [outputs] : Array.isArray(outputs) ? outputs : [];
  return lists.flatMap((item) => (item instanceof JsonObject ? item.keys : []));
}

/** Returns the inputs with weights. */
export const weighed = (inputs: Given): JsonValue[] =>
  Array.isArray(inputs) ? inputs.filter((input) => input instanceof JsonObject && input.has('weight')) : [];

export function refuseWeights(options: Given): void {
  if (options instanceof JsonObject && options.has('input_weights')) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Input weights should be specified in inputs rather than in options.');
  }
}

export const SEQUENCE_REPLACEABLE = 0xffff_fffd;

/** Sequence with which the lock time is enforced. */
export const SEQUENCE_LOCKABLE = 0xffff_fffe;

/** Returns the transaction with a lock time that prevents fee sniping, if its sequences allow one. */
export async function notForThePast(wallet: Wallet, tx: TxFields, tools: SpendTools): Promise<TxFields> {
  const lockable = tx.inputs.every(({ sequence }) => sequence === SEQUENCE_LOCKABLE || sequence === SEQUENCE_REPLACEABLE);
  return lockable ? { ...tx, locktime: await lockTime(wallet, tools) } : tx;
}

/** Options for which send accepts only one name, with the names that other methods accept. */
const OLD_NAMES = [
  ['feeRate', 'fee_rate (sat/vB) instead of feeRate'],
  ['changeAddress', 'change_address'],
  ['changePosition', 'change_position'],
  ['includeWatching', 'include_watching'],
  ['lockUnspents', 'lock_unspents'],
  ['subtractFeeFromOutputs', 'subtract_fee_from_outputs'],
] as const;

/** The parameters of send and sendall that concern the fee, and their options. */
interface SendParameters {
  readonly conf_target: JsonValue;
  readonly estimate_mode: JsonValue;
  readonly fee_rate: JsonValue;
  readonly options: JsonObject | undefined;
}

/** Merges the fee arguments into the options. */
export function sendOptions(params: SendParameters, { compat }: Pick<WalletContext, 'compat'>): JsonObject {
  const invalid = (text: string): never => fail(RPC_CODE.INVALID_PARAMETER, text);
  const options = params.options ?? new JsonObject([], []);
  const keys = [...options.keys];
  const values = [...options.values];
  const put = (name: string, value: Given): void => {
    keys.push(name);
    values.push(value ?? null);
  };
  if (options.has('conf_target') || options.has('estimate_mode')) {
    if (given(params.conf_target) || given(params.estimate_mode)) {
      invalid('Pass conf_target and estimate_mode either as arguments or in the options object, but not both');
    }
  } else {
    put('conf_target', params.conf_target);
    put('estimate_mode', params.estimate_mode);
  }
  if (!options.has('fee_rate')) put('fee_rate', params.fee_rate);
  else if (given(params.fee_rate)) invalid('Pass the fee_rate either as an argument, or in the options object, but not both');
  const merged = new JsonObject(keys, values);
  const mode = merged.get('estimate_mode');
  if (given(merged.get('conf_target')) && (!given(mode) || asString(mode) === 'unset')) invalid('Specify estimate_mode');
  for (const [name, text] of OLD_NAMES) {
    if (!options.has(name)) continue;
    if (!follows(compat, 31)) invalid(`Use ${text}`);
    if (name !== 'includeWatching') invalid(`Use ${text}${name === 'feeRate' ? '' : ` instead of ${name}`}`);
  }
  return merged;
}

/** Options for a signed transaction. */
export interface SendOutcome {
  readonly wantsPsbt: boolean;
  readonly addToWallet: boolean;
}

/** Reads the outcome options. Call it before coins are chosen, so that a refused call has not used a change address. */
export const sendOutcome = (options: JsonObject): SendOutcome => ({
  wantsPsbt: options.has('psbt') && asBool(options.get('psbt')),
  addToWallet: !options.has('add_to_wallet') || asBool(options.get('add_to_wallet')),
});

/**
 * Signs a transaction, and sends or returns it, as the options of send and sendall say.
 * @param chosen outpoints that the wallet chose; they must still be unspent when the transaction is recorded
 */
export async function finishSend(
  ctx: WalletContext,
  wallet: Wallet,
  { tx, chosen }: { readonly tx: TxFields; readonly chosen: readonly Uint8Array[] },
  { wantsPsbt, addToWallet }: SendOutcome,
): Promise<JsonResult> {
  const { psbt } = await walletPsbt(ctx, wallet, tx, { sign: true, derivations: follows(ctx.compat, 32) });
  const complete = finalizePsbt(psbt, ctx.crypto, follows(ctx.compat, 32));
  const result: Record<string, JsonResult> = {};
  if (wantsPsbt || !complete || !addToWallet) result.psbt = psbtText(psbt, ctx.crypto, ctx.compat);
  if (complete) {
    const signed = parseTx(extractTx(psbt), ctx.crypto);
    result.txid = hashHex(signed.txid);
    if (addToWallet && !wantsPsbt) {
      const stands = (): boolean => areStillUnspent(wallet, chosen);
      const done = await commitTransaction(wallet, signed, new Map(), toolsOf(ctx), { isStillValid: stands });
      if (done === false) fail(RPC_CODE.WALLET_ERROR, COINS_SPENT_MEANWHILE.error);
    } else result.hex = bytesHex(signed.bytes);
  }
  result.complete = complete;
  return result;
}
