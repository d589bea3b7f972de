// The runner of the tests: what fails stays failed, and what was skipped does not look like a pass.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-runner-'));
t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Writes a file that prints TAP lines and notes that it was run. */
function file(name: string, exitCode: number, ...lines: string[]): string {
  const at = path.join(folder, `${name}.test.js`);
  const runs = JSON.stringify(path.join(folder, 'runs'));
  fs.writeFileSync(
    at,
    `require('node:fs').appendFileSync(${runs}, ${JSON.stringify(`${name}\n`)});
console.log(${JSON.stringify(['TAP version 14', ...lines].join('\n'))});
process.exitCode = ${exitCode};\n`,
  );
  return at;
}

/** Runs the runner. @returns its exit code, its closing line and all it printed */
function runner(files: readonly string[], env: Record<string, string> = {}): { code: number | null; last: string; output: string } {
  fs.rmSync(path.join(folder, 'runs'), { force: true });
  const { ADIT_TEST_SKIPS: _skips, ADIT_TEST_SEED: _seed, ...rest } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, 'test', 'run-tests.mjs'), ...files], {
    encoding: 'utf8',
    env: { ...rest, ...env },
  });
  return { code: status, last: stdout.trim().split('\n').at(-1) as string, output: stdout };
}
const runs = (): string[] => fs.readFileSync(path.join(folder, 'runs'), 'utf8').trim().split('\n');

const good = file('good', 0, 'ok 1 - fine', '1..1', '# { total: 1, pass: 1 }');
const lone = file('lone', 0, 'ok 1 - fine', '1..1');
const bad = file('functional-bad', 1, 'not ok 1 - wrong', '1..1', '# { total: 1, fail: 1 }');
const empty = file('empty', 0, '1..0');
const silent = file('silent', 0);
const skips = file('skips', 0, 'ok 1 - needs it # SKIP no such program', '1..1', '# { total: 1, skip: 1 }');
const some = file(
  'some',
  0,
  '    ok 1 - inner # SKIP not here # time=1ms',
  'ok 1 - outer # time=1ms',
  'ok 2 - fine',
  '1..2',
  '# { total: 3, pass: 2, skip: 1 }',
);
const whole = file('whole', 0, '1..0 # skip nothing for this machine');

t.test('counts files that pass and fail, and shows why a file failed', async (t) => {
  t.match(runner([good, lone]), { code: 0, last: '2 passed, 0 failed' });
  for (const one of [bad, empty, silent]) t.match(runner([good, one]), { code: 1, last: '1 passed, 1 failed' }, one);
  t.match(runner([bad]).output, /^not ok 1 - wrong$/m, 'why');
  t.same(runs(), ['functional-bad'], 'once');
  const here = path.relative(root, import.meta.filename);
  const thrown = file('thrown', 1, 'not ok 1 - wrong', '  stack: |', `    thrower (${here}:20:1)`, '1..1');
  t.match(runner([thrown]).output, /thrower \(test\/unit\/runner\/run-tests\.test\.ts:\d+:\d+\)/, 'where in the source');
  t.match(runner([]), { code: 1, last: '0 passed, 0 failed' });
});

