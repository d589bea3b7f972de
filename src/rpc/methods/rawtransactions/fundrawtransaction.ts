// Core 0.21: wallet/rpcwallet.cpp.

import { DecodeError } from '../../../consensus/bytes/reader.js';
import { buildTx, type TxFields } from '../../../consensus/tx/build-tx.js';
import { parseTxLenient } from '../../../consensus/tx/parse-lenient.js';
import { follows } from '../../../policy/compat.js';
import { fieldsOf } from '../../../psbt/index.js';
import { inPaymentQueue } from '../../../wallet/index.js';
import { checkTypes, hexBytes } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { FUNDED_MEMBERS, fundOptions, INPUT_WEIGHTS_ARG } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex } from '../../render/hex.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { fundWith } from '../../wallet/spend-options.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'fundrawtransaction',
  category: 'rawtransactions',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Adds inputs to a transaction until they pay for its outputs and the fee, and adds a change output if\nnecessary. The call signs nothing.\nExisting inputs stay unchanged. They must be coins of the wallet, unless the options tell how they are spent.',
  args: [
    hex('hexstring', 'The transaction'),
    obj(
      'options?',
      'Options. true or false instead of an object stands for includeWatching',
      { as: 'json', namedMembers: true, oneline: 'options' },
      [...fundOptions('true'), INPUT_WEIGHTS_ARG],
    ),
    bool('iswitness', 'Whether the hex is in the format with witnesses. A transaction without inputs may fit both formats', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj([hex('hex', 'The transaction'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'Fund a transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
  waits: true,
});

/**
 * Parses a transaction, which may have no inputs yet, with or without witnesses, as requested; otherwise tries both
 * formats.
 */
function asStartedTx(ctx: WalletContext, text: string, isWitness: boolean | undefined): TxFields {
  const failed = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  const tryWitness = isWitness ?? true;
  const tryNoWitness = !(isWitness ?? false);
  const bytes = hexBytes(text) ?? failed();
  try {
    return fieldsOf(parseTxLenient(bytes, ctx.crypto, { tryWitness, tryNoWitness }));
  } catch (error) {
    if (error instanceof DecodeError) return failed();
    throw error;
  }
}

export const fundrawtransaction: WalletRun<typeof spec> = async (params, ctx, call) => {
  walletOf(ctx, call);
  checkTypes(params.args, ['string', null, 'bool'], follows(ctx.compat, 31));
  const tx = asStartedTx(ctx, params.hexstring, params.iswitness);
  const wallet = await settledWallet(ctx, call);
  const fund = { tx, addInputs: true, overrideRate: true, names: tx.outputs.map(() => 'dummy') };
  const funded = await inPaymentQueue(wallet, () => fundWith(ctx, wallet, params.options, fund, call));
  return { hex: bytesHex(buildTx(funded.tx)), fee: new Amount(funded.fee), changepos: funded.changePosition };
};
