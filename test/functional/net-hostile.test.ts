// All attacks at once for a while: the node stays up, within bounds, and serves the honest. Figures and each attack alone are the long form's
// (test/hostile).
import t from 'tap';
import { runHostile } from '../hostile/hostile-run.js';

t.setTimeout(280_000);

/** What a node of this size holds, and the bounds of traffic in either direction with what may be begun beyond them. */
const MOST_BYTES = 1_000 * 2 ** 20;

t.test('a node under attack', async (t) => {
  const report = await runHostile({ seconds: 15, short: true, blocks: 2_200, lanesAlone: 0, lanesTogether: 3, connections: 1_000 });
  t.strictSame(report.faults, [], 'every block and transaction of the honest arrived, in both directions');
  t.strictSame(report.logErrors, []);
  t.ok(report.blocks >= 4, `${report.blocks} blocks`);
  t.ok(report.transactions >= 2, `${report.transactions} transactions`);
  t.ok(report.logLines < 20_000, `${report.logLines} lines in the log`);
  if (Number.isFinite(report.mostMemory)) t.ok(report.mostMemory < MOST_BYTES, `${Math.round(report.mostMemory / 2 ** 20)} MB`);
  const together = report.phases.find(({ name }) => name === 'all at once');
  t.ok((together?.seen.templates.length ?? 0) > 0, 'templates were given');
  const counts = Object.values(together?.counts ?? {});
  t.ok(counts.length > 20, `${counts.length} attacks`);
  t.strictSame(
    counts.filter(({ connected }) => connected === 0),
    [],
    'each of them came through',
  );
});
