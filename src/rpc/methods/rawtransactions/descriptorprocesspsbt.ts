// Completes and signs a PSBT with the keys and scripts of descriptors, without a wallet. Core 31:
// rpc/rawtransaction.cpp.

import { TimeSlice } from '../../../lib/time-slice.js';
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
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, range, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';
import type { CallInfo } from '../../dispatch.js';
import { addOutputs, learnExpansion } from '../../node/psbt-roles.js';
import { expandScanObject } from '../../node/scan-object.js';
import { asHashType } from '../../node/signing-args.js';
import { bytesHex } from '../../render/hex.js';
import { asPsbtInSlices, psbtText } from '../../render/psbt-text.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'descriptorprocesspsbt',
  since: 26,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Adds data from descriptors, the chain and the mempool to a PSBT, and signs with the private keys of the\ndescriptors.',
  args: [
    PSBT_ARG,
    arr('descriptors', 'The descriptors', [
      str('A descriptor', { holds: 'descriptor', optional: true }),
      obj('A descriptor with its range', { optional: true }, [
        str('desc', 'The descriptor', { holds: 'descriptor' }),
        range('range', 'Last index, or first and last', { default: '1000' }),
      ]),
    ]),
    SIGHASH_TYPE_ARG,
    bool('bip32derivs', 'Whether to include the derivation paths of keys (BIP32)', { default: 'true' }),
    bool('finalize', 'Whether to finalize complete inputs', { default: 'true' }),
  ],
  results: [
    obj([
      str('psbt', 'The PSBT in Base64'),
      bool('complete', 'Whether all inputs are signed'),
      hex('hex?', 'The transaction as hex, only if all inputs are signed'),
    ]),
  ],
  examples: [{ cli: '"psbt" \'["descriptor1", "descriptor2"]\'' }, { cli: '"psbt" \'[{"desc":"mydescriptor", "range":21}]\'' }],
});

const SIGHASH_ALL = 1;

export const descriptorprocesspsbt: NodeRun<typeof spec> = async (params, ctx, call) => {
  const provider = new FlatProvider();
  try {
    await addDescriptors(ctx, params.descriptors, provider, call);
    const hashType = params.sighashtype === undefined ? null : asHashType(params.sighashtype, ctx);
    const { bip32derivs: derivations, finalize } = params;
    const psbt = await asPsbtInSlices(params.psbt, ctx);
    await addOutputs(ctx, psbt, provider);
    const shown = new HidingProvider(provider, { secrets: false, origins: !derivations });
    const later = follows(ctx.compat, 32);
    const work = psbtSigning(psbt, ctx.crypto, later);
    const slice = new TimeSlice();
    for (const [i, input] of psbt.inputs.entries()) {
      if (isFinal(input)) continue;
      const by = { provider: shown, hashType: hashType ?? SIGHASH_ALL, signer: ctx.signer };
      if (signPsbtInput(work, i, by, { hashType, finalize }).mismatch) failFill('sighash mismatch');
      if (slice.over) await slice.next();
    }
    for (let i = 0; i < psbt.outputs.length; i++) {
      updatePsbtOutput(work, i, shown);
      if (slice.over) await slice.next();
    }
    if (later) dropUnneededTransactions(psbt);
    const complete = psbt.inputs.every((_, i) => isDone(work, i));
    const text = psbtText(psbt, ctx.crypto, ctx.compat);
    return { psbt: text, complete, ...(complete ? { hex: bytesHex(await extracted(ctx, psbt, later)) } : {}) };
  } finally {
    provider.wipe();
  }
};

/** Returns the final transaction of a complete PSBT. */
async function extracted(ctx: NodeContext, psbt: Psbt, later: boolean): Promise<Uint8Array> {
  const work = psbtSigning(psbt, ctx.crypto, later);
  const slice = new TimeSlice();
  for (const [i, { sighashType: hashType }] of psbt.inputs.entries()) {
    signPsbtInput(work, i, null, { hashType, finalize: true });
    if (slice.over) await slice.next();
  }
  return extractTx(psbt);
}

/** Adds the keys, scripts, and private keys of descriptors to a provider. */
async function addDescriptors(ctx: NodeContext, objects: readonly JsonValue[], provider: FlatProvider, call: CallInfo): Promise<void> {
  const slice = new TimeSlice();
  for (const object of objects) {
    for (const expansion of expandScanObject(ctx.descriptors, object, call.taken, provider)) {
      learnExpansion(ctx, provider, expansion);
      if (slice.over) await slice.next();
    }
  }
}
