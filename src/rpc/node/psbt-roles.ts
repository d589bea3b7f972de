// What analyzepsbt, finalizepsbt and utxoupdatepsbt share: the calls about PSBTs that look at scripts and coins. Core
// 0.21: rpc/rawtransaction.cpp.
import type { Expansion } from '../../address/descriptor/expansion.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { isPayToScriptHash, witnessVersion } from '../../consensus/script/templates.js';
import { follows } from '../../policy/compat.js';
import type { Psbt } from '../../psbt/psbt.js';
import type { FlatProvider } from '../../signing/signing-provider.js';
import type { NodeContext } from '../context/node.js';
import { findOutputs, outpointsOf } from './signing-args.js';

/**
 * Adds segwit outputs that inputs spend, from the chain and the pool; since release 26 in the place of what a PSBT says
 * of them.
 */
export async function addOutputs(ctx: NodeContext, psbt: Psbt, provider: FlatProvider): Promise<void> {
  const found = await findOutputs(ctx, outpointsOf(psbt.tx));
  for (const [i, input] of psbt.inputs.entries()) {
    const output = found[i];
    const isKnown = input.nonWitnessUtxo !== null || (input.witnessUtxo !== null && !follows(ctx.compat, 26));
    if (!isKnown && output && isSegwit(output.script, provider)) input.witnessUtxo = { value: output.value, script: output.script };
  }
}

/** Tells what a descriptor gives; since release 30 every key of it, also one that its scripts name by its hash. */
export function learnExpansion({ crypto, compat }: NodeContext, provider: FlatProvider, expansion: Expansion): void {
  provider.addExpansion(expansion, crypto);
  if (!follows(compat, 30)) return;
  for (const { publicKey } of expansion.keys) provider.publicKeys.set(hashKey(crypto.hash160(publicKey)), publicKey);
}

/** Whether spending an output takes a witness, as far as the scripts at hand tell. */
function isSegwit(script: Uint8Array, provider: FlatProvider): boolean {
  if (witnessVersion(script) >= 0) return true;
  const redeemScript = isPayToScriptHash(script) ? provider.script(script.subarray(2, 22)) : undefined;
  return redeemScript !== undefined && witnessVersion(redeemScript) >= 0;
}
