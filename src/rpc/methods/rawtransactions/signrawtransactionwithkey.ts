// Core 0.21: rpc/rawtransaction.cpp.

import { hashKey } from '../../../consensus/bytes/hex.js';
import { witnessProgramScript } from '../../../consensus/script/build-script.js';
import { findOutputs } from '../../../mempool/index.js';
import { follows } from '../../../policy/compat.js';
import { FlatProvider, signTransaction } from '../../../signing/index.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';
import { PREVTXS_ARG, SIGHASH_TYPE_ARG, SIGNED_RESULTS } from '../../declare/signing-parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { privateKeyOf } from '../../node/private-key.js';
import { asHashType, asUnsignedTx, outpointsOf, signingReply, spentOutputs } from '../../node/signing-args.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'signrawtransactionwithkey',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description: 'Signs the inputs of a transaction with the given private keys only.',
  args: [
    str('hexstring', 'The transaction'),
    arr('privkeys', 'The private keys', [str('privatekey?', 'A private key in Base58Check', { holds: 'key' })]),
    PREVTXS_ARG,
    SIGHASH_TYPE_ARG,
  ],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex" "[\\"key1\\",\\"key2\\"]"', rpc: '"myhex", "[\\"key1\\",\\"key2\\"]"' }],
});

/** Adds a key given as text, and the script of its P2WPKH program, so that signing finds it inside P2SH. */
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

export const signrawtransactionwithkey: NodeRun<typeof spec> = async (params, ctx, call) => {
  const tx = asUnsignedTx(ctx, params.hexstring);
  const keys = new FlatProvider();
  try {
    for (const text of params.privkeys) addKey(ctx, text, call, keys);
    const spent = spentOutputs(await findOutputs(ctx, outpointsOf(tx)), tx, params.prevtxs, keys, ctx.crypto);
    const hashType = asHashType(params.sighashtype, ctx);
    return signingReply(tx, spent, await signTransaction(tx, spent, keys, hashType, ctx, follows(ctx.compat, 31)));
  } finally {
    keys.wipe();
  }
};
