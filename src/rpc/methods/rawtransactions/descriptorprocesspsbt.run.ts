// Completes and signs a PSBT with the keys and scripts of descriptors, without a wallet. Core 31:
// rpc/rawtransaction.cpp.

import { Slicer } from '../../../lib/slicer.js';
import { follows } from '../../../policy/compat.js';
import { extractTx, isFinal, type Psbt } from '../../../psbt/index.js';
import {
  dropUnneededTransactions,
  FlatProvider,
  HidingProvider,
  isDone,
  psbtSigning,
  signPsbtInput,
  updatePsbtOutput,
} from '../../../signing/index.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { CallInfo } from '../../dispatch.js';
import { addOutputs, learnExpansion } from '../../node/psbt-roles.js';
import { expandScanObject } from '../../node/scan-object.js';
import { asHashType } from '../../node/signing-args.js';
import { hex } from '../../render/hex.js';
import { asPsbtSliced, psbtText } from '../../render/psbt-text.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';
import type { JsonValue } from '../../wire/values.js';
import type { descriptorprocesspsbt as spec } from './descriptorprocesspsbt.spec.js';

const SIGHASH_ALL = 1;

export const descriptorprocesspsbt: NodeRun<typeof spec> = async (params, ctx, call) => {
  const pauses = new Slicer(call.yieldToUrgent);
  const provider = new FlatProvider();
  try {
    await addDescriptors(ctx, params.descriptors, provider, call, pauses);
    const hashType = params.sighashtype === undefined ? null : asHashType(params.sighashtype, ctx);
    const { bip32derivs: derivations, finalize } = params;
    const psbt = await asPsbtSliced(params.psbt, ctx, pauses);
    await addOutputs(ctx, psbt, provider, pauses);
    const shown = new HidingProvider(provider, { secrets: false, origins: !derivations });
    const later = follows(ctx.compat, 32);
    const work = psbtSigning(psbt, ctx.crypto, later);
    for (const [i, input] of psbt.inputs.entries()) {
      if (isFinal(input)) continue;
      const by = { provider: shown, hashType: hashType ?? SIGHASH_ALL, signer: ctx.signer };
      if (signPsbtInput(work, i, by, { hashType, finalize }).mismatch) failFill('sighash mismatch');
      if (pauses.due) await pauses.pause();
    }
    for (let i = 0; i < psbt.outputs.length; i++) {
      updatePsbtOutput(work, i, shown);
      if (pauses.due) await pauses.pause();
    }
    if (later) dropUnneededTransactions(psbt);
    const complete = psbt.inputs.every((_, i) => isDone(work, i));
    const text = psbtText(psbt, ctx.crypto, ctx.compat);
    return { psbt: text, complete, ...(complete ? { hex: hex(await extracted(ctx, psbt, later, pauses)) } : {}) };
  } finally {
    provider.wipe();
  }
};

/** Returns the final transaction of a complete PSBT. */
async function extracted(ctx: NodeContext, psbt: Psbt, later: boolean, pauses: Slicer): Promise<Uint8Array> {
  const work = psbtSigning(psbt, ctx.crypto, later);
  for (const [i, { sighashType: hashType }] of psbt.inputs.entries()) {
    signPsbtInput(work, i, null, { hashType, finalize: true });
    if (pauses.due) await pauses.pause();
  }
  return extractTx(psbt);
}

/** Adds the keys, scripts, and private keys of descriptors to a provider. */
async function addDescriptors(
  ctx: NodeContext,
  objects: readonly JsonValue[],
  provider: FlatProvider,
  call: CallInfo,
  pauses: Slicer,
): Promise<void> {
  for (const object of objects) {
    for (const expansion of expandScanObject(ctx.descriptors, object, call.taken, provider)) {
      learnExpansion(ctx, provider, expansion);
      if (pauses.due) await pauses.pause();
    }
  }
}
