// The soak of mode `live` in its short form: nothing invalid, nobody forgotten. Times and memory are the long form's
// (test/soak).
import t from 'tap';
import { nightlyTest } from '../framework/depth.js';
import { faultsOf, type SoakReport } from '../soak/soak-report.js';
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

t.test('memory that grows, and caches that fill', async (t) => {
  const flat = (megabytes: number): number[] => new Array<number>(60).fill(megabytes);
  // Thirty scrapes are the start's, then come two halves.
  const rising = (from: number, to: number): number[] => [...new Array<number>(45).fill(from), ...new Array<number>(15).fill(to)];
  const memory = (residentMb: number[], heap: number[], coins: number[]): string[] => {
    const none = flat(0);
    const report: Partial<SoakReport> = {
      options: { seconds: 600, polls: 0, blockSeconds: 1, transactionsPerSecond: 0 },
      invalid: [],
      errors: [],
      waitersAtEnd: 0,
      leftBehind: 0,
      judged: 1,
      templates: 1,
      accepted: 0,
      lagMs: [1],
      residentMb,
      census: { heap, 'outside the heap': none, 'coins cache': coins, mempool: none, 'verify slabs': none, 'held replies': none },
    };
    return faultsOf(report as SoakReport, true);
  };
  t.same(memory(flat(300), flat(80), flat(4)), []);
  t.same(memory(rising(300, 340), flat(80), rising(4, 40)), [], 'a cache within its bound');
  t.same(memory(rising(300, 340), rising(80, 118), flat(4)), [
    'memory grew from 300 to 340 MB: heap +38.0, outside the heap +0.0, coins cache +0.0, mempool +0.0, verify slabs +0.0, held replies +0.0',
  ]);
});
