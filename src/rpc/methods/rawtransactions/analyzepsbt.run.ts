// Core 0.21: rpc/rawtransaction.cpp.

import { follows } from '../../../policy/compat.js';
import { feeRateOf } from '../../../policy/fee-rate.js';
import { analyzePsbt, type InputAnalysis } from '../../../signing/index.js';
import type { DecodeRun } from '../../front/context.js';
import { hex } from '../../render/hex.js';
import { asPsbt } from '../../render/psbt-text.js';
import { Amount, type JsonResult } from '../../wire/values.js';
import type { analyzepsbt as spec } from './analyzepsbt.spec.js';

export const analyzepsbt: DecodeRun<typeof spec> = (params, ctx) => {
  const { inputs, virtualSize, fee, next, error } = analyzePsbt(asPsbt(params.psbt, ctx), ctx.crypto, follows(ctx.compat, 32));
  const out: Record<string, JsonResult> = {};
  if (inputs.length > 0) out.inputs = inputs.map(inputMembers);
  if (virtualSize !== null) {
    out.estimated_vsize = virtualSize;
    out.estimated_feerate = new Amount(feeRateOf(fee ?? 0, virtualSize, follows(ctx.compat, 31)));
  }
  if (fee !== null) out.fee = new Amount(fee);
  out.next = next;
  if (error !== null) out.error = error;
  return out;
};

function inputMembers({ hasUtxo, isFinal, next, missing }: InputAnalysis): JsonResult {
  const out: Record<string, JsonResult> = { has_utxo: hasUtxo, is_final: isFinal, next };
  const lacks: Record<string, JsonResult> = {};
  if (missing && missing.publicKeys.length > 0) lacks.pubkeys = missing.publicKeys.map(hex);
  if (missing?.redeemScript) lacks.redeemscript = hex(missing.redeemScript);
  if (missing?.witnessScript) lacks.witnessscript = hex(missing.witnessScript);
  if (missing && missing.signatures.length > 0) lacks.signatures = missing.signatures.map(hex);
  if (Object.keys(lacks).length > 0) out.missing = lacks;
  return out;
}
