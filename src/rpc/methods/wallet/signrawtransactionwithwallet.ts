// Core 0.21: wallet/rpcwallet.cpp.

import { follows } from '../../../policy/compat.js';
import { signTransaction } from '../../../signing/index.js';
import { signingProviderOf } from '../../../wallet/index.js';
import { checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { PREVTXS_ARG, SIGHASH_TYPE_ARG, SIGNED_RESULTS } from '../../declare/signing-parts.js';
import { asHashType, asUnsignedTx, outpointsOf, signingReply, spentOutputs } from '../../node/signing-args.js';
import { bytesHex } from '../../render/hex.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'signrawtransactionwithwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  repeatable: true,
  description: 'Signs the inputs of a transaction with the keys of the wallet. The wallet must be unlocked.',
  args: [str('hexstring', 'The transaction'), PREVTXS_ARG, SIGHASH_TYPE_ARG],
  results: SIGNED_RESULTS,
  examples: [{ cli: '"myhex"', rpc: '"myhex"' }],
});

export const signrawtransactionwithwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['string', 'array', 'string'], true);
  const tx = asUnsignedTx(ctx, params.hexstring);
  ensureUnlocked(wallet);
  const spent = spentOutputs(await ctx.client.outputs(outpointsOf(tx)), tx, params.prevtxs, null, ctx.crypto);
  const hashType = asHashType(params.sighashtype, ctx);
  // In Core, each key manager signs in turn; a wallet without one reports nothing about the inputs.
  if (!(wallet.descriptors ? wallet.descriptors.count > 0 : wallet.session.hasKeyManager))
    return { hex: bytesHex(tx.bytes), complete: false };
  const provider = signingProviderOf(wallet, spent);
  return signingReply(tx, spent, await signTransaction(tx, spent, provider, hashType, ctx, follows(ctx.compat, 31)));
};
