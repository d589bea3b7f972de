// Finds code that no unit test protects: makes one small change at a time in compiled files, runs the unit tests that
// execute the changed place, and lists the changes that no test noticed.
//
//   npm run mutate -- MODULE [FILE] [--minutes=10] [--seed=1] [--steps=2] [--strings]
//
// MODULE is a folder of src (consensus, net/peer), FILE a file in it without its ending (rules/bits). The seed gives a
// random order of the changes, so that a short run is a fair sample. `steps`: how many imports a test may be away from
// a file. Texts are changed with --strings only. A change that survives is either a missing test or makes no
// difference; a reader has to decide that.
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { type Coverage, covers, readCoverage, testsNear } from './coverage.js';
import { type Mutant, mutantsOf, mutated } from './mutants.js';
import { Scratch } from './scratch.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '2' },
    strings: { type: 'boolean', default: false },
  },
});
const [room, only] = positionals;
const root = path.resolve(import.meta.dirname, '..', '..', '..');
const compiled = path.join(root, 'build');
const folder = path.join(compiled, 'src', room ?? '');
if (room === undefined || !fs.existsSync(folder)) {
  process.stderr.write('usage: npm run mutate -- ROOM [FILE] [--minutes=10] [--seed=1] [--steps=2] [--strings]; ROOM is a folder of src\n');
  process.exit(2);
}

function* filesIn(dir: string, ending: string): Generator<string> {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) yield* filesIn(full, ending);
    else if (entry.name.endsWith(ending)) yield full;
  }
}

const files = [...filesIn(folder, '.js')].filter((file) => only === undefined || path.relative(folder, file) === `${only}.js`).sort();
const tests = [...filesIn(path.join(compiled, 'test', 'unit'), '.test.js')].sort();
const near = testsNear(tests, new Set(files), Number(values.steps));
process.stdout.write(`${files.length} files, ${near.size} test files\n`);

const scratch = new Scratch(root);
const inScratch = (file: string): string => path.join(scratch.root, path.relative(root, file));
process.on('SIGINT', () => {
  scratch.remove();
  process.exit(130);
});

/** Known facts of a test: how long it takes, and which places it executes. */
interface Known {
  readonly file: string;
  readonly steps: number;
  readonly ms: number;
  readonly coverage: Coverage;
}

async function lookAt(test: string, steps: number): Promise<Known | null> {
  const records = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-coverage-'));
  try {
    const { failed, ms } = await scratch.run(path.relative(root, test), 300_000, records);
    if (failed) {
      process.stdout.write(`left out, it fails without any change: ${path.relative(compiled, test)}\n`);
      return null;
    }
    return {
      file: path.relative(root, test),
      steps,
      ms,
      coverage: readCoverage(records, new Map(files.map((file) => [inScratch(file), file]))),
    };
  } finally {
    fs.rmSync(records, { recursive: true, force: true });
  }
}

/** The place in the source, and the line there. */
function placeOf(file: string, source: string, { start, end, text }: Mutant): string {
  const before = source.slice(0, start).split('\n');
  const [line, column] = [before.length - 1, (before.at(-1) as string).length];
  const name = path.relative(compiled, file).replace(/\.js$/, '.ts');
  const map = new SourceMap(JSON.parse(fs.readFileSync(`${file}.map`, 'utf8')));
  const entry = map.findEntry(line, column) as { originalLine?: number };
  const shown = (part: string): string => part.replace(/\s+/g, ' ').slice(0, 60);
  const whole = shown((source.split('\n')[line] as string).trim().slice(0, 100));
  return `${name}:${(entry.originalLine ?? line) + 1}  ${shown(source.slice(start, end))}  ->  ${shown(text)}    | ${whole}`;
}

const known: Known[] = [];
for (const [test, steps] of near) {
  const one = await lookAt(test, steps);
  if (one !== null) known.push(one);
}
// The near ones first, and of these the short ones.
known.sort((a, b) => a.steps - b.steps || a.ms - b.ms);

const random = pseudoRandom(Number(values.seed));
const all = files.flatMap((file) => {
  const source = fs.readFileSync(file, 'utf8');
  const mutants = mutantsOf(source).filter(({ text }) => values.strings || !text.startsWith('"'));
  return mutants.map((mutant) => ({ file, source, mutant, order: random() }));
});
all.sort((a, b) => a.order - b.order);
const until = performance.now() + Number(values.minutes) * 60_000;
const survivors: string[] = [];
const unguarded: string[] = [];
let done = 0;
for (const { file, source, mutant } of all) {
  if (performance.now() > until) break;
  done++;
  const able = known.filter(({ coverage }) => covers(coverage, file, mutant.start));
  if (able.length === 0) {
    unguarded.push(placeOf(file, source, mutant));
    continue;
  }
  fs.writeFileSync(inScratch(file), mutated(source, mutant));
  let caught = false;
  for (const test of able) {
    caught = (await scratch.run(test.file, test.ms * 3 + 10_000)).failed;
    if (caught) break;
  }
  fs.writeFileSync(inScratch(file), source);
  if (caught) continue;
  survivors.push(placeOf(file, source, mutant));
  process.stdout.write(`survived ${survivors.at(-1)}\n`);
}
scratch.remove();
for (const place of unguarded.sort()) process.stdout.write(`no test executes ${place}\n`);
process.stdout.write(
  `${all.length} mutants, ${done} looked at: ${done - survivors.length - unguarded.length} caught, ${survivors.length} survived, ` +
    `${unguarded.length} where no test comes\n`,
);
