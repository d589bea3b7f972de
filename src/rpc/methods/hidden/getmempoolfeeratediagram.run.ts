// Runs getmempoolfeeratediagram.
import { compareFeeFractions } from '../../../selection/cluster/fee-fraction.js';
import type { NodeRun } from '../../context/node.js';
import { showAll } from '../../node/pool.js';
import { hashHex } from '../../render/hex.js';
import { Amount } from '../../wire/values.js';

/** Sums over all chunks of the pool, best first. */
export const getmempoolfeeratediagram: NodeRun = async (ctx, _args, call) => {
  await ctx.mempool.settled();
  const list = await ctx.mempool.snapshot(call.breathe);
  const seen = new Set<string>();
  const chunks: { fee: number; weight: number }[] = [];
  await showAll(
    list,
    (entry) => {
      if (seen.has(hashHex(entry.txid)) || ctx.mempool.get(entry.txid) === undefined) return;
      for (const { fee, weight, entries } of ctx.mempool.cluster(entry)) {
        for (const { txid } of entries) seen.add(hashHex(txid));
        chunks.push({ fee, weight });
      }
    },
    call.breathe,
  );
  chunks.sort((a, b) => compareFeeFractions(b.fee, b.weight, a.fee, a.weight));
  let [fee, weight] = [0, 0];
  const points = chunks.map((chunk) => ({ weight: (weight += chunk.weight), fee: new Amount((fee += chunk.fee)) }));
  return [{ weight: 0, fee: new Amount(0) }, ...points];
};
