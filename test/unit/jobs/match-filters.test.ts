// Filters against scripts: nothing that is there is missed, whatever the time allows.
import t from 'tap';
import { BasicFilterBuilder } from '../../../src/filters/basic-filter.js';
import { packMatchJob, runMatchJob } from '../../../src/jobs/match-filters.js';
import { packScripts } from '../../../src/jobs/script-marks.js';
import { inlineFilterSearch } from '../../../src/parallel/filter-matcher.js';

const script = (n: number): Uint8Array => Uint8Array.of(0x51, n, n, n);
const blocks = Array.from({ length: 5 }, (_, i) => {
  const hash = new Uint8Array(32).fill(i + 1);
  const builder = new BasicFilterBuilder(hash);
  for (let n = 0; n < 20; n++) builder.output(script(10 * i + n));
  return { hash, filter: builder.finish() };
});

t.test('finds the filters that match a script', async (t) => {
  const search = (...wanted: number[]) => inlineFilterSearch(packScripts(wanted.map(script)))(blocks);
  t.same(await search(5), [true, false, false, false, false]);
  t.same(await search(15), [true, true, false, false, false]);
  t.same(await search(59, 200), [false, false, false, false, true]);
  t.same(await search(200), [false, false, false, false, false]);
  t.same(await search(), [false, false, false, false, false]);
  t.same(await inlineFilterSearch(packScripts([script(1)]))([]), []);
});

t.test('ends a job when its time is over, after at least one filter', async (t) => {
  let now = 0;
  const job = packMatchJob(packScripts([script(45)]), blocks);
  t.same([...runMatchJob(job, () => (now += 10))], [0]);
  t.same([...runMatchJob(job, () => (now += 2))], [0, 0, 0]);
  t.same([...runMatchJob(job, () => now)], [0, 0, 0, 1, 1]);
});

t.test('treats a filter that cannot be read as a match', async (t) => {
  const broken = { hash: blocks[0].hash, filter: Uint8Array.of(200, 1) };
  t.same(await inlineFilterSearch(packScripts([script(200)]))([broken, blocks[1]]), [true, false]);
});
