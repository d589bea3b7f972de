import { compareFeeFractions } from '../../../selection/cluster/fee-fraction.js';
import type { NodeRun } from '../../context/node.js';
import { showAll } from '../../node/pool.js';
import { hashHex } from '../../render/hex.js';
import { Amount } from '../../wire/values.js';
import type { getmempoolfeeratediagram as spec } from './getmempoolfeeratediagram.spec.js';

interface Chunk {
  readonly fee: number;
  readonly weight: number;
}

/** Returns cumulative fees and weights over all chunks of the mempool, best first. */
export const getmempoolfeeratediagram: NodeRun<typeof spec> = async (_, ctx, call) => {
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot(call.yieldToUrgent);
  /** Chunks by txid, of the clusters seen so far. */
  const chunkOf = new Map<string, Chunk>();
  const met = new Set<Chunk>();
  // The list is in mining order, which also orders chunks with equal feerates.
  await showAll(
    list,
    (entry) => {
      const id = hashHex(entry.txid);
      if (!chunkOf.has(id) && ctx.mempool.get(entry.txid) !== undefined) {
        for (const chunk of ctx.mempool.cluster(entry)) for (const { txid } of chunk.entries) chunkOf.set(hashHex(txid), chunk);
      }
      const chunk = chunkOf.get(id);
      if (chunk !== undefined) met.add(chunk);
    },
    call.yieldToUrgent,
  );
  // Chunks that changed during pauses may be out of order.
  const chunks = [...met].sort((a, b) => compareFeeFractions(b.fee, b.weight, a.fee, a.weight));
  let [fee, weight] = [0, 0];
  const points = chunks.map((chunk) => ({ weight: (weight += chunk.weight), fee: new Amount((fee += chunk.fee)) }));
  return [{ weight: 0, fee: new Amount(0) }, ...points];
};
