// Finds code that no test protects: makes one small change at a time in compiled files, runs the unit tests that execute
// the changed place, and lists the changes that no test noticed.
//
//   npm run mutate -- MODULE [FILE] [--mutants=60] [--seed=1] [--minutes=30] [--out=FILE]
//       [--also=functional/rest-blocks,vectors/script] [--steps=2] [--seconds=12] [--strings]
//
// MODULE is a folder of src (consensus, net/peer), FILE a file in it without its ending (rules/bits). The seed selects
// the changes: the same ones in every run, as long as the changed lines stay as they are. `steps`: how many imports a
// unit test may be away from a file. `seconds`: slower tests are left out. `also`: tests of other folders, which run
// last and only for changes that no unit test noticed. Texts are changed with --strings only.
//
// Each result is appended to a file at once (--out, by default one for each module and seed in the folder for temporary
// files). The next run with this file does not repeat the changes that a test caught, so that a run after new tests
// looks at the survivors alone. The places that a test executes are measured once and kept in the same folder.
//
// A change that survives is either a missing test or makes no difference; a reader has to decide that.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Coverage, covers, importsOf, readCoverage, testsNear } from './coverage.js';
import { type Mutant, mutantsOf, mutated } from './mutants.js';
import { Scratch } from './scratch.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '12' },
    also: { type: 'string', default: '' },
    out: { type: 'string' },
    strings: { type: 'boolean', default: false },
  },
});
const [room, only] = positionals;
const root = path.resolve(import.meta.dirname, '..', '..', '..');
const compiled = path.join(root, 'build');
const folder = path.join(compiled, 'src', room ?? '');
if (room === undefined || !fs.existsSync(folder)) {
  process.stderr.write('usage: npm run mutate -- MODULE [FILE] [--mutants=60] [--seed=1] [--minutes=30]; MODULE is a folder of src\n');
  process.exit(2);
}
/** Processor time of tests that share a process. */
const BATCH_MS = 8_000;
const out = values.out ?? path.join(os.tmpdir(), `adit-mutants-${room.replaceAll('/', '-')}-${values.seed}.jsonl`);
const coverageFolder = path.join(os.tmpdir(), 'adit-mutate-coverage');
fs.mkdirSync(coverageFolder, { recursive: true });

function* filesIn(dir: string, ending: string): Generator<string> {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) yield* filesIn(full, ending);
    else if (entry.name.endsWith(ending)) yield full;
  }
}

const files = [...filesIn(folder, '.js')].filter((file) => only === undefined || path.relative(folder, file) === `${only}.js`).sort();
const weights = JSON.parse(fs.readFileSync(path.join(root, 'test', 'weights.json'), 'utf8')) as Record<string, number>;
const nameOf = (test: string): string => path.relative(path.join(compiled, 'test'), test).replace(/\.test\.js$/, '');
const tests = [...filesIn(path.join(compiled, 'test', 'unit'), '.test.js')]
  .filter((test) => (weights[nameOf(test)] ?? 0) <= Number(values.seconds))
  .sort();
const near = testsNear(tests, new Set(files), Number(values.steps));
const also = values.also.split(',').filter((name) => name !== '');
for (const name of also) near.set(path.join(compiled, 'test', `${name}.test.js`), Number.POSITIVE_INFINITY);
process.stdout.write(`${files.length} files, ${near.size} test files; results in ${out}\n`);

const scratch = new Scratch(root);
const inScratch = (file: string): string => path.join(scratch.root, path.relative(root, file));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    scratch.remove();
    process.exit(130);
  });

/** Known facts of a test: its processor time, and which places it executes. */
interface Known {
  readonly file: string;
  readonly steps: number;
  readonly ms: number;
  readonly coverage: Coverage;
}

/** Returns a digest of a test and of everything that it imports. */
function digestOf(test: string): string {
  // Daemons import everything.
  const seen = new Set([test, ...(also.includes(nameOf(test)) ? filesIn(path.join(compiled, 'src'), '.js') : [])]);
  const hash = crypto.createHash('sha256').update(room as string);
  for (const file of seen) {
    if (fs.existsSync(file)) hash.update(fs.readFileSync(file));
    for (const name of importsOf(file)) seen.add(name);
  }
  return hash.digest('hex').slice(0, 32);
}

async function measure(test: string): Promise<{ ms: number; failed: boolean; coverage: [string, unknown][] }> {
  const file = path.join(coverageFolder, `${digestOf(test)}.json`);
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8'));
  const records = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-coverage-'));
  try {
    const { failed, ms } = await scratch.run([path.relative(root, test)], 300_000, records);
    const module = [...filesIn(folder, '.js')];
    const coverage = readCoverage(records, new Map(module.map((one) => [inScratch(one), path.relative(root, one)])));
    const measured = { ms, failed, coverage: [...coverage] };
    if (!failed) fs.writeFileSync(file, JSON.stringify(measured));
    return measured;
  } finally {
    fs.rmSync(records, { recursive: true, force: true });
  }
}

