// Core 0.21: rpc/rawtransaction.cpp.

import { follows } from '../../../policy/compat.js';
import { feeRateOf } from '../../../policy/fee-rate.js';
import { analyzePsbt, type InputAnalysis } from '../../../signing/index.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { ResultSpec } from '../../declare/types.js';
import type { DecodeRun } from '../../front/context.js';
import { bytesHex } from '../../render/hex.js';
import { asPsbt } from '../../render/psbt-text.js';
import { Amount, type JsonResult } from '../../wire/values.js';

const MISSING: readonly ResultSpec[] = [
  arr('pubkeys?', '', [hex('keyid', 'HASH160 of a public key')]),
  hex('redeemscript?', 'HASH160 of the redeem script'),
  hex('witnessscript?', 'SHA256 of the witness script'),
  arr('signatures?', '', [hex('keyid', 'HASH160 of a public key')]),
];

export const spec = declare({
  name: 'analyzepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns what a PSBT lacks, and which role has to process it next.',
  args: [PSBT_ARG],
  results: [
    obj([
      arr('inputs?', '', [
        obj([
          bool('has_utxo', 'Whether the spent output is known'),
          bool('is_final', 'Whether the input is final'),
          obj('missing?', 'Data that the input lacks', MISSING),
          str('next', 'Role that has to process the input next'),
        ]),
      ]),
      num('estimated_vsize?', 'Estimated virtual size of the final transaction'),
      amount('estimated_feerate?', 'Estimated fee rate of the final transaction, in BTC/kvB'),
      amount('fee?', 'The fee in BTC. Absent if a spent output is unknown'),
      str('next', 'Role that has to process the PSBT next'),
      str('error?', 'Error, if the PSBT is not valid'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});

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
  if (missing && missing.publicKeys.length > 0) lacks.pubkeys = missing.publicKeys.map(bytesHex);
  if (missing?.redeemScript) lacks.redeemscript = bytesHex(missing.redeemScript);
  if (missing?.witnessScript) lacks.witnessscript = bytesHex(missing.witnessScript);
  if (missing && missing.signatures.length > 0) lacks.signatures = missing.signatures.map(bytesHex);
  if (Object.keys(lacks).length > 0) out.missing = lacks;
  return out;
}
