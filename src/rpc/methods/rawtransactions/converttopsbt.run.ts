// Core 0.21: rpc/rawtransaction.cpp.
import { DecodeError } from '../../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { createPsbt } from '../../../psbt/index.js';
import { hexBytes } from '../../args.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { FrontContext, FrontRun } from '../../front/context.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import type { converttopsbt as spec } from './converttopsbt.spec.js';

/** Parses a transaction with or without witnesses, as requested; otherwise tries both formats. */
function anyTx(ctx: FrontContext, text: string, isWitness: boolean | undefined): TxView {
  const failed = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  const bytes = hexBytes(text) ?? failed();
  try {
    return parseTxLenient(bytes, ctx.hashes, { tryWitness: isWitness ?? true, tryNoWitness: !(isWitness ?? false) });
  } catch (error) {
    if (error instanceof DecodeError) return failed();
    throw error;
  }
}

export const converttopsbt: FrontRun<typeof spec> = (params, ctx) => {
  const { permitsigdata: permitSigData, iswitness: isWitness } = params;
  const tx = anyTx(ctx, params.hexstring, isWitness);
  for (let i = 0; i < tx.inputCount && !permitSigData; i++) {
    if (tx.scriptSig(i).length > 0 || tx.witnessCount(i) > 0) {
      fail(RPC_CODE.DESERIALIZATION_ERROR, 'Inputs must not have scriptSigs and scriptWitnesses');
    }
  }
  return psbtText(createPsbt(tx, ctx.hashes, asPsbtVersion(params.psbt_version, ctx.compat)), ctx.hashes, ctx.compat);
};
