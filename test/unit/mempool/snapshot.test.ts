// Tests snapshots of the whole mempool: their order, and that each shows one moment although the tables change while
// another thread sorts a copy.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { chunksOfCluster } from '../../../src/mempool/feerate-diagram.js';
import { sortedRows } from '../../../src/mempool/order.js';
import { copyTables, tablesOf } from '../../../src/mempool/pool-tables.js';
import { PoolSnapshot, type RowSorter } from '../../../src/mempool/snapshot.js';
import { TxPool } from '../../../src/mempool/tx-pool.js';
import { crypto } from '../../framework/pool-under-test.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const COUNT = 6_000;

/** Sorts a copy after the current task, as another thread would. */
const sortLater =
  (byChunks: boolean): RowSorter =>
  async (pool) => {
    const copy = structuredClone(copyTables(pool));
    await Promise.resolve();
    return sortedRows(tablesOf(copy), byChunks);
  };

function fill(pool: TxPool, random: () => number): void {
  const below = (n: number): number => Math.floor(random() * n);
  const txids: Uint8Array[] = [];
  for (let i = 0; i < COUNT; i++) {
    const parent = i % 3 === 2 ? txids[below(txids.length)] : Uint8Array.from({ length: 32 }, () => below(256));
    const input = { prevHash: parent, prevIndex: i, scriptSig: new Uint8Array(0), sequence: 0, witness: [] };
    const bytes = buildTx({ version: 2, inputs: [input], outputs: [{ value: i, script: new Uint8Array(30) }], locktime: 0 });
    const tx = parseTx(bytes, crypto);
    txids.push(tx.txid);
    // There are few different rates, so the txid often decides the order.
    const size = 100 + below(3);
    pool.add({ tx, fee: below(4) * size, time: 0, height: 1, sigopCost: 0, size, spendsCoinbase: false, locks: null });
  }
}

t.test('sorts by fewer ancestors, then higher fee rate, then larger txid', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, pseudoRandom(7));
  const expected = Array.from(pool.rows.here(), (row) => pool.records.entry(row))
    .map(({ row, ancestorCount, fee, size, txid }) => ({ row, ancestorCount, rate: fee / size, txid: Buffer.from(txid) }))
    .sort((a, b) => a.ancestorCount - b.ancestorCount || b.rate - a.rate || Buffer.compare(b.txid, a.txid));
  const snapshot = await PoolSnapshot.takeSorted(pool, sortLater(false));
  t.same(
    Array.from(snapshot, ({ row }) => row),
    expected.map(({ row }) => row),
  );
  snapshot.release();
});

t.test('shows the mempool at the time of the call, whatever changes while it is sorted', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, pseudoRandom(8));
  const before = new Map(
    Array.from(pool.rows.here(), (row) => [Buffer.from(pool.records.entry(row).txid).toString('hex'), pool.records.entry(row).fee]),
  );
  const most = pool.records.arena.reservedBytes;
  const taken = PoolSnapshot.takeSorted(pool, sortLater(false));
  for (const row of pool.rows.here()) if (row % 5 > 0 && pool.rows.isHere(row)) pool.removeWithDescendants(row, 'sizelimit');
  fill(pool, pseudoRandom(9));
  const snapshot = await taken;
  t.equal(snapshot.length, COUNT);
  const found = new Map(Array.from(snapshot, ({ txid, fee }) => [Buffer.from(txid).toString('hex'), fee]));
  t.same(found, before);
  for (let i = 0; i < snapshot.length; i += 50) t.same(snapshot.at(i).tx.txid, snapshot.at(i).txid);
  const stale = snapshot.at(COUNT - 1);
  snapshot.release();
  snapshot.release();
  for (const row of pool.rows.here()) if (pool.rows.isHere(row)) pool.removeWithDescendants(row, 'sizelimit');
  t.throws(() => stale.fee, /used after its transaction left/);
  t.ok(pool.records.arena.reservedBytes <= 1 << 16, 'and lets go of everything');
  t.ok(most > 10 << 16);
});

t.test('takes an empty snapshot, and releases all rows when sorting fails', async (t) => {
  const pool = new TxPool(1 << 16);
  const empty = await PoolSnapshot.takeSorted(pool, sortLater(false));
  t.equal(empty.length, 0);
  empty.release();
  fill(pool, pseudoRandom(10));
  await t.rejects(
    PoolSnapshot.takeSorted(pool, () => Promise.reject(new Error('gone'))),
    /gone/,
  );
  for (const row of pool.rows.here()) if (pool.rows.isHere(row)) pool.removeWithDescendants(row, 'sizelimit');
  t.equal(
    pool.rows.holds.findIndex((holds) => holds > 0),
    -1,
    'nothing is held any more',
  );
});

t.test('sorts chunks by rate, then by the weight at that rate, then by their highest txid', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, pseudoRandom(11));
  const chunks = new Map<number, { fee: number; weight: number; alike: number; rows: readonly number[] }>();
  for (const row of pool.rows.here()) for (const chunk of chunksOfCluster(pool, row)) chunks.set(chunk.rows[0]!, chunk);
  const highest = (rows: readonly number[]): number => [...rows].sort(pool.records.compareIds).at(-1)!;
  const expected = [...chunks.values()].sort(
    (a, b) => b.fee / b.weight - a.fee / a.weight || a.alike - b.alike || pool.records.compareIds(highest(a.rows), highest(b.rows)),
  );
  const snapshot = await PoolSnapshot.takeSorted(pool, sortLater(true));
  const found = Array.from(snapshot, ({ row }) => row);
  t.same(
    found,
    expected.flatMap(({ rows }) => rows),
  );
  t.ok(expected.length < COUNT, 'some have several');
  snapshot.release();
});
