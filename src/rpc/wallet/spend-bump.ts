// bumpfee and psbtbumpfee. Core 0.21: wallet/rpcwallet.cpp bumpfee_helper.

import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { fieldsOf } from '../../psbt/create-psbt.js';
import { extractTx } from '../../psbt/extract-tx.js';
import { sign } from '../../wallet/spend/create-transaction.js';
import { type Bump, type BumpError, type BumpFailure, commitBump, createBump } from '../../wallet/spend/fee-bump.js';
import { inSpendLine } from '../../wallet/spend/spend-line.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asBool, asHash, asObject, checkMembers, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { hashHex } from '../render/hex.js';
import { psbtText } from '../render/psbt-text.js';
import { Amount, type JsonValue } from '../wire/values.js';
import { ensureUnlocked, settledWallet, walletOf } from './select.js';
import { controlFor, given, setFeeRate, toolsOf } from './spend-args.js';
import { walletPsbt } from './spend-psbt.js';

const CODES: Readonly<Record<BumpFailure, number>> = {
  unknown: RPC_CODE.INVALID_ADDRESS_OR_KEY,
  parameter: RPC_CODE.INVALID_PARAMETER,
  wallet: RPC_CODE.WALLET_ERROR,
};

const DEPRECATED =
  'Using bumpfee with wallets that have private keys disabled is deprecated. Use psbtbumpfee instead or restart bitcoind with -deprecatedrpc=bumpfee. This functionality will be removed in 0.22';

/** What the replacement should pay and whether it can be replaced again. */
function bumpControl(ctx: NodeContext, wallet: Wallet, value: JsonValue | undefined): ReturnType<typeof controlFor> {
  const control = controlFor(ctx);
  control.allowWatchOnly = wallet.privateKeysDisabled;
  control.replaceable = true;
  if (!given(value)) return control;
  const options = asObject(value);
  const types = { confTarget: 'number', conf_target: 'number', fee_rate: null, replaceable: 'bool', estimate_mode: 'string' } as const;
  checkMembers(options, types, { allowNull: true, strict: true });
  if (options.has('confTarget') && options.has('conf_target')) {
    fail(
      RPC_CODE.INVALID_PARAMETER,
      'confTarget and conf_target options should not both be set. Use conf_target (confTarget is deprecated).',
    );
  }
  const confTarget = options.has('confTarget') ? options.get('confTarget') : options.get('conf_target');
  if (options.has('replaceable')) control.replaceable = asBool(options.get('replaceable'));
  const rate = { confTarget, estimateMode: options.get('estimate_mode'), feeRate: options.get('fee_rate') };
  setFeeRate(ctx, control, rate, false);
  return control;
}

const refuse = ({ failure, error }: BumpError): never => fail(CODES[failure], error);

/** The wallet, what is replaced, and what is wanted of the replacement. */
async function bumpArgs(ctx: NodeContext, args: readonly JsonValue[], call: CallInfo) {
  const chosen = walletOf(ctx, call);
  checkTypes(args, ['string', 'object']);
  const txid = asHash(args[0], 'txid');
  const control = bumpControl(ctx, chosen, args[1]);
  const wallet = await settledWallet(ctx, call);
  ensureUnlocked(wallet);
  return { wallet, txid, control };
}

const fees = (bump: Bump): { origfee: Amount; fee: Amount; errors: [] } => ({
  origfee: new Amount(bump.oldFee),
  fee: new Amount(bump.newFee),
  errors: [],
});

export const bumpfee: Run<NodeContext> = async (ctx, args, call) => {
  const { privateKeysDisabled, record } = walletOf(ctx, call);
  const isOutside = record.has(WALLET_FLAG.EXTERNAL_SIGNER);
  if (privateKeysDisabled && !isOutside) {
    return toolsOf(ctx).options.bumpGivesPsbt ? psbtbumpfee(ctx, args, call) : fail(RPC_CODE.METHOD_DEPRECATED, DEPRECATED);
  }
  const { wallet, txid, control } = await bumpArgs(ctx, args, call);
  const tools = toolsOf(ctx);
  return inSpendLine(wallet, async () => {
    const bump = await createBump(wallet, txid, control, tools, call.breathe);
    if ('error' in bump) return refuse(bump);
    const signed = isOutside ? await signedOutside(ctx, wallet, bump, call) : await sign(wallet, bump.tx, tools);
    const tx = signed ?? fail(RPC_CODE.WALLET_ERROR, "Can't sign transaction.");
    const obstacle = await commitBump(wallet, txid, { tx, chosen: bump.chosen }, tools);
    if (obstacle) return fail(RPC_CODE.WALLET_ERROR, obstacle.error);
    return { txid: hashHex(tx.txid), ...fees(bump) };
  });
};

/** The replacement, signed by the wallet's device. */
async function signedOutside(ctx: NodeContext, wallet: Wallet, bump: Bump, call: CallInfo): Promise<TxView> {
  const { psbt, complete } = await walletPsbt(ctx, wallet, fieldsOf(bump.tx), { sign: true, derivations: true }, call);
  return complete ? parseTx(extractTx(psbt), ctx.crypto) : fail(RPC_CODE.WALLET_ERROR, 'Transaction incomplete. Try psbtbumpfee instead.');
}

export const psbtbumpfee: Run<NodeContext> = async (ctx, args, call) => {
  const { wallet, txid, control } = await bumpArgs(ctx, args, call);
  const bump = await inSpendLine(wallet, () => createBump(wallet, txid, control, toolsOf(ctx), call.breathe));
  if ('error' in bump) return refuse(bump);
  const { psbt } = await walletPsbt(ctx, wallet, fieldsOf(bump.tx), { sign: false, derivations: true }, call);
  return { psbt: psbtText(psbt, ctx.crypto, ctx.compat), ...fees(bump) };
};
