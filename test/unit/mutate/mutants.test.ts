// Changes that `npm run mutate` makes, and the tests that are able to notice them.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../framework/chain-fixture.js';
import { covers, testsNear } from '../../mutate/coverage.js';
import { mutantsOf, mutated } from '../../mutate/mutants.js';

const all = (source: string): string[] => mutantsOf(source).map((mutant) => mutated(source, mutant));

t.test('mutates operators, conditions, constants and calls', async (t) => {
  t.same(all('x = a < b;'), ['x = a <= b;']);
  t.same(all('x = a >= 2;'), ['x = a > 2;', 'x = a >= 3;']);
  t.same(all('x = a && !b;'), ['x = a || !b;', 'x = a && b;']);
  t.same(all('x += 2n;'), ['x -= 2n;', 'x += 3n;']);
  t.same(all('if (a) b();'), ['if (true) b();', 'if (false) b();', 'if (a) ;']);
  t.same(all('while (a) b = 1;'), ['while (false) b = 1;', 'while (a) b = 2;']);
  t.same(all('async () => { await a.b(); };'), ['async () => { ; };']);
  t.same(all('const on = true;'), ['const on = false;']);
  t.same(all("reject('bad-txns');"), [';', 'reject("bad-txns!");']);
});

t.test('makes no mutants of imports, messages and log calls', async (t) => {
  for (const source of [
    "import a from './a.js';",
    "export { a } from './a.js';",
    "throw new Error('x' + 1);",
    "x = 'some words';",
    "x = 'a b' + y;",
    'x = `a` + b;',
    "log.debug('net', text);",
    'class A extends B { constructor() { super(); } }',
    'x = { key: y };',
    'x = a ?? b;',
  ]) {
    t.same(all(source), [], source);
  }
});

t.test('covers uses the narrowest coverage range around a position', async (t) => {
  const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
  const coverage = new Map([['a.js', [[range(0, 100, 1), range(10, 50, 3), range(20, 30, 0)]]]]);
  t.same(
    [5, 10, 25, 30, 100].map((offset) => covers(coverage, 'a.js', offset)),
    [true, true, false, true, false],
  );
  t.equal(covers(coverage, 'b.js', 5), false);
  const twice = new Map([['a.js', [[range(0, 9, 0)], [range(0, 9, 1)]]]]);
  t.equal(covers(twice, 'a.js', 1), true, 'one of its threads');
});

t.test('finds the tests of a file by their imports', async (t) => {
  const dir = temporaryFolder();
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    fs.writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const target = file('target.js', '');
  file('middle.js', "export { x } from './target.js';");
  const direct = file('direct.test.js', "import { x } from './target.js';");
  const far = file('far.test.js', "import './middle.js';");
  const other = file('other.test.js', "import t from 'tap';");
  t.same([...testsNear([direct, far, other], new Set([target]), 2)].sort(), [
    [direct, 1],
    [far, 2],
  ]);
  t.same([...testsNear([direct, far, other], new Set([target]), 1)], [[direct, 1]]);
});
