// Checks the rules of docs/style.md: counts the findings of each file and compares them with prose-exceptions.json,
// which lists the violations from before the rules. A file may have fewer findings than its exception, never more.
// After a cleanup, or when a file was renamed, `ADIT_PROSE=write npm test -- test/unit/walls/prose.test.ts` writes the
// list again.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { badOpenings, brokenLinks, commentsOf, missingFiles, missingPages, privateNames, privateWords } from './prose-rules.js';

const root = path.resolve(import.meta.dirname, '../../../..');
const LIST = path.join(root, 'test/unit/walls/prose-exceptions.json');
/** For each rule, the number of findings that each file may have. Files that are not listed may have none. */
type Exceptions = Record<string, Record<string, number>>;

const OUTSIDE = new Set(['node_modules', 'build', '.git']);
function filesBelow(folder: string): string[] {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return OUTSIDE.has(entry.name) ? [] : filesBelow(name);
    return [name];
  });
}

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const files = filesBelow('');
// The test and its rules quote the words that they refuse, so they are left out.
const sources = files.filter((file) => /^(?:src|workers|bench|test)\/.*\.ts$/.test(file) && !file.includes('/walls/prose'));
const pages = files.filter((file) => file.endsWith('.md'));
const folders = [...new Set(sources.filter((file) => /^src\/.*\//.test(file)).map((file) => file.split('/').slice(0, 2).join('/')))];
const records = files.filter((file) => /^docs\/decisions\/\d.*\.md$/.test(file));

/** Returns the largest number of lines that a page may have. */
function mostLines(page: string): number {
  if (page === 'README.md' || page === 'docs/performance.md') return 150;
  return /^src\/[^/]+\/README\.md$/.test(page) || records.includes(page) ? 60 : Number.POSITIVE_INFINITY;
}

/** Returns the findings of each rule in each file. Files without findings are left out. */
function findAll(): Record<string, Record<string, string[]>> {
  const over = (names: readonly string[], find: (file: string) => string[]) =>
    Object.fromEntries(names.map((file) => [file, find(file)] as const).filter(([, found]) => found.length > 0));
  return {
    'comments that begin with What, Whether, Of, It, Such, That or Those': over(sources, (file) => badOpenings(read(file))),
    'private words in comments': over(sources, (file) => privateWords(read(file))),
    'private words in names, and functions without a noun': over(sources, (file) => privateNames(read(file))),
    'lines beyond the length of a page': over(pages, (page) => read(page).trimEnd().split('\n').slice(mostLines(page))),
    'links to files or headings that do not exist': over(pages, (page) => brokenLinks(root, page)),
    'pages of docs that do not exist': over([...pages, ...sources], (file) => missingPages(root, read(file))),
    'folders of src without README.md': over(folders, (folder) => (files.includes(`${folder}/README.md`) ? [] : ['no README.md'])),
    'source files that do not exist': over(pages, (page) => missingFiles(files, page, read(page))),
  };
}

t.test('finds comments, their openings, private words and private names', (t) => {
  const source = [
    '/** Whether it is full. */',
    'function isFull() {} // That is so.',
    '// One comment',
    '// beside `desk`.',
    '',
    "const url = 'http://told';",
    '/**',
    ' * Of two lines,',
    ' * reckoned anew for -rehearse.',
    ' */',
    'class CallRoom {',
    '  take(room: number): void {',
    '    this.desk.tell();',
    '  }',
    '  readonly heardMs = 4;',
    '}',
  ].join('\n');
  t.same(
    commentsOf(source).map(({ line, text }) => [line, text]),
    [
      [1, 'Whether it is full.'],
      [2, 'That is so.'],
      [3, 'One comment beside `desk`.'],
      [7, 'Of two lines, reckoned anew for -rehearse.'],
    ],
  );
  t.same(badOpenings(source), ['1: Whether it is full.', '2: That is so.', '7: Of two lines, reckoned anew for -rehearse.']);
  t.same(privateWords(source), ['3: beside', '7: reckoned', '7: anew']);
  t.same(privateNames(source), ['11: CallRoom', '12: take', '15: heardMs']);
  t.end();
});

t.test('finds links to missing pages, headings and files', (t) => {
  const folder = t.testdir({
    'a.md': '# A\n\n[b](b.md) [far](b.md#two-words) [gone](c.md) [no heading](b.md#three) [web](https://example.org)\n',
    'b.md': '# B\n\n## Two words\n',
  });
  t.same(brokenLinks(folder, 'a.md'), ['c.md', 'b.md#three']);
  t.same(missingPages(folder, 'see docs/none.md, not /docs/none.md'), ['docs/none.md']);
  const names = ['src/net/peer/dial.ts', 'src/rpc/dial.ts', 'src/launch.mjs'];
  t.same(missingFiles(names, 'src/net/README.md', 'peer/dial.ts, dial.ts, rpc/dial.ts, src/launch.mjs, gone.ts, *.ts'), ['gone.ts']);
  t.end();
});

t.test('no file has more findings than its exception allows', (t) => {
  t.ok(sources.length > 500 && pages.length > 20, 'the files were found');
  const found = findAll();
  if (process.env.ADIT_PROSE === 'write') {
    const counts: Exceptions = {};
    for (const [rule, byFile] of Object.entries(found)) {
      counts[rule] = Object.fromEntries(Object.entries(byFile).map(([file, list]) => [file, list.length]));
    }
    fs.writeFileSync(LIST, `${JSON.stringify(counts, null, 2)}\n`);
  }
  const exceptions = JSON.parse(fs.readFileSync(LIST, 'utf8')) as Exceptions;
  for (const [rule, byFile] of Object.entries(found)) {
    const worse = Object.entries(byFile).filter(([file, list]) => list.length > (exceptions[rule]?.[file] ?? 0));
    t.same(Object.fromEntries(worse), {}, rule);
  }
  t.end();
});

t.test('every decision has a unique number and a row in the index', (t) => {
  const names = records.map((file) => path.basename(file));
  const numbers = names.map((name) => name.slice(0, 4));
  t.same(numbers, [...new Set(numbers)]);
  const index = read('docs/decisions/README.md');
  t.same(
    names.filter((name) => !index.includes(`](${name})`)),
    [],
  );
  t.end();
});
