// Shared by methods that pay: amounts, recipients, and fee rates. Core 0.21: wallet/rpcwallet.cpp ParseRecipients,
// SetFeeEstimateMode, GetAvoidReuseFlag.

import { decodeAddress } from '../../address/address.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { follows } from '../../policy/compat.js';
import {
  type CoinControl,
  defaultControl,
  type FeeMode,
  type Recipient,
  type SpendTools,
  WALLET_FLAG,
  type Wallet,
} from '../../wallet/index.js';
import { asAmount, asInt, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { confirmTarget } from '../node/estimate-fee.js';
import type { JsonObject, JsonValue } from '../wire/values.js';

export type Given = JsonValue | undefined;

export const given = (value: Given): value is Exclude<JsonValue, null> => value !== undefined && value !== null;

export const toolsOf = (ctx: WalletContext): SpendTools => ctx.spend ?? fail(RPC_CODE.METHOD_NOT_FOUND, 'Method not found');

/** Returns a coin control with the operator's defaults, which the caller may change. */
export const controlFor = (ctx: WalletContext): { -readonly [K in keyof CoinControl]: CoinControl[K] } =>
  defaultControl(toolsOf(ctx).options.avoidPartialSpends);

const FEE_MODES: readonly FeeMode[] = ['unset', 'economical', 'conservative'];

/** The three arguments that select the fee rate. */
export interface RateArgs {
  readonly confTarget: Given;
  readonly estimateMode: Given;
  /** Fee rate in satoshis per virtual byte. */
  readonly feeRate: Given;
}

/** Sets the fee rate from the arguments. @param override whether the rate may be below the minimum */
export function setFeeRate(ctx: WalletContext, control: ReturnType<typeof controlFor>, args: RateArgs, override: boolean): void {
  const { confTarget, estimateMode, feeRate } = args;
  if (given(feeRate)) {
    if (given(confTarget)) {
      fail(
        RPC_CODE.INVALID_PARAMETER,
        'Cannot specify both conf_target and fee_rate. Please provide either a confirmation target in blocks for automatic fee estimation, or an explicit fee rate.',
      );
    }
    if (given(estimateMode) && asString(estimateMode) !== 'unset') {
      fail(RPC_CODE.INVALID_PARAMETER, 'Cannot specify both estimate_mode and fee_rate');
    }
    // 0.21 reads satoshis per byte with the eight decimals of an amount, of which three have an effect. Later releases
    // accept at most three decimals.
    control.feeRate = follows(ctx.compat, 22) ? asAmount(feeRate, 3) : Math.trunc(asAmount(feeRate) / 100_000);
    control.overrideFeeRate ||= override;
    control.replaceable ??= true;
    return;
  }
  if (given(estimateMode)) {
    const mode = asString(estimateMode).toLowerCase();
    control.feeMode =
      FEE_MODES.find((known) => known === mode) ??
      fail(RPC_CODE.INVALID_PARAMETER, 'Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"');
  }
  if (given(confTarget)) control.confirmTarget = confirmTarget(ctx.client.constants.longestTarget, asInt(confTarget));
}

/** Returns whether to avoid coins of used addresses (avoid_reuse). Default: true for wallets with the flag. */
export function avoidReuse(wallet: Wallet, value: boolean | undefined): boolean {
  const able = wallet.record.has(WALLET_FLAG.AVOID_REUSE);
  const wanted = value ?? able;
  if (wanted && !able) fail(RPC_CODE.WALLET_ERROR, 'wallet does not have the "avoid reuse" feature enabled');
  return wanted;
}

/** Reads recipients from addresses and amounts. @param payers addresses that pay the fee */
export function recipientsOf(ctx: WalletContext, amounts: JsonObject, payers: readonly JsonValue[]): Recipient[] {
  const seen = new Set<string>();
  const recipients: Recipient[] = [];
  const paying = new Set<string>();
  for (let i = 0; i < amounts.keys.length; i++) {
    const address = amounts.keys[i];
    const decoded = decodeAddress(address, ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid Bitcoin address: ${address}`);
    const key = hashKey(decoded.script);
    if (seen.has(key)) fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, duplicated address: ${address}`);
    seen.add(key);
    const amount = asAmount(amounts.values[i]);
    if (i === 0) for (const payer of payers) paying.add(asString(payer));
    recipients.push({ script: decoded.script, amount, subtractFee: paying.has(address) });
  }
  return recipients;
}
