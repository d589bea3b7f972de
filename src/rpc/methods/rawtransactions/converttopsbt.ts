// Core 0.21: rpc/rawtransaction.cpp.

import { createPsbt } from '../../../psbt/index.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG } from '../../declare/psbt-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { FrontRun } from '../../front/context.js';
import { decodeTx } from '../../front/decode.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';

export const spec = declare({
  name: 'converttopsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types or null',
  description: 'Converts a transaction of createrawtransaction or fundrawtransaction to a PSBT. Use createpsbt for new\ntransactions.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('permitsigdata', 'Whether to remove signatures. If false, the call fails for a transaction with signatures', {
      default: 'false',
    }),
    bool('iswitness', 'Whether the transaction has witnesses. If omitted, both formats are tried and the plausible one is used', {
      default: 'depends on heuristic tests',
    }),
    PSBT_VERSION_ARG,
  ],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"hexstring"' }],
});

export const converttopsbt: FrontRun<typeof spec> = (params, ctx) => {
  const { permitsigdata: permitSigData, iswitness: isWitness } = params;
  const tx = decodeTx(params.hexstring, isWitness, ctx);
  for (let i = 0; i < tx.inputCount && !permitSigData; i++) {
    if (tx.scriptSig(i).length > 0 || tx.witnessCount(i) > 0) {
      fail(RPC_CODE.DESERIALIZATION_ERROR, 'Inputs must not have scriptSigs and scriptWitnesses');
    }
  }
  return psbtText(createPsbt(tx, ctx.hashes, asPsbtVersion(params.psbt_version, ctx.compat)), ctx.hashes, ctx.compat);
};
