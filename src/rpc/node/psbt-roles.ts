// Shared by methods that need scripts and coins of a PSBT. Core 0.21: rpc/rawtransaction.cpp.

import type { Expansion } from '../../address/descriptor/expansion.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { isPayToScriptHash, witnessVersion } from '../../consensus/script/templates.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { findOutputs } from '../../mempool/index.js';
import { follows } from '../../policy/compat.js';
import type { Psbt } from '../../psbt/index.js';
import type { FlatProvider } from '../../signing/index.js';
import type { NodeContext } from '../context/node.js';
import { outpointsOf } from './signing-args.js';

/**
 * Adds the segwit outputs that inputs spend, from the chain and the mempool. Since release 26 these outputs replace the
 * witness UTXOs in the PSBT, and whole previous transactions are added where the mempool or -txindex has them.
 */
export async function addOutputs(ctx: NodeContext, psbt: Psbt, provider: FlatProvider): Promise<void> {
  if (follows(ctx.compat, 26)) await addTransactions(ctx, psbt);
  const found = await findOutputs(ctx, outpointsOf(psbt.tx));
  for (const [i, input] of psbt.inputs.entries()) {
    const output = found[i];
    const isKnown = input.nonWitnessUtxo !== null || (input.witnessUtxo !== null && !follows(ctx.compat, 26));
    if (!isKnown && output && isSegwit(output.script, provider)) input.witnessUtxo = { value: output.value, script: output.script };
  }
}

/** Adds the previous transactions that the PSBT lacks, from the mempool and -txindex. */
async function addTransactions(ctx: NodeContext, psbt: Psbt): Promise<void> {
  // Inputs that spend the same transaction share one copy.
  const known = new Map<string, TxView | null>();
  const slice = new TimeSlice();
  for (const [i, input] of psbt.inputs.entries()) {
    if (input.nonWitnessUtxo !== null) continue;
    const txid = psbt.tx.prevHash(i);
    const key = hashKey(txid);
    let tx = known.get(key);
    if (tx === undefined) {
      await ctx.mempool.settled();
      tx = ctx.mempool.get(txid)?.tx ?? (await ctx.txIndex?.find(txid))?.tx ?? null;
      known.set(key, tx);
    }
    input.nonWitnessUtxo = tx;
    if (slice.over) await slice.next();
  }
}

/**
 * Adds the keys and scripts of a descriptor to a provider. Since release 30 also adds the keys that the descriptor's
 * scripts contain only as hashes.
 */
export function learnExpansion({ crypto, compat }: NodeContext, provider: FlatProvider, expansion: Expansion): void {
  provider.addExpansion(expansion, crypto);
  if (!follows(compat, 30)) return;
  for (const { publicKey } of expansion.keys) provider.publicKeys.set(hashKey(crypto.hash160(publicKey)), publicKey);
}

/** Returns whether spending an output needs a witness, as far as the known scripts show. */
function isSegwit(script: Uint8Array, provider: FlatProvider): boolean {
  if (witnessVersion(script) >= 0) return true;
  const redeemScript = isPayToScriptHash(script) ? provider.script(script.subarray(2, 22)) : undefined;
  return redeemScript !== undefined && witnessVersion(redeemScript) >= 0;
}
