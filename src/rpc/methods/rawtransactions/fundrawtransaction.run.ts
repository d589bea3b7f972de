// Core 0.21: wallet/rpcwallet.cpp.
import { DecodeError } from '../../../consensus/bytes/reader.js';
import { buildTx, type TxFields } from '../../../consensus/tx/build-tx.js';
import { parseTxLenient } from '../../../consensus/tx/parse-lenient.js';
import { fieldsOf } from '../../../psbt/create-psbt.js';
import { inPaymentQueue } from '../../../wallet/spend/payment-queue.js';
import { asBool, asString, checkTypes, hexBytes } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hex } from '../../render/hex.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { given } from '../../wallet/spend-args.js';
import { fundWith } from '../../wallet/spend-options.js';
import { Amount, type JsonValue } from '../../wire/values.js';
import type { fundrawtransaction as spec } from './fundrawtransaction.spec.js';

/**
 * Parses a transaction, which may have no inputs yet, with or without witnesses, as requested; otherwise tries both
 * formats.
 */
function asStartedTx(ctx: WalletContext, value: JsonValue | undefined, isWitness: JsonValue | undefined): TxFields {
  const failed = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  const known = given(isWitness);
  const tryWitness = known ? asBool(isWitness) : true;
  const tryNoWitness = known ? !asBool(isWitness) : true;
  const bytes = hexBytes(asString(value)) ?? failed();
  try {
    return fieldsOf(parseTxLenient(bytes, ctx.crypto, { tryWitness, tryNoWitness }));
  } catch (error) {
    if (error instanceof DecodeError) return failed();
    throw error;
  }
}

export const fundrawtransaction: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  walletOf(ctx, call);
  checkTypes(args, ['string', null, 'bool']);
  const tx = asStartedTx(ctx, args[0], args[2]);
  const wallet = await settledWallet(ctx, call);
  const fund = { tx, addInputs: true, overrideRate: true, names: tx.outputs.map(() => 'dummy') };
  const funded = await inPaymentQueue(wallet, () => fundWith(ctx, wallet, args[1], fund, call));
  return { hex: hex(buildTx(funded.tx)), fee: new Amount(funded.fee), changepos: funded.changePosition };
};
