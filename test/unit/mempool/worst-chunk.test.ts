// Compares the chunk that a full mempool evicts with the result of a search through all clusters, while transactions
// arrive, leave and are prioritised.
import t from 'tap';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { worstChunk } from '../../../src/mempool/eviction.js';
import { chunksOfCluster } from '../../../src/mempool/feerate-diagram.js';
import { collectDescendants } from '../../../src/mempool/relatives.js';
import { NO_ROW } from '../../../src/mempool/rows.js';
import { TxPool } from '../../../src/mempool/tx-pool.js';
import { fc } from '../../framework/fast-check.js';
import { ANYONE, outpointOf, spend } from '../../framework/model-chain.js';
import { crypto } from '../../framework/pool-under-test.js';

const OUTPUTS = 4;

/** Adds a transaction to the mempool. @param number a unique number */
function put(pool: TxPool, number: number, fee: number, parents: readonly Uint8Array[] = []): TxView {
  const fresh = new Uint8Array(36).fill(0xee);
  new DataView(fresh.buffer).setUint32(0, number);
  const tx = spend(crypto, [...parents, fresh], Array(OUTPUTS).fill({ value: 1, script: ANYONE }));
  const { vsize: size } = tx;
  pool.add({ tx, fee, time: 1, height: 1, sigopCost: 0, size, spendsCoinbase: false, locks: null, returned: false });
  return tx;
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('add' as const), fee: fc.nat(5_000), of: fc.array(fc.nat(400), { maxLength: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'look' as const, 'look' as const), fee: fc.nat(400) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('prioritise' as const), fee: fc.integer({ min: -3_000, max: 3_000 }), of: fc.nat(400) }),
    },
  ),
  { minLength: 5, maxLength: 60 },
);

t.test('finds the chunk with the lowest rate of all clusters over random changes', async (t) => {
  let looks = 0;
  let families = 0;
  fc.assert(
    fc.property(steps, (list) => {
      const pool = new TxPool(1 << 20, true);
      const txs: TxView[] = [];
      const rowsOf = (): number[] => txs.map((tx) => pool.records.find(tx.txid)).filter((row) => row !== NO_ROW);
      const rateIsLeast = (): boolean => {
        const worst = worstChunk(pool);
        const rows = rowsOf();
        if (worst === undefined) return rows.length === 0;
        looks++;
        if (worst.rows.size > 1) families++;
        const least = Math.min(...rows.map((row) => chunksOfCluster(pool, row).at(-1)!).map(({ fee, weight }) => fee / weight));
        const own = chunksOfCluster(pool, [...worst.rows][0]).at(-1)!;
        const below = new Set<number>();
        for (const row of worst.rows) collectDescendants(pool.links, row, below);
        return Math.abs(own.fee / own.weight - least) < 1e-12 && worst.fees === own.fee && below.size === worst.rows.size;
      };
      for (const step of list) {
        const here = txs.filter((tx) => pool.records.find(tx.txid) !== NO_ROW);
        if (step.kind === 'add') {
          const parents = new Map<string, Uint8Array>();
          for (const place of here.length > 0 ? step.of : []) {
            const outpoint = outpointOf(here[place % here.length], place % OUTPUTS);
            if (pool.records.spender(outpoint) === NO_ROW) parents.set(outpoint.join(), outpoint);
          }
          txs.push(put(pool, txs.length, step.fee, [...parents.values()]));
        } else if (here.length === 0) continue;
        else if (step.kind === 'prioritise') pool.prioritise(here[step.of % here.length].txid, step.fee);
        else if (step.kind === 'remove') pool.removeWithDescendants(pool.records.find(here[step.fee % here.length].txid), 'expiry');
        else if (!rateIsLeast()) return false;
      }
      while (pool.size > 0) {
        if (!rateIsLeast()) return false;
        pool.remove(worstChunk(pool)!.rows, 'sizelimit');
      }
      return true;
    }),
    { numRuns: 400 },
  );
  t.ok(looks > 1_000 && families > 200, `${looks} looks, ${families} families`);
});

t.test('finds the parent and child as worst chunk when the fee of the child falls', async (t) => {
  const pool = new TxPool(1 << 20, true);
  const parent = put(pool, 1, 0);
  const child = put(pool, 2, 1_000, [outpointOf(parent, 0)]);
  const lone = put(pool, 3, 400);
  const rowsOf = (...txs: readonly TxView[]): number[] => txs.map((tx) => pool.records.find(tx.txid));
  t.same([...worstChunk(pool)!.rows], rowsOf(lone));
  pool.prioritise(child.txid, -300);
  t.same([...worstChunk(pool)!.rows], rowsOf(parent, child), 'the child by itself still pays more');
});
