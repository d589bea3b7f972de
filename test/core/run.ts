// Runs functional tests of Bitcoin Core against this build and enters what they say in test/core-functional.md.
//
//   npm run core-tests -- --core=PATH [--version=0.21.1|31] [--only=NAME,...] [--jobs=1] [--minutes=20] [--portseed=N] [--timeout-factor=6]
//
// --core is a checkout of Core; nothing of it needs to be compiled. --version says which: 0.21.1, or 31 for its master
// of August 2026; nodes run with that -compat. Without --only every test of the table's columns of that version is run
// but those marked `not run`. A test is run once with each set of options that Core's own test runner names for it, and
// passes when all of them pass. --minutes is what one of these runs may take. --portseed chooses the ports, so that
// several runs on a machine keep apart. The table is written after each test. The data of a failed run are kept, and
// named. Exit status 1 when a test failed that has no reason to.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Cell, cellAfter, type Outcome, parseTable, renderTable, VERSIONS } from './table.js';

/** A test of Core's ends with this status when the machine lacks what it needs. */
const SKIPPED_STATUS = 77;
/** Ports of Core's framework are 5,000, twelve for each seed: seeds that are apart by the number of jobs never meet. */
const PORT_SEEDS = 400;
const MINUTE_MS = 60_000;
/** Length of the stored end of a test's output. */
const TAIL_CHARACTERS = 20_000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const tableFile = path.join(root, 'test', 'core-functional.md');

const { values } = parseArgs({
  options: {
    core: { type: 'string' },
    version: { type: 'string', default: '0.21.1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '20' },
    portseed: { type: 'string', default: String(process.pid % PORT_SEEDS) },
    'timeout-factor': { type: 'string', default: '6' },
  },
});
const [jobs, minutes, portSeed, timeoutFactor] = [values.jobs, values.minutes, values.portseed, values['timeout-factor']].map(Number) as [
  number,
  number,
  number,
  number,
];
if (![jobs, minutes, timeoutFactor].every((n) => n > 0) || !(portSeed >= 0)) {
  stop('--jobs, --minutes and --timeout-factor are positive numbers, --portseed is a number');
}
const release = VERSIONS.find((one) => one === values.version) ?? stop(`--version is ${VERSIONS.join(' or ')}`);
const core = path.resolve(process.env.INIT_CWD ?? process.cwd(), values.core ?? stop('--core=PATH names a checkout of Bitcoin Core'));
const runner = path.join(core, 'test', 'functional', 'test_runner.py');
if (!fs.existsSync(runner)) stop(`${core} has no test/functional/test_runner.py`);

function stop(message: string): never {
  process.stderr.write(`core-tests: ${message}\n`);
  process.exit(2);
}

/** The sets of options that Core's runner names for a test. */
function optionSets(test: string): string[][] {
  const listed = fs.readFileSync(runner, 'utf8').matchAll(/^ {4}'(\w+)\.py( [^']*)?',/gm);
  const sets = [...listed].filter(([, name]) => name === test).map(([, , options = '']) => options.split(' ').filter(Boolean));
  return sets.length > 0 ? sets : [[]];
}

/** Programs and libraries of Core that adit has a counterpart for, and those that it lacks. */
const PARTS = ['ENABLE_WALLET', 'USE_SQLITE', 'ENABLE_CLI', 'ENABLE_BITCOIND', 'ENABLE_ZMQ', 'ENABLE_EXTERNAL_SIGNER'];
const ABSENT_PARTS = [
  ...['BENCH', 'BITCOIN_TX', 'GUI'].map((name) => `BUILD_${name}`),
  ...['BITCOIN_UTIL', 'BITCOIN_CHAINSTATE', 'WALLET_TOOL', 'FUZZ_BINARY', 'EMBEDDED_ASMAP', 'USDT_TRACEPOINTS', 'IPC'].map(
    (name) => `ENABLE_${name}`,
  ),
];

/** Makes a folder with the settings of Core's framework and a path to each program. */
function makeWorkFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-core-tests-'));
  for (const [program, file, first] of [
    ['aditd', 'aditd.cjs', ` '-compat=${release}'`],
    ['adit-cli', 'adit-cli.cjs', ''],
  ] as const) {
    const run = `exec '${process.execPath}' '${path.join(root, 'build', 'bundle', 'src', 'bin', file)}'${first}`;
    const script = `#!/bin/sh\n${run} "$@"\n`;
    fs.writeFileSync(path.join(folder, program), script, { mode: 0o755 });
  }
  const settings = [
    '[environment]',
    ...['PACKAGE', 'CLIENT'].flatMap((of) => [`${of}_NAME=adit`, `${of}_BUGREPORT=`]),
    `SRCDIR=${core}`,
    `BUILDDIR=${folder}`,
    'EXEEXT=',
    `RPCAUTH=${path.join(core, 'share', 'rpcauth', 'rpcauth.py')}`,
    '[components]',
    ...PARTS.map((name) => `${name}=true`),
    ...ABSENT_PARTS.map((name) => `${name}=false`),
  ];
  fs.writeFileSync(path.join(folder, 'config.ini'), `${settings.join('\n')}\n`);
  return folder;
}

const work = makeWorkFolder();

/** Ends what is running; each is a group of a test and its nodes. */
const running = new Set<() => void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const end of running) end();
    process.exit(130);
  });
}

