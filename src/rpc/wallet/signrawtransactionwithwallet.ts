// signrawtransactionwithwallet: signs with the keys and scripts of a wallet. Core 0.21: wallet/rpcwallet.cpp.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import { type SigningProvider, StackedProvider } from '../../wallet/keys/signing-provider.js';
import { signTransaction } from '../../wallet/sign/sign-transaction.js';
import type { Wallet } from '../../wallet/wallet.js';
import { checkTypes } from '../args.js';
import type { Run } from '../dispatch.js';
import type { NodeContext } from '../node/context.js';
import { asHashType, asUnsignedTx, knowsTaproot, signingReply, spentOutputs } from '../node/signing-args.js';
import { ensureUnlocked, walletOf } from './select.js';

/** A legacy wallet's keys are one store; a descriptor wallet answers with what stands behind the scripts being spent. */
function providerFor(wallet: Wallet, spent: readonly (SpentOutput | null)[]): SigningProvider {
  if (wallet.legacy) return wallet.legacy;
  const providers = new Map<string, SigningProvider>();
  for (const output of spent) {
    if (!output) continue;
    const { script } = output;
    const key = hashKey(script);
    const provider = providers.has(key) ? undefined : wallet.provider(script);
    if (provider) providers.set(key, provider);
  }
  return new StackedProvider([...providers.values()]);
}

export const signrawtransactionwithwallet: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(args, ['string', 'array', 'string'], true);
  const tx = asUnsignedTx(ctx, args[0]);
  ensureUnlocked(wallet);
  const spent = await spentOutputs(ctx, tx, args[1], null);
  const hashType = asHashType(args[2], knowsTaproot(ctx));
  const provider = providerFor(wallet, spent);
  return signingReply(tx, spent, await signTransaction(tx, spent, provider, hashType, ctx));
};
