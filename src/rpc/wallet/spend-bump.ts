// Shared by bumpfee and psbtbumpfee. Core: wallet/rpc/spend.cpp bumpfee_helper.

import { follows } from '../../policy/compat.js';
import type { PsbtVersion } from '../../psbt/index.js';
import {
  type Bump,
  type BumpError,
  type BumpFailure,
  type BumpOptions,
  type CoinControl,
  PLAIN_BUMP,
  type Wallet,
} from '../../wallet/index.js';
import { asBool, asUint32, checkMembers, checkTypes } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { BUMP_ARGS } from '../declare/bump-parts.js';
import type { ParametersOf } from '../declare/parameters.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { outputsOf } from '../front/createrawtransaction.js';
import { asPsbtVersion } from '../render/psbt-text.js';
import { Amount, type JsonObject } from '../wire/values.js';
import { ensureUnlocked, settledWallet, walletOf } from './select.js';
import { controlFor, given, setFeeRate } from './spend-args.js';

const CODES: Readonly<Record<BumpFailure, number>> = {
  unknown: RPC_CODE.INVALID_ADDRESS_OR_KEY,
  parameter: RPC_CODE.INVALID_PARAMETER,
  wallet: RPC_CODE.WALLET_ERROR,
  other: RPC_CODE.MISC_ERROR,
};

const TYPES = { confTarget: 'number', conf_target: 'number', fee_rate: null, replaceable: 'bool', estimate_mode: 'string' } as const;

/** Types of members, including those of later releases. */
const LATER_TYPES = { ...TYPES, outputs: null, original_change_index: 'number', psbt_version: 'number' } as const;

/** Fee and outputs of the replacement, and whether it can be replaced again. */
interface BumpRequest {
  readonly control: CoinControl;
  readonly wishes: BumpOptions;
  readonly version: PsbtVersion;
}

function bumpRequest(ctx: WalletContext, wallet: Wallet, options: JsonObject | undefined, foreignInputs: boolean): BumpRequest {
  const later = follows(ctx.compat, 31);
  const control = bumpControl(ctx, wallet, options, later);
  const wishes = { ...PLAIN_BUMP, foreignInputs: later && foreignInputs };
  const request = { control, wishes, version: asPsbtVersion(undefined, ctx.compat) };
  if (!later || options === undefined) return request;
  const listed = options.get('outputs');
  if (Array.isArray(listed) && listed.length === 0) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, output argument cannot be an empty array');
  }
  const outputs = given(listed) ? outputsOf(listed, { params: ctx.params, hashes: ctx.crypto }) : [];
  const changeIndex = options.has('original_change_index') ? asUint32(options.get('original_change_index')) : null;
  const version = asPsbtVersion(options.has('psbt_version') ? asUint32(options.get('psbt_version')) : undefined, ctx.compat);
  return { control, wishes: { ...wishes, outputs, changeIndex }, version };
}

function bumpControl(ctx: WalletContext, wallet: Wallet, options: JsonObject | undefined, later: boolean): CoinControl {
  const control = controlFor(ctx);
  control.allowWatchOnly = wallet.record.privateKeysDisabled;
  control.replaceable = true;
  if (options === undefined) return control;
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

export const refuse = ({ failure, error }: BumpError): never => fail(CODES[failure], error);

type BumpParameters = ParametersOf<{ args: typeof BUMP_ARGS }>;

/** Reads the arguments: the wallet, the transaction to replace, and the request. */
export async function bumpArgs(ctx: WalletContext, params: BumpParameters, call: CallInfo, foreignInputs: boolean) {
  const chosen = walletOf(ctx, call);
  checkTypes(params.args, ['string', 'object'], follows(ctx.compat, 31));
  const { txid } = params;
  const request = bumpRequest(ctx, chosen, params.options, foreignInputs);
  const wallet = await settledWallet(ctx, call);
  ensureUnlocked(wallet);
  return { wallet, txid, ...request };
}

export const fees = (bump: Bump): { origfee: Amount; fee: Amount; errors: [] } => ({
  origfee: new Amount(bump.oldFee),
  fee: new Amount(bump.newFee),
  errors: [],
});