/** Runs a test once. @param seed decides the ports */
function runOnce(test: string, options: readonly string[], seed: number): Promise<Outcome> {
  const data = path.join(work, `${test}${options.join('')}`.replace(/[^\w-]/g, '_'));
  fs.rmSync(data, { recursive: true, force: true });
  const args = [
    path.join(core, 'test', 'functional', `${test}.py`),
    `--configfile=${path.join(work, 'config.ini')}`,
    `--cachedir=${path.join(work, 'cache')}`,
    `--tmpdir=${data}`,
    `--portseed=${seed}`,
    `--timeout-factor=${timeoutFactor}`,
    ...options,
  ];
  const env = { ...process.env, BITCOIND: path.join(work, 'aditd'), BITCOINCLI: path.join(work, 'adit-cli'), PYTHONDONTWRITEBYTECODE: '1' };
  // A group of its own: nodes that a killed test leaves behind end with it.
  const child = spawn('python3', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
    });
  }
  let late = false;
  const endGroup = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  running.add(endGroup);
  const timer = setTimeout(() => {
    late = true;
    endGroup();
  }, minutes * MINUTE_MS);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ kind: 'failed', words: error.message }));
    child.on('close', (status) => {
      clearTimeout(timer);
      running.delete(endGroup);
      endGroup();
      const named = options.length > 0 ? `${options.join(' ')}: ` : '';
      if (status === 0) resolve({ kind: 'passed', words: '' });
      else if (status === SKIPPED_STATUS) resolve({ kind: 'skipped', words: named + lastWords(tail) });
      else resolve({ kind: 'failed', words: `${named}${late ? `more than ${minutes} minutes` : lastWords(tail)}` });
      if (status === 0 || status === SKIPPED_STATUS) fs.rmSync(data, { recursive: true, force: true });
      else process.stdout.write(`${tail}\n${test}: its data are in ${data}\n`);
    });
  });
}

/** The line that says what went wrong: of a Python error, the exception itself. */
function lastWords(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^\S+ TestFramework \(\w+\): /, '').trim());
  // Lines that Core's framework prints after every failure.
  const always = /^(Hint: |If this failure happened|Test failed\.|Not cleaning up|Stopping nodes)/;
  const spoken = lines.filter((line) => line !== '' && !always.test(line));
  return (
    spoken.findLast((line) => /^(\w+\.)*\w*(Error|Exception|Failed)\b/.test(line) || line.includes('Test Skipped')) ?? spoken.at(-1) ?? ''
  );
}

async function runAll(test: string, seed: number): Promise<Outcome> {
  let outcome: Outcome = { kind: 'passed', words: '' };
  for (const options of optionSets(test)) {
    const one = await runOnce(test, options, seed);
    if (one.kind === 'failed') return one;
    if (one.kind === 'skipped') outcome = one;
  }
  return outcome;
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();

/** Enters what a test said; the table is read again, since runs may take hours. */
function enter(test: string, outcome: Outcome): Cell {
  const table = parseTable(fs.readFileSync(tableFile, 'utf8'));
  const ran = `${commit}, ${new Date().toISOString().slice(0, 10)}`;
  const at = table.rows.findIndex((row) => row.test === test);
  const { cells } = table.rows[at] ?? { cells: {} };
  const cell = cellAfter(cells[release], outcome, ran);
  const row = { test, cells: { ...cells, [release]: cell } };
  if (at >= 0) table.rows[at] = row;
  else table.rows.push(row);
  fs.writeFileSync(`${tableFile}.new`, renderTable(table));
  fs.renameSync(`${tableFile}.new`, tableFile);
  return cell;
}

const rows = parseTable(fs.readFileSync(tableFile, 'utf8')).rows.filter(
  ({ cells }) => cells[release] !== undefined && cells[release].result !== 'not run',
);
const names = values.only?.split(',').filter(Boolean) ?? rows.map(({ test }) => test);
const unknown = names.filter((name) => !fs.existsSync(path.join(core, 'test', 'functional', `${name}.py`)));
if (unknown.length > 0) stop(`Core has no such test: ${unknown.join(', ')}`);

// Core's framework makes a chain of 200 blocks once, which most tests begin with: not by two of them at a time.
const cache = await runOnce('create_cache', [], portSeed);
if (cache.kind !== 'passed') stop(`create_cache: ${cache.words}`);

const left = [...names];
const unexpected: string[] = [];
async function worker(seed: number): Promise<void> {
  for (let test = left.shift(); test !== undefined; test = left.shift()) {
    const began = Date.now();
    const outcome = await runAll(test, seed);
    const { result } = enter(test, outcome);
    if (result === 'fail') unexpected.push(test);
    const note = outcome.kind === 'passed' ? '' : ` (${result}: ${outcome.words})`;
    process.stdout.write(`${test}: ${outcome.kind} in ${Math.round((Date.now() - began) / 1000)} s${note}\n`);
  }
}
await Promise.all(Array.from({ length: jobs }, (_, i) => worker(portSeed + i)));
if (unexpected.length === 0) fs.rmSync(work, { recursive: true, force: true });
else process.stdout.write(`failed without a reason in the table: ${unexpected.join(', ')}\n`);
process.exit(unexpected.length > 0 ? 1 : 0);
