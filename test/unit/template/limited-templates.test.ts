// Templates for single clients: what is kept and for how long, how many wait, and what a build that fails does to the
// others.
import t from 'tap';
import type { TemplateLimits } from '../../../src/policy/template-limits.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import { type LimitedTemplate, LimitedTemplates } from '../../../src/template/limited-templates.js';

const limits = (maxWeight: number): TemplateLimits => ({ maxWeight, maxSigops: null, minFeeRate: null, exclude: [] });
const template = (weight: number): LimitedTemplate => ({ facts: { weight } as TemplateFacts, transactions: new Uint8Array(2) });

/** A builder whose builds end when the test says so. */
function builder() {
  const open: { limits: TemplateLimits; done: () => void; failed: (error: Error) => void }[] = [];
  const templates = new LimitedTemplates(
    (asked) =>
      new Promise((resolve, reject) => {
        open.push({ limits: asked, done: () => resolve(template(asked.maxWeight as number)), failed: reject });
      }),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { open, templates, turn };
}

t.test('runs one build at a time, and shares it among clients with the same limits', async (t) => {
  const { open, templates, turn } = builder();
  const first = templates.get(limits(5_000), 'a');
  const same = templates.get(limits(5_000), 'a');
  const other = templates.get(limits(6_000), 'a');
  await turn();
  t.equal(open.length, 1, 'the second waits for the first');
  open[0]!.done();
  t.equal((await first).facts.weight, 5_000);
  t.equal(await same, await first);
  await turn();
  t.equal(open.length, 2);
  open[1]!.done();
  t.equal((await other).facts.weight, 6_000);
  t.equal(await templates.get(limits(5_000), 'a'), await first, 'retained');
  t.equal(open.length, 2);
  t.same(templates.figures, { kept: 2, waiting: 0 });
});

t.test('retains at most four templates, and none longer than its shared template', async (t) => {
  const { open, templates, turn } = builder();
  const build = async (weight: number, generation: string): Promise<LimitedTemplate> => {
    const before = open.length;
    const wanted = templates.get(limits(weight), generation);
    await turn();
    for (const { done } of open.slice(before)) done();
    return wanted;
  };
  for (let weight = 4_000; weight < 4_050; weight++) await build(weight, 'a');
  t.same(templates.figures, { kept: 4, waiting: 0 });
  await build(4_049, 'a');
  t.equal(open.length, 50, 'the last ones are there');
  await build(4_000, 'a');
  t.equal(open.length, 51, 'the first is not');
  await build(4_049, 'b');
  t.equal(open.length, 52);
  t.same(templates.figures, { kept: 1, waiting: 0 });
  // Built for a generation that is over when it ends.
  const late = templates.get(limits(7_000), 'b');
  await turn();
  templates.startGeneration('c');
  open.at(-1)!.done();
  await late;
  t.same(templates.figures, { kept: 0, waiting: 0 });
});

t.test('refuses more than 16 waiting builds, and a failed build does not affect the others', async (t) => {
  const { open, templates, turn } = builder();
  const waiting = Array.from({ length: 16 }, (_, i) => templates.get(limits(5_000 + i), 'a'));
  await t.rejects(templates.get(limits(9_000), 'a'), { message: 'Too many templates with different limits are being built' });
  const joined = templates.get(limits(5_003), 'a');
  await turn();
  open[0]!.failed(new Error('the assembler died'));
  await t.rejects(waiting[0], { message: 'the assembler died' });
  for (let i = 1; i < 16; i++) {
    await turn();
    open[i]!.done();
    t.equal((await waiting[i]!).facts.weight, 5_000 + i);
  }
  t.equal(await joined, await waiting[3]);
  const again = templates.get(limits(5_000), 'a');
  await turn();
  open.at(-1)!.done();
  t.equal((await again).facts.weight, 5_000, 'a failure is not cached');
});
