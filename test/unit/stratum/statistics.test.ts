// Tests hashrates (which must have no bias), counts, and the row in the database.
import t from 'tap';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import type { ShareRecord } from '../../../src/stratum/session/sink.js';
import { decodeWorkerKey, decodeWorkerRow, encodeWorkerKey, encodeWorkerRow } from '../../../src/stratum/statistics/worker-row.js';
import { emptyFigures, WorkerStatistics } from '../../../src/stratum/statistics/worker-statistics.js';
import { ADDRESS, NOW_MS } from '../../framework/stratum-world.js';

const share = (timeMs: number, over: Partial<ShareRecord> = {}): ShareRecord => ({
  address: ADDRESS,
  worker: 'attic',
  result: 'accepted',
  difficulty: 1024,
  shareDifficulty: 1500,
  height: 840_000,
  timeMs,
  block: false,
  ...over,
});
/** One share of difficulty 1024 in ten seconds: 1024 * 2^32 / 10. */
const RATE = 439_804_651_110;

t.test('measures a steady miner rightly at every age, in every window', async (t) => {
  const worker = new WorkerStatistics(emptyFigures(NOW_MS));
  for (let i = 0; i < 60_480; i++) {
    worker.addShare(share(NOW_MS + i * 10_000 + 5_000));
    const seconds = (i + 1) * 10;
    if (![60, 600, 3600, 86_400, 604_800].includes(seconds)) continue;
    for (const rate of worker.hashrates(NOW_MS + seconds * 1000)) {
      t.ok(Math.abs(rate / RATE - 1) < 0.01, `${rate / RATE} after ${seconds} s`);
    }
  }
});

t.test('forgets a miner that stopped, the short windows first', async (t) => {
  const worker = new WorkerStatistics(emptyFigures(NOW_MS));
  for (let i = 0; i < 8640 * 7; i++) worker.addShare(share(NOW_MS + i * 10_000 + 5_000));
  const week = NOW_MS + 604_800_000;
  const left = worker.hashrates(week + 3_600_000).map((rate) => rate / RATE);
  t.ok((left[0] ?? 1) < 1e-20 && (left[1] ?? 1) < 1e-4, `${left}`);
  t.ok(Math.abs((left[2] ?? 0) - Math.exp(-1)) < 0.01, 'after its own length a window holds 37 %');
  t.ok((left[3] ?? 0) > 0.95 && (left[4] ?? 0) > 0.99);
});

t.test('counts by result, and credits only accepted shares', async (t) => {
  const worker = new WorkerStatistics(emptyFigures(NOW_MS));
  worker.startSession('bitaxe/1');
  worker.addShare(share(NOW_MS + 1000));
  worker.addShare(share(NOW_MS + 2000, { shareDifficulty: 9000 }));
  worker.addShare(share(NOW_MS + 3000, { result: 'stale', shareDifficulty: 1e9, block: true }));
  worker.addShare(share(NOW_MS + 4000, { result: 'duplicate', block: true }));
  t.equal(worker.difficulty, 1024);
  t.equal(worker.bestOfSession, 9000);
  worker.startSession('bitaxe/2');
  t.equal(worker.bestOfSession, 0);
  worker.addShare(share(NOW_MS + 5000, { shareDifficulty: 2000 }));
  t.equal(worker.bestOfSession, 2000);
  t.match(worker.figures, {
    bestEver: 9000,
    work: 3072,
    lastShareMs: NOW_MS + 5000,
    blocks: 1,
    agent: 'bitaxe/2',
    shares: [3, 1, 1, 0, 0, 0, 0],
  });
});

t.test('begins with nothing', async (t) => {
  const worker = new WorkerStatistics(emptyFigures(NOW_MS));
  t.equal(worker.bestOfSession, 0);
  t.same(worker.figures, {
    firstSeenMs: NOW_MS,
    decayedMs: NOW_MS,
    sums: [0, 0, 0, 0, 0],
    work: 0,
    bestEver: 0,
    lastShareMs: 0,
    shares: [0, 0, 0, 0, 0, 0, 0],
    blocks: 0,
    agent: '',
  });
});

t.test('never divides by nothing', async (t) => {
  const worker = new WorkerStatistics(emptyFigures(NOW_MS));
  t.same(worker.hashrates(NOW_MS), [0, 0, 0, 0, 0]);
  worker.addShare(share(NOW_MS));
  worker.addShare(share(NOW_MS - 5000));
  for (const rate of worker.hashrates(NOW_MS - 10_000)) t.ok(Number.isFinite(rate) && rate > 0, 'even if the clock goes back');
});

const ROW =
  '01' +
  // 1 and 2 ms, sums 1 to 5, work 6, best 7, last share 8 ms
  '000000000000f03f0000000000000040' +
  '000000000000f03f0000000000000040000000000000084000000000000010400000000000001440' +
  '00000000000018400000000000001c400000000000002040' +
  // shares by result 1 to 7, 9 blocks
  '000000000000f03f0000000000000040000000000000084000000000000010400000000000001440' +
  '00000000000018400000000000001c40' +
  '0000000000002240' +
  // "NM"
  '4e4d';
const FIGURES = {
  firstSeenMs: 1,
  decayedMs: 2,
  sums: [1, 2, 3, 4, 5],
  work: 6,
  bestEver: 7,
  lastShareMs: 8,
  shares: [1, 2, 3, 4, 5, 6, 7],
  blocks: 9,
  agent: 'NM',
};

t.test('writes and reads the row of a worker', async (t) => {
  t.equal(Buffer.from(encodeWorkerRow(FIGURES)).toString('hex'), ROW);
  t.same(decodeWorkerRow(Buffer.from(ROW, 'hex')), FIGURES);
  t.same(new WorkerStatistics(FIGURES).figures, FIGURES);
  t.equal(Buffer.from(encodeWorkerKey('bc1', 'rig.2')).toString('hex'), '626331007269672e32');
  t.same(decodeWorkerKey(Buffer.from('626331007269672e32', 'hex')), { address: 'bc1', worker: 'rig.2' });
});

t.test('goes on after a restart as if there had been none', async (t) => {
  const whole = new WorkerStatistics(emptyFigures(NOW_MS));
  let part = new WorkerStatistics(emptyFigures(NOW_MS));
  for (let i = 0; i < 500; i++) {
    const one = share(NOW_MS + i * 7000, { difficulty: 1 + i, shareDifficulty: 1 + i });
    whole.addShare(one);
    part.addShare(one);
    if (i % 100 === 50) part = new WorkerStatistics(decodeWorkerRow(encodeWorkerRow(part.figures)));
  }
  t.same(part.figures, whole.figures);
  t.same(part.hashrates(NOW_MS + 4_000_000), whole.hashrates(NOW_MS + 4_000_000));
});

t.test('refuses rows that are cut or of another format', async (t) => {
  for (const bad of ['', '01', `02${ROW.slice(2)}`, ROW.slice(0, -8), ROW.replace('000000000000f03f', '000000000000f07f')]) {
    t.throws(() => decodeWorkerRow(Buffer.from(bad, 'hex')), DecodeError);
  }
  t.throws(() => decodeWorkerKey(Buffer.from('abc')), DecodeError);
});
