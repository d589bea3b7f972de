// Core 0.21: wallet/rpcwallet.cpp.
import { follows, shows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/extract-tx.js';
import { asBool, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { asHashType } from '../../node/signing-args.js';
import { Slicer } from '../../node/slices.js';
import { hex } from '../../render/hex.js';
import { asPsbt, psbtText } from '../../render/psbt-text.js';
import { fillPsbtBy } from '../../wallet/external-signer.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';
import type { JsonValue } from '../../wire/values.js';
import type { walletprocesspsbt as spec } from './walletprocesspsbt.spec.js';

const boolOr = (value: JsonValue | undefined, fallback: boolean): boolean => ((value ?? null) === null ? fallback : asBool(value));

export const walletprocesspsbt: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(args, ['string', 'bool', 'string'], true);
  const pauses = new Slicer(call.yieldToUrgent);
  const psbt = await asPsbt(args[0], ctx, pauses);
  const hashType = (args[2] ?? null) === null ? null : asHashType(args[2], ctx);
  const sign = boolOr(args[1], true);
  const derivations = boolOr(args[3], true);
  const finalize = boolOr(args[4], true);
  if (sign && follows(ctx.compat, 22)) ensureUnlocked(wallet);
  const options = { hashType, sign, derivations, finalize, later: follows(ctx.compat, 32) };
  const outcome = await fillPsbtBy(ctx, wallet, psbt, options, pauses);
  if ('fault' in outcome) return failFill(outcome.fault);
  const { complete } = outcome;
  return {
    psbt: psbtText(psbt, ctx.crypto, ctx.compat),
    complete,
    ...(complete && shows(ctx.compat, { since: 26 }) && { hex: hex(extractTx(psbt)) }),
  };
};
