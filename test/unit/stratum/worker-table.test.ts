// Workers by name: when they begin, what is written, and who goes when there are too many.
import t from 'tap';
import type { ShareRecord } from '../../../src/stratum/session/sink.js';
import { decodeWorkerKey, decodeWorkerRow } from '../../../src/stratum/statistics/worker-row.js';
import { WorkerTable } from '../../../src/stratum/statistics/worker-table.js';
import { ADDRESS, NOW_MS } from '../../framework/stratum-world.js';

const share = (worker: string, timeMs: number, over: Partial<ShareRecord> = {}): ShareRecord => ({
  address: ADDRESS,
  worker,
  result: 'accepted',
  difficulty: 1024,
  shareDifficulty: 1500,
  height: 840_000,
  timeMs,
  block: false,
  ...over,
});
const name = (worker: string) => ({ address: ADDRESS, worker, agent: `${worker}/1` });
const workers = (table: WorkerTable): string[] => table.list(0, 100).map(({ worker }) => worker);

t.test('begins a worker with its first accepted share', async (t) => {
  const table = new WorkerTable(10);
  table.startSession(name('probe'), NOW_MS);
  table.addShare(share('probe', NOW_MS, { result: 'low-difficulty' }));
  t.equal(table.size, 0);
  t.same(table.takeChangedRows(), []);
  table.addShare(share('probe', NOW_MS + 60_000));
  const entry = table.find(name('probe'));
  t.equal(entry?.sessions, 1);
  t.match(entry?.statistics.figures, { firstSeenMs: NOW_MS, agent: 'probe/1', work: 1024 }, 'counted from the start of the session');
  table.endSession(name('probe'));
  t.equal(table.find(name('probe'))?.sessions, 0);
  t.equal(table.find(name('other')), null);
});

t.test('counts connections of a worker, and its best share from the first of them', async (t) => {
  const table = new WorkerTable(10);
  table.startSession(name('a'), NOW_MS);
  table.addShare(share('a', NOW_MS, { shareDifficulty: 9000 }));
  table.startSession(name('a'), NOW_MS);
  t.equal(table.find(name('a'))?.sessions, 2);
  t.equal(table.find(name('a'))?.statistics.bestOfSession, 9000, 'a second connection is the same session');
  table.endSession(name('a'));
  table.endSession(name('a'));
  table.endSession(name('a'));
  table.startSession(name('a'), NOW_MS);
  t.equal(table.find(name('a'))?.sessions, 1);
  t.equal(table.find(name('a'))?.statistics.bestOfSession, 0);
  t.equal(table.find(name('a'))?.statistics.figures.bestEver, 9000);
});

t.test('lists workers by their last share, newest first, in pages', async (t) => {
  const table = new WorkerTable(10);
  for (const worker of ['a', 'b', 'c', 'a']) table.addShare(share(worker, NOW_MS));
  t.same(workers(table), ['a', 'c', 'b']);
  t.same(
    table.list(1, 1).map(({ worker }) => worker),
    ['c'],
  );
  t.same(table.list(3, 5), []);
});

t.test('gives each changed row once, as the database holds it', async (t) => {
  const table = new WorkerTable(10);
  table.addShare(share('a', NOW_MS));
  table.addShare(share('b', NOW_MS));
  table.addShare(share('a', NOW_MS + 1));
  const rows = table.takeChangedRows();
  t.same(
    rows.map(({ key }) => decodeWorkerKey(key).worker),
    ['a', 'b'],
  );
  t.same(table.takeChangedRows(), []);
  const next = new WorkerTable(10);
  for (const { key, row } of rows) next.loadRow(decodeWorkerKey(key), row as Uint8Array);
  t.same(next.find(name('a'))?.statistics.figures, table.find(name('a'))?.statistics.figures);
  t.same(next.takeChangedRows(), [], 'what was loaded has not changed');
  next.addShare(share('a', NOW_MS + 2, { result: 'stale' }));
  t.equal(decodeWorkerRow(next.takeChangedRows()[0]?.row as Uint8Array).shares[1], 1);
});

t.test('drops the worker whose last share is the oldest, unless it is connected', async (t) => {
  const table = new WorkerTable(3);
  table.startSession(name('a'), NOW_MS);
  for (const worker of ['a', 'b', 'c']) table.addShare(share(worker, NOW_MS));
  table.takeChangedRows();
  table.addShare(share('d', NOW_MS));
  t.same(workers(table), ['d', 'c', 'a']);
  t.same(
    table.takeChangedRows().map(({ key, row }) => [decodeWorkerKey(key).worker, row === null]),
    [
      ['d', false],
      ['b', true],
    ],
    'its row is to be deleted',
  );
  for (const worker of ['c', 'd', 'e']) table.startSession(name(worker), NOW_MS);
  table.addShare(share('e', NOW_MS));
  t.same(workers(table), ['e', 'd', 'c'], 'or all are');
});