t.test('prints skips with their reason and counts them separately', async (t) => {
  const all = runner([good, skips, some, whole]);
  t.match(all, { code: 0, last: '2 passed, 0 failed, 3 skipped' });
  for (const line of [
    /^skip .*skips \(0 asserts/m,
    /^ {5}skipped: needs it: no such program$/m,
    /^ {5}skipped: inner: not here$/m,
    /^ {5}skipped: the whole file: nothing for this machine$/m,
  ])
    t.match(all.output, line);
  t.notMatch(all.output, /^ok +.*(skips|whole) \(/m, 'what was skipped did not pass');
  t.match(runner([skips]), { code: 1, last: '0 passed, 0 failed, 1 skipped' }, 'nothing at all was run');
});

t.test('fails when a skip is not listed with its file, test and reason', async (t) => {
  const list = path.join(folder, 'list.json');
  const name = (of: string): string => path.relative(path.join(root, 'build', 'test'), of).replace(/\.test\.js$/, '');
  const listed = (...rows: { file: string; test: string; skipped: string }[]): { code: number | null; last: string } => {
    fs.writeFileSync(list, JSON.stringify(rows));
    return runner([good, skips, some], { ADIT_TEST_SKIPS: list });
  };
  const first = { file: name(skips), test: 'needs it', skipped: 'no such program' };
  const second = { file: name(some), test: '*', skipped: 'not here' };
  t.match(listed(first, second), { code: 0, last: '2 passed, 0 failed, 2 skipped' });
  t.match(listed(second), { code: 1, last: '2 passed, 1 failed, 2 skipped' });
  t.match(listed(first), { code: 1, last: '1 passed, 1 failed, 2 skipped' });
  t.match(listed({ ...first, skipped: 'another reason' }, second), { code: 1 });
  t.match(listed({ ...first, test: 'another' }, second), { code: 1 });
});

t.test('passes one seed to all files, and every weight names an existing file', async (t) => {
  const heavy = path.join(root, 'build', 'test', 'long', 'storage-faults.test.js');
  const weights = JSON.parse(fs.readFileSync(path.join(root, 'test', 'weights.json'), 'utf8')) as Record<string, number>;
  t.ok(weights['long/storage-faults']! > 1, heavy);
  for (const file of Object.keys(weights)) t.ok(fs.existsSync(path.join(root, 'test', `${file}.test.ts`)), `${file} is there`);
  const seed = file('seed', 0, 'ok 1 - fine');
  fs.appendFileSync(seed, 'if (process.env.ADIT_TEST_SEED !== "77") process.exitCode = 1;\n');
  t.match(runner([seed], { ADIT_TEST_SEED: '77' }).code, 0);
  t.match(runner([seed], { ADIT_TEST_SEED: '78' }).code, 1);
  const seedOf = (env: Record<string, string> = {}) => /^ADIT_TEST_SEED=(\d+)$/m.exec(runner([seed], env).output)?.[1];
  t.equal(seedOf(), '20261122', 'the same in every run that names none');
  t.not(seedOf({ ADIT_TEST_SEED: 'random' }), seedOf({ ADIT_TEST_SEED: 'random' }), 'drawn and printed where that is asked for');
});

t.test('runs small unit files in one process and reports each by its own name', (t) => {
  const here = fs.mkdtempSync(path.join(root, 'build', 'test', 'unit', 'runner', 'shared-'));
  t.teardown(() => fs.rmSync(here, { recursive: true, force: true }));
  const name = (of: string): string => `unit/runner/${path.basename(here)}/${of}`;
  const shared = (of: string, ...lines: string[]): string => {
    const at = path.join(here, `${of}.test.js`);
    fs.writeFileSync(at, ["import t from 'tap';", ...lines].join('\n'));
    return at;
  };
  const notesProcess = "t.test('notes', (t) => { t.fail('process ' + process.pid); t.end(); });";
  const processes = (output: string): Set<string | undefined> =>
    new Set([...output.matchAll(/not ok 1 - process (\d+)/g)].map(([, pid]) => pid));
  const fine = shared('fine', "t.test('one', (t) => { t.ok(true); t.equal(1, 1); t.end(); });");
  const sibling = shared('sibling', "await t.test('one', async (t) => t.ok(true));", "t.ok(true, 'besides');");
  t.match(runner([fine, sibling]), { code: 0, last: '2 passed, 0 failed' });
  t.match(runner([fine, sibling]).output, new RegExp(`^ok   ${name('fine')} \\(2 asserts.*\nok   ${name('sibling')} \\(2 asserts`, 'm'));
  const both = runner([shared('left', notesProcess), shared('right', notesProcess)]);
  t.match(both, { code: 1, last: '0 passed, 2 failed' });
  t.equal(processes(both.output).size, 1, 'one process');
  const apart = runner([shared('left', '// Own process: for this test.', notesProcess), shared('right', notesProcess)]);
  t.equal(processes(apart.output).size, 2, 'two processes');

  const wrong = shared('wrong', "t.test('adds', async (t) => { t.equal(1, 2); });");
  const failed = runner([fine, wrong, sibling]);
  t.match(failed, { code: 1, last: '2 passed, 1 failed' });
  t.match(failed.output, new RegExp(`^FAIL ${name('wrong')} `, 'm'));
  t.match(failed.output, new RegExp(`stack: .*\\n.*${name('wrong')}\\.test\\.js:2:\\d+`), 'the place');
  t.match(runner([fine, shared('throws', "throw new Error('at once');"), sibling]), { code: 1, last: '2 passed, 1 failed' });
  t.match(runner([fine, shared('nothing', ''), sibling]), { code: 1, last: '2 passed, 1 failed' });
  const skips = runner([fine, shared('skips', "t.test('one', { skip: 'no such program' }, () => {});")]);
  t.match(skips, { code: 0, last: '1 passed, 0 failed, 1 skipped' });
  t.match(skips.output, /^ {5}skipped: one: no such program$/m);
  const whole = runner([fine, shared('whole', "t.plan(0, 'nothing for this machine');")]);
  t.match(whole, { code: 0, last: '1 passed, 0 failed, 1 skipped' });
  t.match(whole.output, /^ {5}skipped: the whole file: nothing for this machine$/m);

  const ends = runner([fine, shared('gone', "t.test('one', async () => process.kill(process.pid, 'SIGKILL'));"), sibling]);
  t.match(ends, { code: 1, last: '1 passed, 2 failed' });
  t.match(ends.output, new RegExp(`^FAIL ${name('gone')} .*\nSIGKILL$`, 'm'));
  t.match(ends.output, new RegExp(`^FAIL ${name('sibling')} .*\nnot run: its process ended at ${name('gone')}$`, 'm'));
  t.end();
});
