// sendtoaddress, sendmany and settxfee. Core: wallet/rpc/spend.cpp.
import { follows } from '../../policy/compat.js';
import { formatFeeRate } from '../../policy/fee-rate.js';
import type { CoinControl } from '../../wallet/spend/coin-control.js';
import { payAndRecord } from '../../wallet/spend/commit-transaction.js';
import type { Recipient } from '../../wallet/spend/select/draft.js';
import { shuffle } from '../../wallet/spend/select/pace.js';
import { inSpendLine } from '../../wallet/spend/spend-line.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asAmount, asArray, asBool, asObject, asString } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { hashHex } from '../render/hex.js';
import { JsonObject, type JsonResult } from '../wire/values.js';
import { ensureUnlocked, settledWallet, walletOf } from './select.js';
import { avoidReuse, controlFor, type Given, given, recipientsOf, setFeeRate, toolsOf } from './spend-args.js';
import { checkPositions } from './spend-options.js';

/** A comment that is kept with the payment; empty ones are not. */
function note(values: Map<string, string>, name: string, value: Given): void {
  const text = given(value) ? asString(value) : '';
  if (text !== '') values.set(name, text);
}

async function sendMoney(
  ctx: NodeContext,
  wallet: Wallet,
  payment: { readonly control: CoinControl; readonly recipients: readonly Recipient[]; readonly values: ReadonlyMap<string, string> },
  verbose: boolean,
  call: CallInfo,
): Promise<JsonResult> {
  ensureUnlocked(wallet);
  if (wallet.record.has(WALLET_FLAG.EXTERNAL_SIGNER)) {
    const text = 'Error: sendtoaddress and sendmany are not supported for wallets with external signers; use send instead';
    fail(RPC_CODE.WALLET_ERROR, text);
  }
  if (wallet.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'Error: Private keys are disabled for this wallet');
  const tools = toolsOf(ctx);
  const { control, values } = payment;
  const recipients = shuffle([...payment.recipients], tools.node.chance);
  const { tx, reason } = await inSpendLine(wallet, async () => {
    const made = await payAndRecord(wallet, { recipients, control, changePosition: -1, sign: true }, values, tools, call.breathe);
    return 'error' in made ? fail(RPC_CODE.WALLET_INSUFFICIENT_FUNDS, made.error) : made;
  });
  const txid = hashHex(tx.txid);
  return verbose ? { txid, fee_reason: reason } : txid;
}

export const sendtoaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  const values = new Map<string, string>();
  note(values, 'comment', args[2]);
  note(values, 'to', args[3]);
  const subtract = given(args[4]) && asBool(args[4]);
  const control = controlFor(ctx);
  if (given(args[5])) control.replaceable = asBool(args[5]);
  control.avoidAddressReuse = avoidReuse(wallet, args[8]);
  control.avoidPartialSpends ||= control.avoidAddressReuse;
  setFeeRate(ctx, control, { confTarget: args[6], estimateMode: args[7], feeRate: args[9] }, false);
  ensureUnlocked(wallet);
  const address = asString(args[0]);
  const amounts = new JsonObject([address], [args[1]]);
  const recipients = await recipientsOf(ctx, amounts, subtract ? [address] : [], call);
  const verbose = given(args[10]) && asBool(args[10]);
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose, call);
};

export const sendmany: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  if (given(args[0]) && asString(args[0]) !== '') fail(RPC_CODE.INVALID_PARAMETER, 'Dummy value must be set to ""');
  const amounts = asObject(args[1]);
  const values = new Map<string, string>();
  note(values, 'comment', args[3]);
  const listed = given(args[4]) ? asArray(args[4]) : [];
  const control = controlFor(ctx);
  if (given(args[5])) control.replaceable = asBool(args[5]);
  setFeeRate(ctx, control, { confTarget: args[6], estimateMode: args[7], feeRate: args[8] }, false);
  const payers = follows(ctx.compat, 31) ? [...checkPositions(listed, amounts.keys)].map((at) => amounts.keys[at]) : listed;
  const recipients = await recipientsOf(ctx, amounts, payers, call);
  const verbose = given(args[9]) && asBool(args[9]);
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose, call);
};

export const settxfee: Run<NodeContext> = (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const { node, options } = toolsOf(ctx);
  const rate = asAmount(args[0]);
  const { relayMinimum } = node.rates();
  const refuse = (why: string, limit: number): never =>
    fail(RPC_CODE.INVALID_PARAMETER, `txfee cannot be ${why} (${formatFeeRate(limit)})`);
  if (rate !== 0) {
    if (rate < relayMinimum) refuse('less than min relay tx fee', relayMinimum);
    if (rate < options.minFeeRate) refuse('less than wallet min fee', options.minFeeRate);
    if (rate > options.maxFeeSats) refuse('more than wallet max tx fee', options.maxFeeSats);
  }
  wallet.payFeeRate = rate;
  return true;
};
