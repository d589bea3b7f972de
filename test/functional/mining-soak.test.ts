// Runs the soak test of template mode `live` for a short time: no invalid template, and every long poll is answered.
// The long form (test/soak) also checks times and memory.
import t from 'tap';
import { nightlyTest } from '../framework/depth.js';
import { faultsOf, MEMORY_PARTS, type SoakReport } from '../soak/soak-report.js';
import { runSoak } from '../soak/soak-run.js';

nightlyTest('blocks, reorganisations, replacements and polls for a while', async (t) => {
  const report = await runSoak({
    seconds: 16,
    least: { blocks: 10, accepted: 150 },
    polls: 60,
    blockSeconds: 1,
    transactionsPerSecond: 40,
  });
  t.strictSame(faultsOf(report, false), []);
  t.ok(report.blocks >= 8, `${report.blocks} blocks`);
  t.ok(report.reorganisations >= 1, `${report.reorganisations} reorganisations`);
  t.ok(report.accepted > 100, `${report.accepted} transactions, ${report.refused} refused`);
  t.ok(report.judged > 15, `${report.judged} of ${report.templates} templates judged`);
  t.ok(report.pollsAnswered > 60 * 8, `${report.pollsAnswered} polls answered`);
  for (const [part, megabytes] of Object.entries(report.census)) {
    t.ok(megabytes.length > 0 && megabytes.every((one) => one >= 0), `${part}: ${megabytes.map((one) => one.toFixed(1)).join(' ')}`);
  }
});

const flat = (megabytes: number): number[] => new Array<number>(60).fill(megabytes);

const noGrowth = Object.fromEntries(Object.keys(MEMORY_PARTS).map((part) => [part, flat(0)])) as unknown as SoakReport['census'];

/** Builds a report without faults, in which the given members are replaced. */
function reportOf(given: Partial<SoakReport>): SoakReport {
  const quiet: Partial<SoakReport> = {
    options: { seconds: 600, polls: 0, blockSeconds: 1, transactionsPerSecond: 40 },
    invalid: [],
    errors: [],
    waitersAtEnd: 0,
    leftBehind: 0,
    judged: 1,
    templates: 1,
    accepted: 700,
    refused: 300,
    lagMs: [1],
    bystanderMs: [0],
    residentMb: flat(300),
    census: noGrowth,
  };
  return { ...quiet, ...given } as SoakReport;
}

t.test('blames slow replies on the node only when the machine is not busy', async (t) => {
  const faults = (given: Partial<SoakReport>): string[] => faultsOf(reportOf(given), true);
  t.same(faults({ lagMs: flat(15), bystanderMs: flat(0.5) }), []);
  t.same(faults({ lagMs: flat(212), bystanderMs: flat(70) }), [], 'every loop on the machine is late');
  t.same(faults({ lagMs: flat(212), bystanderMs: flat(5) }), ['event-loop lag p99 197.0 ms beyond what the machine makes of it']);
  t.same(faults({ lagMs: [...flat(5), 40], bystanderMs: [...flat(60), 2] }), [
    'event-loop lag p99 34.0 ms beyond what the machine makes of it',
  ]);
  t.same(faults({ accepted: 50, refused: 20 }), [], 'few in all');
  t.same(faults({ accepted: 50, refused: 200 }), ['only 50 of 250 transactions were accepted']);
  t.same(faults({ accepted: 0, refused: 0 }), ['only 0 of 0 transactions were accepted']);
});

t.test('tells growing memory from caches that fill', async (t) => {
  // The first 30 samples count as the start and are ignored. The 30 after them are compared as two halves.
  const rising = (from: number, to: number): number[] => [...new Array<number>(45).fill(from), ...new Array<number>(15).fill(to)];
  const memory = (residentMb: number[], heap: number[], coins: number[]): string[] => {
    return faultsOf(reportOf({ residentMb, census: { ...noGrowth, heap, 'coins cache': coins } }), true);
  };
  t.same(memory(flat(300), flat(80), flat(4)), []);
  t.same(memory(rising(300, 340), flat(80), rising(4, 40)), [], 'a cache within its bound');
  t.same(memory(rising(300, 340), rising(80, 118), flat(4)), [
    'memory grew from 300 to 340 MB: heap +38.0, outside the heap +0.0, coins cache +0.0, database +0.0, script cache +0.0, mempool +0.0, verify slabs +0.0, held replies +0.0',
  ]);
});
