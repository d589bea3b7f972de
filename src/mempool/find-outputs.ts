import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { TimeSlice } from '../lib/time-slice.js';

/** Number of coins that one step looks up, so that reads overlap and no step takes long. */
const OUTPOINTS_AT_ONCE = 200;

/** Mempool and chain, as far as findOutputs() needs them. */
export interface OutputSources {
  readonly coins: { coinsAt(outpoints: readonly Uint8Array[]): Promise<readonly (SpentOutput | undefined)[]> };
  readonly mempool: { get(txid: Uint8Array): { readonly tx: TxView } | undefined; settled(): Promise<void> };
}

/**
 * Returns outputs by outpoint (36 bytes); null where unknown. An output of a mempool transaction counts whether it is
 * spent there or not; others must be unspent in the chain.
 */
export async function findOutputs({ coins, mempool }: OutputSources, outpoints: readonly Uint8Array[]): Promise<(SpentOutput | null)[]> {
  await mempool.settled();
  const found: (SpentOutput | null)[] = [];
  const slice = new TimeSlice();
  for (let first = 0; first < outpoints.length; first += OUTPOINTS_AT_ONCE) {
    const end = Math.min(first + OUTPOINTS_AT_ONCE, outpoints.length);
    const elsewhere: number[] = [];
    for (let input = first; input < end; input++) {
      const outpoint = outpoints[input];
      const parent = mempool.get(outpoint.subarray(0, 32))?.tx;
      const index = new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true);
      const here = parent !== undefined && index < parent.outputCount;
      found.push(here ? { value: parent.outputValue(index), script: parent.outputScript(index) } : null);
      if (parent === undefined) elsewhere.push(input);
    }
    const unspent = await coins.coinsAt(elsewhere.map((input) => outpoints[input]));
    for (const [i, input] of elsewhere.entries()) found[input] = unspent[i] ?? null;
    if (slice.over) await slice.next();
  }
  return found;
}
