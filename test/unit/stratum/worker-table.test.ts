// Tests the table of workers by name: when rows are made and written, which rows are removed when there are too many,
// and pages of the table.
import t from 'tap';
import type { ShareRecord } from '../../../src/stratum/session/sink.js';
import { workerPage } from '../../../src/stratum/statistics/worker-page.js';
import { decodeWorkerKey, decodeWorkerRow } from '../../../src/stratum/statistics/worker-row.js';
import { type ChangedRow, WorkerTable } from '../../../src/stratum/statistics/worker-table.js';
import { fc } from '../../framework/fast-check.js';
import { ADDRESS, NOW_MS } from '../../framework/stratum-world.js';

const OTHER = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';
const LATER = NOW_MS + 3_600_000;
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
const workers = (table: WorkerTable): string[] => [...table.list(null, NOW_MS)].map(({ worker }) => worker);
const allRows = (table: WorkerTable): ChangedRow[] => table.takeChangedRows(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
const stored = (rows: readonly ChangedRow[]) => rows.map(({ key, row }) => [key, row as Uint8Array] as const);

t.test('begins a worker with its first accepted share', async (t) => {
  const table = new WorkerTable(10);
  table.startSession(name('probe'), NOW_MS);
  table.addShare(share('probe', NOW_MS, { result: 'low-difficulty' }));
  t.equal(table.size, 0);
  t.same(allRows(table), []);
  const [waiting, ...others] = table.list(null, NOW_MS + 5);
  t.same(others, []);
  t.match(waiting, { address: ADDRESS, worker: 'probe', sessions: 1 }, 'it is listed while it is connected');
  t.match(waiting?.statistics.figures, { firstSeenMs: NOW_MS, agent: 'probe/1', lastShareMs: 0 });
  table.addShare(share('probe', NOW_MS + 60_000));
  t.same(workers(table), ['probe']);
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

t.test('lists workers by their last accepted share, newest first', async (t) => {
  const table = new WorkerTable(10);
  for (const worker of ['a', 'b', 'c', 'a']) table.addShare(share(worker, NOW_MS));
  table.addShare(share('b', NOW_MS, { result: 'invalid' }));
  t.same(workers(table), ['a', 'c', 'b']);
});

t.test('gives each changed row once, as the database holds it', async (t) => {
  const table = new WorkerTable(10);
  table.addShare(share('a', NOW_MS));
  table.addShare(share('b', NOW_MS));
  table.addShare(share('a', NOW_MS + 1));
  const rows = allRows(table);
  t.same(
    rows.map(({ key }) => decodeWorkerKey(key).worker),
    ['a', 'b'],
  );
  t.same(allRows(table), []);
  const next = new WorkerTable(10);
  t.equal(next.loadRows(stored(rows).reverse(), LATER), 0);
  t.same(workers(next), ['a', 'b'], 'in the order of their shares');
  t.same(next.find(name('a'))?.statistics.figures, table.find(name('a'))?.statistics.figures);
  t.same(allRows(next), [], 'what was loaded has not changed');
  next.addShare(share('a', NOW_MS + 2, { result: 'stale' }));
  t.equal(decodeWorkerRow(allRows(next)[0]?.row as Uint8Array).shares[1], 1);
});

t.test('gives rows in the order of their changes, those of a time, and so many', async (t) => {
  const table = new WorkerTable(10);
  const taken = (untilMs: number, most: number): string[] =>
    table.takeChangedRows(untilMs, most).map(({ key }) => decodeWorkerKey(key).worker);
  for (const [i, worker] of ['a', 'b', 'a', 'c', 'd'].entries()) table.addShare(share(worker, NOW_MS + i));
  t.equal(table.changes, 4);
  t.same(taken(NOW_MS + 3, 2), ['a', 'b'], 'the older change of a counts');
  t.same(taken(NOW_MS + 3, 2), ['c']);
  t.same(taken(NOW_MS + 3, 2), []);
  t.same(taken(NOW_MS + 4, 2), ['d']);
  t.equal(table.changes, 0);
});

t.test('ignores damaged rows, and forgets the oldest of too many', async (t) => {
  const table = new WorkerTable(10);
  for (const [i, worker] of ['a', 'b', 'c'].entries()) table.addShare(share(worker, NOW_MS + i));
  const rows = stored(allRows(table));
  const [key, row] = rows[0] as readonly [Uint8Array, Uint8Array];
  const bad = [Buffer.from('x'), row] as const;
  const next = new WorkerTable(2);
  t.equal(next.loadRows([bad, [key.map((byte) => byte + 1), row.subarray(1)], ...rows], LATER), 2);
  t.same(workers(next), ['c', 'b']);
  t.same(allRows(next), [{ key, row: null }], 'the row of the third is to be deleted');
});

t.test('drops the worker whose last share is the oldest, unless it is connected', async (t) => {
  const table = new WorkerTable(3);
  table.startSession(name('a'), NOW_MS);
  for (const worker of ['a', 'b', 'c']) table.addShare(share(worker, NOW_MS));
  allRows(table);
  table.addShare(share('d', NOW_MS));
  t.same(workers(table), ['d', 'c', 'a']);
  t.same(
    allRows(table).map(({ key, row }) => [decodeWorkerKey(key).worker, row === null]),
    [
      ['d', false],
      ['b', true],
    ],
    'its row is to be deleted',
  );
  for (const worker of ['c', 'd', 'e']) table.startSession(name(worker), NOW_MS);
  table.addShare(share('e', NOW_MS));
  t.same(
    [...table.list(null, NOW_MS)].filter(({ statistics }) => statistics.lastShareMs > 0).map(({ worker }) => worker),
    ['e', 'd', 'c'],
    'or all are',
  );
});

t.test('bounds everything when a million names are invented', async (t) => {
  const table = new WorkerTable(100);
  table.startSession(name('honest'), NOW_MS);
  table.addShare(share('honest', NOW_MS));
  t.equal(allRows(table).length, 1);
  for (let i = 0; i < 1_000_000; i++) {
    table.startSession({ address: ADDRESS, worker: `x${i}`, agent: '' }, NOW_MS);
    table.addShare(share(`y${i}`, NOW_MS + i));
    if (i % 10_000 !== 0) continue;
    if (table.size > 100 || table.changes > 200) t.fail(`${table.size} workers, ${table.changes} changes`);
    table.takeChangedRows(NOW_MS + i, 50);
  }
  t.equal(table.size, 100);
  t.ok(table.changes <= 200, `${table.changes} rows to write`);
  t.equal([...table.list(null, NOW_MS)].length, 299, 'and 199 names without a share');
  t.ok(table.find(name('honest')), 'a connected worker is not dropped for them');
});

t.test('shows a page of workers with totals', async (t) => {
  const table = new WorkerTable(10);
  table.startSession(name('a'), NOW_MS);
  table.startSession({ address: OTHER, worker: 'new', agent: '' }, NOW_MS);
  table.addShare(share('a', NOW_MS + 10_000, { shareDifficulty: 5000 }));
  table.addShare(share('b', NOW_MS + 20_000, { difficulty: 1, block: true }));
  table.addShare(share('b', NOW_MS + 30_000, { result: 'stale' }));
  table.addShare(share('c', NOW_MS + 20_000, { address: OTHER }));
  const page = workerPage(table, { address: ADDRESS, skip: 0, count: 10 }, NOW_MS + 60_000);
  t.match(page, { total: 2, connected: 1 });
  t.match(page.totals, {
    sessions: 1,
    work: 1025,
    shares: [2, 1, 0, 0, 0, 0, 0],
    blocks: 1,
    bestEver: 5000,
    lastShareMs: NOW_MS + 20_000,
  });
  t.match(page.workers, [
    { worker: 'b', sessions: 0, difficulty: 1, shares: [1, 1, 0, 0, 0, 0, 0], blocks: 1, lastShareMs: NOW_MS + 20_000 },
    { worker: 'a', agent: 'a/1', sessions: 1, difficulty: 1024, bestOfSession: 5000, firstSeenMs: NOW_MS },
  ]);
  t.same(
    page.totals.hashrates,
    [0, 1, 2, 3, 4].map((i) => page.workers.reduce((sum, { hashrates }) => sum + (hashrates[i] as number), 0)),
  );
  // One share of difficulty 1024 in the first minute: 1024 * 2^32 hashes in 60 seconds, reduced by exp(-50/60), divided
  // by the filled part 1 - exp(-1) of a minute.
  t.equal(page.workers[1]?.hashrates[0]?.toPrecision(6), ((73_300_775_185 * Math.exp(-50 / 60)) / (1 - Math.exp(-1))).toPrecision(6));
  const listed = (skip: number, count: number): string[] =>
    workerPage(table, { address: null, skip, count }, NOW_MS + 60_000).workers.map(({ worker }) => worker);
  t.same([listed(0, 10), listed(1, 2), listed(3, 5), listed(4, 5)], [['c', 'b', 'a', 'new'], ['b', 'a'], ['new'], []]);
  t.same(workerPage(table, { address: 'nobody', skip: 0, count: 10 }, NOW_MS).total, 0);
});

/** A worker of the naive model, which keeps every accepted share. */
interface Naive {
  readonly bornMs: number;
  readonly accepted: { readonly timeMs: number; readonly difficulty: number; readonly best: number }[];
  refused: number;
}

const WINDOWS = [60, 300, 3_600, 86_400, 604_800];

/** Adds up all shares with their weights, and divides by the part of each window in which the worker existed. */
function naiveRates({ bornMs, accepted }: Naive, nowMs: number): number[] {
  const age = Math.max(1000, nowMs - bornMs) / 1000;
  return WINDOWS.map((window) => {
    const work = accepted.reduce((sum, { timeMs, difficulty }) => sum + difficulty * Math.exp((timeMs - nowMs) / 1000 / window), 0);
    return (work * 4_294_967_296) / (window * (1 - Math.exp(-age / window)));
  });
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), worker: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constant('end' as const), worker: fc.integer({ min: 0, max: 5 }) }),
  fc.record({
    kind: fc.constant('share' as const),
    worker: fc.integer({ min: 0, max: 5 }),
    accepted: fc.boolean(),
    difficulty: fc.integer({ min: 1, max: 1_000_000 }),
    best: fc.integer({ min: 1, max: 1_000_000 }),
    waitMs: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 1_000_000_000 })),
  }),
  fc.record({ kind: fc.constant('write' as const), most: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

t.test('agrees with a model that keeps every share, over evictions, partial writes and restarts', async (t) => {
  const MOST = 3;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let table = new WorkerTable(MOST);
      const database = new Map<string, Uint8Array>();
      const open = new Map<string, { count: number; sinceMs: number }>();
      /** Workers in the order of their last accepted shares. */
      const model = new Map<string, Naive>();
      let nowMs = NOW_MS;
      const write = (untilMs: number, most: number): void => {
        for (const { key, row } of table.takeChangedRows(untilMs, most)) {
          const id = Buffer.from(key).toString('latin1');
          if (row === null && !database.delete(id)) throw new Error(`deletes ${id}, which was not written`);
          if (row !== null) database.set(id, row);
        }
      };
      for (const one of steps) {
        const worker = 'worker' in one ? `w${one.worker}` : '';
        if (one.kind === 'start') {
          table.startSession(name(worker), nowMs);
          const session = open.get(worker);
          open.set(worker, { count: (session?.count ?? 0) + 1, sinceMs: session?.sinceMs ?? nowMs });
        } else if (one.kind === 'end') {
          table.endSession(name(worker));
          const session = open.get(worker);
          if (session !== undefined && --session.count === 0) open.delete(worker);
        } else if (one.kind === 'share') {
          nowMs += one.waitMs;
          const result = one.accepted ? 'accepted' : 'stale';
          table.addShare(share(worker, nowMs, { difficulty: one.difficulty, shareDifficulty: one.best, result }));
          const naive = model.get(worker) ?? { bornMs: open.get(worker)?.sinceMs ?? nowMs, accepted: [], refused: 0 };
          if (one.accepted) {
            naive.accepted.push({ timeMs: nowMs, difficulty: one.difficulty, best: one.best });
            model.delete(worker);
            model.set(worker, naive);
          } else if (model.has(worker)) naive.refused++;
          if (model.size > MOST) {
            const [oldest] = model.keys();
            const gone = [...model.keys()].find((id) => !open.has(id)) ?? (oldest as string);
            model.delete(gone);
          }
        } else if (one.kind === 'write') write(nowMs, one.most);
        else {
          write(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
          table = new WorkerTable(MOST);
          open.clear();
          const rows = [...database].map(([key, row]) => [Buffer.from(key, 'latin1'), row] as const);
          if (table.loadRows(rows, nowMs) !== 0) throw new Error('a damaged row');
        }
        if (database.size > 2 * MOST + steps.length) throw new Error('more rows than workers');
      }
      const entries = [...table.list(null, nowMs)].filter(({ statistics }) => statistics.lastShareMs > 0);
      const shown = entries.map(({ worker, sessions, statistics }) => ({
        worker,
        sessions,
        shares: statistics.figures.shares.slice(0, 2),
        work: statistics.figures.work,
        best: statistics.figures.bestEver,
      }));
      const wanted = [...model].reverse().map(([worker, { accepted, refused }]) => ({
        worker,
        sessions: open.get(worker)?.count ?? 0,
        shares: [accepted.length, refused],
        work: accepted.reduce((sum, { difficulty }) => sum + difficulty, 0),
        best: Math.max(...accepted.map(({ best }) => best)),
      }));
      if (JSON.stringify(shown) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(shown)}\nnot ${JSON.stringify(wanted)}`);
      for (const { worker, statistics } of entries) {
        const rates = naiveRates(model.get(worker) as Naive, nowMs + 5_000);
        for (const [i, rate] of statistics.hashrates(nowMs + 5_000).entries()) {
          const naive = rates[i] as number;
          if (Math.abs(rate - naive) > 1e-9 * naive + 1e-6) throw new Error(`${rate}, not ${naive} over ${WINDOWS[i]} s`);
        }
      }
      write(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
      if (database.size !== model.size) throw new Error(`${database.size} rows for ${model.size} workers`);
    }),
    { numRuns: 300 },
  );
  t.pass('300 histories');
});
