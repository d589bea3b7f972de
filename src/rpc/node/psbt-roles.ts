// finalizepsbt, analyzepsbt and utxoupdatepsbt: the calls about PSBTs that look at scripts and coins. Core 0.21:
// rpc/rawtransaction.cpp.

import { isPayToScriptHash, witnessVersion } from '../../consensus/script/templates.js';
import { follows } from '../../policy/compat.js';
import { feeRateOf } from '../../policy/fee-rate.js';
import { extractTx } from '../../psbt/extract-tx.js';
import { isFinal, type Psbt } from '../../psbt/psbt.js';
import { FlatProvider } from '../../signing/signing-provider.js';
import { analyzePsbt, type InputAnalysis } from '../../signing/analyze-psbt.js';
import { finalizePsbt } from '../../signing/finalize-psbt.js';
import { psbtSigning, signPsbtInput, updatePsbtOutput } from '../../signing/psbt-input.js';
import { asArray, asBool, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { hex } from '../render/hex.js';
import { asPsbt, psbtText } from '../render/psbt-text.js';
import { failFill } from '../wallet/walletprocesspsbt.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { expandScanObject } from './scan-object.js';
import { findOutputs } from './signing-args.js';
import { Slicer } from './slices.js';

const SIGHASH_ALL = 1;

export const finalizepsbt: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string', 'bool'], true);
  const pauses = new Slicer(call.breathe);
  const psbt = await asPsbt(args[0], ctx, pauses);
  const extract = (args[1] ?? null) === null || asBool(args[1]);
  const complete = await finalizePsbt(psbt, ctx.crypto, follows(ctx.compat, 32), pauses);
  return complete && extract ? { hex: hex(extractTx(psbt)), complete } : { psbt: psbtText(psbt, ctx.crypto, ctx.compat), complete };
};

export const analyzepsbt: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string']);
  const pauses = new Slicer(call.breathe);
  const psbt = await asPsbt(args[0], ctx, pauses);
  const { inputs, virtualSize, fee, next, error } = await analyzePsbt(psbt, ctx.crypto, follows(ctx.compat, 32), pauses);
  const out: Record<string, JsonResult> = {};
  if (inputs.length > 0) out.inputs = inputs.map(inputMembers);
  if (virtualSize !== null) {
    out.estimated_vsize = virtualSize;
    out.estimated_feerate = new Amount(feeRateOf(fee ?? 0, virtualSize));
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

export const utxoupdatepsbt: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string', 'array'], true);
  const pauses = new Slicer(call.breathe);
  const psbt = await asPsbt(args[0], ctx, pauses);
  const provider = await describedBy(ctx, args[1], call, pauses);
  const fresh = psbt.inputs.map(({ nonWitnessUtxo, witnessUtxo }) => nonWitnessUtxo === null && witnessUtxo === null);
  await addOutputs(ctx, psbt, provider);
  const later = follows(ctx.compat, 32);
  const work = psbtSigning(psbt, ctx.crypto, later);
  for (let i = 0; i < psbt.inputs.length; i++) {
    if (later ? isFinal(psbt.inputs[i]) : !fresh[i]) continue;
    const by = { provider, hashType: SIGHASH_ALL, signer: ctx.signer };
    if (signPsbtInput(work, i, by, { hashType: null, finalize: !later }).mismatch) failFill('sighash mismatch');
    if (pauses.due) await pauses.pause();
  }
  for (let i = 0; i < psbt.outputs.length; i++) {
    updatePsbtOutput(work, i, provider);
    if (pauses.due) await pauses.pause();
  }
  return psbtText(psbt, ctx.crypto, ctx.compat);
};

/**
 * Adds segwit outputs that inputs spend, from the chain and the pool; since release 26 in the place of what a PSBT says
 * of them.
 */
export async function addOutputs(ctx: NodeContext, psbt: Psbt, provider: FlatProvider): Promise<void> {
  const found = await findOutputs(ctx, psbt.tx);
  for (const [i, input] of psbt.inputs.entries()) {
    const output = found[i];
    const isKnown = input.nonWitnessUtxo !== null || (input.witnessUtxo !== null && !follows(ctx.compat, 26));
    if (!isKnown && output && isSegwit(output.script, provider)) input.witnessUtxo = { value: output.value, script: output.script };
  }
}

/** Keys and scripts of descriptors, without secrets. */
async function describedBy(ctx: NodeContext, value: JsonValue | undefined, call: CallInfo, pauses: Slicer): Promise<FlatProvider> {
  const provider = new FlatProvider();
  if ((value ?? null) === null) return provider;
  for (const object of asArray(value)) {
    for (const expansion of expandScanObject(ctx, object, call)) {
      provider.addExpansion(expansion, ctx.crypto);
      if (pauses.due) await pauses.pause();
    }
  }
  return provider;
}

/** Whether spending an output takes a witness, as far as the scripts at hand tell. */
function isSegwit(script: Uint8Array, provider: FlatProvider): boolean {
  if (witnessVersion(script) >= 0) return true;
  const redeemScript = isPayToScriptHash(script) ? provider.script(script.subarray(2, 22)) : undefined;
  return redeemScript !== undefined && witnessVersion(redeemScript) >= 0;
}