/** Returns the line of the source that a change lies in, and the change. */
function placeOf(file: string, source: string, { start, end, text }: Mutant): string {
  const before = source.slice(0, start).split('\n');
  const [line, column] = [before.length - 1, (before.at(-1) as string).length];
  const name = path.relative(compiled, file).replace(/\.js$/, '.ts');
  const map = new SourceMap(JSON.parse(fs.readFileSync(`${file}.map`, 'utf8')));
  const entry = map.findEntry(line, column) as { originalLine?: number };
  const shown = (part: string): string => part.replace(/\s+/g, ' ').slice(0, 60);
  const whole = shown((source.split('\n')[line] as string).trim().slice(0, 100));
  return `${name}:${(entry.originalLine ?? line) + 1}:${column}  ${shown(source.slice(start, end))}  ->  ${shown(text)}    | ${whole}`;
}

interface Change {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
  /** Identifies the change by the texts of its line and of itself, and orders the changes at random. */
  readonly id: string;
}

function changesOf(file: string): Change[] {
  const source = fs.readFileSync(file, 'utf8');
  const seen = new Map<string, number>();
  return mutantsOf(source)
    .filter(({ text }) => values.strings || !text.startsWith('"'))
    .map((mutant) => {
      const from = source.lastIndexOf('\n', mutant.start) + 1;
      const line = source.slice(from, source.indexOf('\n', mutant.start)).trim();
      const text = [path.relative(root, file), line, source.slice(mutant.start, mutant.end), mutant.text].join('\0');
      const nth = seen.get(text) ?? 0;
      seen.set(text, nth + 1);
      const id = crypto.createHash('sha256').update(`${values.seed}\0${text}\0${nth}`).digest('hex').slice(0, 16);
      return { file, source, mutant, id };
    });
}

/** Puts tests into groups that share a process: the first ones run alone, because they are the likeliest to fail. */
function batchesOf(able: readonly Known[]): Known[][] {
  const batches: Known[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const test of able) {
    const isLarge = test.ms > BATCH_MS / 2 || !Number.isFinite(test.steps);
    if (isLarge || sum + test.ms > BATCH_MS || batches.length <= 2) {
      batches.push([]);
      sum = 0;
    }
    batches.at(-1)?.push(test);
    sum = isLarge ? Number.POSITIVE_INFINITY : sum + test.ms;
  }
  return batches;
}

/** Returns the tests that caught a change (those of one process), null if all passed. */
async function whoCatches(able: readonly Known[]): Promise<string | null> {
  for (const batch of batchesOf(able)) {
    const ms = batch.reduce((sum, test) => sum + test.ms, 0);
    const names = batch.map(({ file }) => file);
    if ((await scratch.run(names, ms * 3 + 4_000)).failed) return names.map((name) => nameOf(path.join(root, name))).join(' ');
  }
  return null;
}

const known: Known[] = [];
for (const [test, steps] of near) {
  const { failed, ms, coverage } = await measure(test);
  if (failed) process.stdout.write(`left out, it fails without any change: ${nameOf(test)}\n`);
  else {
    const places = new Map(coverage.map(([file, ranges]) => [path.join(root, file), ranges])) as Coverage;
    known.push({ file: path.relative(root, test), steps, ms, coverage: places });
  }
}
// The near ones first, and of these the short ones.
known.sort((a, b) => (a.steps === b.steps ? a.ms - b.ms : a.steps - b.steps));

const records = fs.existsSync(out) ? fs.readFileSync(out, 'utf8').trim().split('\n') : [];
const caughtBefore = new Set(records.map((line) => JSON.parse(line)).flatMap(({ id, result }) => (result === 'caught' ? [id] : [])));
const all = files.flatMap(changesOf).sort((a, b) => (a.id < b.id ? -1 : 1));
const until = performance.now() + Number(values.minutes) * 60_000;
const counts = { caught: 0, survived: 0, 'no test executes': 0 };
for (const { file, source, mutant, id } of all.slice(0, Number(values.mutants))) {
  if (performance.now() > until) break;
  if (caughtBefore.has(id)) {
    counts.caught++;
    continue;
  }
  const began = performance.now();
  const able = known.filter(({ coverage }) => covers(coverage, file, mutant.start));
  fs.writeFileSync(inScratch(file), mutated(source, mutant));
  const by = await whoCatches(able);
  fs.writeFileSync(inScratch(file), source);
  const result = by !== null ? 'caught' : able.length > 0 ? 'survived' : 'no test executes';
  counts[result]++;
  const place = placeOf(file, source, mutant);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  fs.appendFileSync(out, `${JSON.stringify({ id, result, place, tests: able.length, by, seconds })}\n`);
  if (by === null) process.stdout.write(`${result}: ${place}\n`);
}
scratch.remove();
const looked = counts.caught + counts.survived + counts['no test executes'];
process.stdout.write(
  `seed ${values.seed}: ${all.length} mutants, ${looked} looked at: ${counts.caught} caught, ${counts.survived} survived, ` +
    `${counts['no test executes']} where no test comes\n`,
);
