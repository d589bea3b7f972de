// Core 0.21: rpc/rawtransaction.cpp.

import { TimeSlice } from '../../../lib/time-slice.js';
import { follows } from '../../../policy/compat.js';
import { isFinal } from '../../../psbt/index.js';
import { dropUnneededTransactions, FlatProvider, psbtSigning, signPsbtInput, updatePsbtOutput } from '../../../signing/index.js';
import { asArray } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, obj, range, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { CallInfo } from '../../dispatch.js';
import { addOutputs, learnExpansion } from '../../node/psbt-roles.js';
import { expandScanObject } from '../../node/scan-object.js';
import { asPsbtInSlices, psbtText } from '../../render/psbt-text.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'utxoupdatepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description:
    'Adds the segwit outputs that a PSBT spends, from the chain and the mempool, and the scripts and keys that\ndescriptors provide.',
  args: [
    PSBT_ARG,
    arr('descriptors?', 'Descriptors', { as: 'json' }, [
      str('A descriptor', { holds: 'descriptor', optional: true }),
      obj('A descriptor with a range', { optional: true }, [
        str('desc', 'A descriptor', { holds: 'descriptor' }),
        range('range', 'The last index, or [begin,end]', { default: '1000' }),
      ]),
    ]),
  ],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"psbt"' }],
});

const SIGHASH_ALL = 1;

export const utxoupdatepsbt: NodeRun<typeof spec> = async (params, ctx, call) => {
  const later = follows(ctx.compat, 32);
  // Since release 26, Core parses descriptors before the PSBT.
  const early = follows(ctx.compat, 26) ? await describedBy(ctx, params.descriptors, call) : null;
  const psbt = await asPsbtInSlices(params.psbt, ctx);
  const provider = early ?? (await describedBy(ctx, params.descriptors, call));
  const fresh = psbt.inputs.map(({ nonWitnessUtxo, witnessUtxo }) => nonWitnessUtxo === null && witnessUtxo === null);
  await addOutputs(ctx, psbt, provider);
  const work = psbtSigning(psbt, ctx.crypto, later);
  const slice = new TimeSlice();
  for (let i = 0; i < psbt.inputs.length; i++) {
    if (later ? isFinal(psbt.inputs[i]) : !fresh[i]) continue;
    const by = { provider, hashType: SIGHASH_ALL, signer: ctx.signer };
    if (signPsbtInput(work, i, by, { hashType: null, finalize: !later }).mismatch) failFill('sighash mismatch');
    if (slice.over) await slice.next();
  }
  for (let i = 0; i < psbt.outputs.length; i++) {
    updatePsbtOutput(work, i, provider);
    if (slice.over) await slice.next();
  }
  if (later) dropUnneededTransactions(psbt);
  return psbtText(psbt, ctx.crypto, ctx.compat);
};

/** Returns the public keys and scripts of descriptors. */
async function describedBy(ctx: NodeContext, value: JsonValue | undefined, call: CallInfo): Promise<FlatProvider> {
  const provider = new FlatProvider();
  if ((value ?? null) === null) return provider;
  const slice = new TimeSlice();
  for (const object of asArray(value)) {
    for (const expansion of expandScanObject(ctx.descriptors, object, call.taken)) {
      learnExpansion(ctx, provider, expansion);
      if (slice.over) await slice.next();
    }
  }
  return provider;
}
