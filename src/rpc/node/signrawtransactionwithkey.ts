// signrawtransactionwithkey and combinerawtransaction: signing without a wallet. Core 0.21: rpc/rawtransaction.cpp.
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { witnessProgramScript } from '../../consensus/script/build-script.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { only } from '../../policy/compat.js';
import { withoutSignatures } from '../../psbt/create-psbt.js';
import { FlatProvider } from '../../signing/signing-provider.js';
import { combineTransactions, signTransaction } from '../../signing/sign-transaction.js';
import { asArray, asString, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hex } from '../render/hex.js';
import type { JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { privateKeyOf } from './private-key.js';
import { decodeTx } from './raw-tx.js';
import { asHashType, asUnsignedTx, findOutputs, signingReply, spentOutputs } from './signing-args.js';

/** Adds a key given as text, and the script of its own witness program, so that it is found inside P2SH. */
function addKey(ctx: NodeContext, value: JsonValue, call: CallInfo, keys: FlatProvider): void {
  const wif = privateKeyOf(value, ctx, call);
  const publicKey = wif && ctx.descriptors.keys.publicKey(wif.key, wif.compressed);
  if (!wif || !publicKey) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
  const id = ctx.crypto.hash160(publicKey);
  keys.publicKeys.set(hashKey(id), publicKey);
  keys.secrets.set(hashKey(id), wif.key);
  if (!wif.compressed) return;
  const program = witnessProgramScript(0, id);
  keys.scripts.set(hashKey(ctx.crypto.hash160(program)), program);
}

export const signrawtransactionwithkey: Run<NodeContext> = async (ctx, args, call) => {
  checkTypes(args, ['string', 'array', 'array', 'string'], true);
  const tx = asUnsignedTx(ctx, args[0]);
  const keys = new FlatProvider();
  try {
    for (const text of asArray(args[1])) addKey(ctx, text, call, keys);
    const spent = await spentOutputs(ctx, tx, args[2], keys);
    const hashType = asHashType(args[3], ctx);
    return signingReply(tx, spent, await signTransaction(tx, spent, keys, hashType, ctx));
  } finally {
    keys.wipe();
  }
};

/** Refuses versions that are not of the first one's transaction; before release 32 what they sign is left out. */
function checkSame(versions: readonly TxView[], { crypto }: NodeContext): void {
  const [first, ...others] = versions.map((tx) => withoutSignatures(tx, crypto).txid);
  const other = others.findIndex((txid) => !equalBytes(txid, first));
  if (other >= 0) fail(RPC_CODE.INVALID_PARAMETER, `Transaction number ${other + 2} not compatible with first transaction`);
}

export const combinerawtransaction: Run<NodeContext> = async (ctx, args) => {
  const list = asArray(args[0]);
  const strict = only(ctx.compat, 32);
  if (strict && list.length < 2) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Missing transactions. At least two transactions required.');
  const versions = list.map((text, i) => {
    const tx = decodeTx(ctx, asString(text));
    return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed for tx ${i}. Make sure the tx has at least one input.`);
  });
  if (versions.length === 0) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Missing transactions');
  if (strict) checkSame(versions, ctx);
  const spent = await findOutputs(ctx, versions[0]);
  const known = spent.filter((output): output is SpentOutput => output !== null);
  if (known.length < spent.length) fail(RPC_CODE.VERIFY_ERROR, 'Input not found or already spent');
  return hex(await combineTransactions(versions, known, ctx.crypto));
};
