// Core 0.21: wallet/rpcwallet.cpp.

import { Slicer } from '../../../lib/slicer.js';
import { follows, shows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/index.js';
import { checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { asHashType } from '../../node/signing-args.js';
import { hex } from '../../render/hex.js';
import { asPsbtSliced, psbtText } from '../../render/psbt-text.js';
import { fillPsbtBy } from '../../wallet/external-signer.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';
import type { walletprocesspsbt as spec } from './walletprocesspsbt.spec.js';

export const walletprocesspsbt: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['string', 'bool', 'string'], true);
  const pauses = new Slicer(call.yieldToUrgent);
  const psbt = await asPsbtSliced(params.psbt, ctx, pauses);
  const hashType = params.sighashtype === undefined ? null : asHashType(params.sighashtype, ctx);
  const { sign, bip32derivs: derivations, finalize } = params;
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
