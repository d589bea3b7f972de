// bumpfee and psbtbumpfee. Core: wallet/rpc/spend.cpp bumpfee_helper.

import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { follows } from '../../policy/compat.js';
import { fieldsOf, type PsbtVersion } from '../../psbt/create-psbt.js';
import { extractTx } from '../../psbt/extract-tx.js';
import type { CoinControl } from '../../wallet/spend/coin-control.js';
import { sign } from '../../wallet/spend/create-transaction.js';
import {
  type Bump,
  type BumpError,
  type BumpFailure,
  type BumpWishes,
  commitBump,
  createBump,
  PLAIN_BUMP,
} from '../../wallet/spend/fee-bump.js';
import { inSpendLine } from '../../wallet/spend/spend-line.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asBool, asHash, asObject, asUint32, checkMembers, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { outputsOf } from '../front/createrawtransaction.js';
import type { NodeContext } from '../node/context.js';
import { findOutputs } from '../node/signing-args.js';
import { hashHex } from '../render/hex.js';
import { asPsbtVersion, psbtText } from '../render/psbt-text.js';
import { Amount, type JsonValue } from '../wire/values.js';
import { ensureUnlocked, settledWallet, walletOf } from './select.js';
import { controlFor, given, setFeeRate, toolsOf } from './spend-args.js';
import { walletPsbt } from './spend-psbt.js';

const CODES: Readonly<Record<BumpFailure, number>> = {
  unknown: RPC_CODE.INVALID_ADDRESS_OR_KEY,
  parameter: RPC_CODE.INVALID_PARAMETER,
  wallet: RPC_CODE.WALLET_ERROR,
  other: RPC_CODE.MISC_ERROR,
};

const NO_KEYS = 'bumpfee is not available with wallets that have private keys disabled. Use psbtbumpfee instead.';
const DEPRECATED =
  'Using bumpfee with wallets that have private keys disabled is deprecated. Use psbtbumpfee instead or restart bitcoind with -deprecatedrpc=bumpfee. This functionality will be removed in 0.22';

const TYPES = { confTarget: 'number', conf_target: 'number', fee_rate: null, replaceable: 'bool', estimate_mode: 'string' } as const;
/** Members of later releases. */
const LATER_TYPES = { ...TYPES, outputs: null, original_change_index: 'number', psbt_version: 'number' } as const;

/** What the replacement should pay, whom, and whether it can be replaced again. */
interface BumpRequest {
  readonly control: CoinControl;
  readonly wishes: BumpWishes;
  readonly version: PsbtVersion;
}

function bumpRequest(ctx: NodeContext, wallet: Wallet, value: JsonValue | undefined, foreignInputs: boolean): BumpRequest {
  const later = follows(ctx.compat, 31);
  const control = bumpControl(ctx, wallet, value, later);
  const wishes = { ...PLAIN_BUMP, foreignInputs: later && foreignInputs };
  const request = { control, wishes, version: asPsbtVersion(undefined, ctx.compat) };
  if (!later || !given(value)) return request;
  const options = asObject(value);
  const listed = options.get('outputs');
  if (Array.isArray(listed) && listed.length === 0) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, output argument cannot be an empty array');
  }
  const outputs = given(listed) ? outputsOf(listed, { params: ctx.params, hashes: ctx.crypto }) : [];
  const changeIndex = options.has('original_change_index') ? asUint32(options.get('original_change_index')) : null;
  const version = asPsbtVersion(options.get('psbt_version'), ctx.compat);
  return { control, wishes: { ...wishes, outputs, changeIndex }, version };
}

function bumpControl(ctx: NodeContext, wallet: Wallet, value: JsonValue | undefined, later: boolean): CoinControl {
  const control = controlFor(ctx);
  control.allowWatchOnly = wallet.privateKeysDisabled;
  control.replaceable = true;
  if (!given(value)) return control;
  const options = asObject(value);
  checkMembers(options, later ? LATER_TYPES : TYPES, { allowNull: true, strict: true });
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
async function bumpArgs(ctx: NodeContext, args: readonly JsonValue[], call: CallInfo, foreignInputs: boolean) {
  const chosen = walletOf(ctx, call);
  checkTypes(args, ['string', 'object']);
  const txid = asHash(args[0], 'txid');
  const request = bumpRequest(ctx, chosen, args[1], foreignInputs);
  const wallet = await settledWallet(ctx, call);
  ensureUnlocked(wallet);
  return { wallet, txid, ...request };
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
    if (toolsOf(ctx).options.bumpGivesPsbt) return psbtbumpfee(ctx, args, call);
    return follows(ctx.compat, 31) ? fail(RPC_CODE.WALLET_ERROR, NO_KEYS) : fail(RPC_CODE.METHOD_DEPRECATED, DEPRECATED);
  }
  const { wallet, txid, control, wishes } = await bumpArgs(ctx, args, call, false);
  const tools = toolsOf(ctx);
  return inSpendLine(wallet, async () => {
    const bump = await createBump(wallet, txid, control, wishes, tools, (tx) => findOutputs(ctx, tx), call.breathe);
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
  const { wallet, txid, control, wishes, version } = await bumpArgs(ctx, args, call, true);
  const bump = await inSpendLine(wallet, () =>
    createBump(wallet, txid, control, wishes, toolsOf(ctx), (tx) => findOutputs(ctx, tx), call.breathe),
  );
  if ('error' in bump) return refuse(bump);
  const { psbt } = await walletPsbt(ctx, wallet, fieldsOf(bump.tx), { sign: false, derivations: true, version }, call);
  return { psbt: psbtText(psbt, ctx.crypto, ctx.compat), ...fees(bump) };
};
