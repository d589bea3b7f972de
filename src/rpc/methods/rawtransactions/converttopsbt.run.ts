// Core 0.21: rpc/rawtransaction.cpp.
import { createPsbt } from '../../../psbt/index.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { FrontRun } from '../../front/context.js';
import { decodeTx } from '../../front/decode.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import type { converttopsbt as spec } from './converttopsbt.spec.js';

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
