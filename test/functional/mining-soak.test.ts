// The soak of mode `live` in its short form: nothing invalid, nobody forgotten. Times and memory are the long form's (test/soak).
import t from 'tap';
import { faultsOf } from '../soak/soak-report.js';
import { runSoak } from '../soak/soak-run.js';

t.setTimeout(280_000);

t.test('blocks, reorganisations, replacements and polls for a while', { timeout: 270_000 }, async (t) => {
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
});
