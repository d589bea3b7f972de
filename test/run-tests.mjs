// Runs compiled tap files and sums them up. tap's own runner preloads a TypeScript loader that has no use here (the tests are compiled) and
// knows no TypeScript 7. Files of test/unit that take up to 3 seconds by test/weights.json share processes, because a process takes longer
// to start than most of them take to run. A file that changes its process says so: a line that begins with `// Own process:` and gives the reason.
//
//   node test/run-tests.mjs FILE...
//   ADIT_TEST_JOBS=3            processes at a time; when absent three for each core, 8 at most: most of them wait for daemons half of the time
//   ADIT_TEST_SKIPS=FILE        a skip that is not in this list fails its file (test/allowed-skips.json, from the project's folder)
//   ADIT_TEST_SEED=NUMBER       the seed of fast-check: a fixed one when absent, so that a run does not depend on luck; random: drawn and printed
//
// A file passes when it exits with 0 and asserted something. A test that is skipped is printed with its reason; a file that skipped everything
// has not passed, and a file that neither asserted nor skipped anything has failed. No file is run twice. When a shared process ends early, the
// file that it was running has failed, and so have those behind it. Closing line: files that passed, files that failed, and tests that were
// skipped, when there were some. The line before has the seconds and, on Linux, the processor time.
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import os from 'node:os';
import path from 'node:path';

// A hang detector: no file takes nearly as long, on however busy a machine. Files set no limits of their own.
const timeoutMs = 1_800_000;
const keptOutput = 200_000;
/** Seconds up to which unit files share a process, and those of all files in one. */
const SHARED_SECONDS = 3;
const BATCH_SECONDS = 10;
const files = process.argv.slice(2);
const jobs = Math.max(1, Number(process.env.ADIT_TEST_JOBS ?? Math.min(8, 3 * os.availableParallelism())));
const root = path.dirname(import.meta.dirname);
const FIXED_SEED = '20261122';
const { ADIT_TEST_SEED: wantedSeed = FIXED_SEED } = process.env;
const seed = wantedSeed === 'random' ? String(crypto.randomInt(2 ** 31)) : wantedSeed;
const readJson = (name) => JSON.parse(fs.readFileSync(path.resolve(root, name), 'utf8'));
const { ADIT_TEST_SKIPS: list } = process.env;
const allowed = list ? readJson(list) : null;

/** The file as it is named here: without the folder of compiled tests, without endings. */
const nameOf = (file) => path.relative(path.join(root, 'build', 'test'), path.resolve(file)).replace(/\.test\.js$/, '');

/** Reads a stream line by line: what was skipped is seen however long the output is. */
function lineReader(take) {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) take(line);
  };
}

/** Reads the TAP of one file: the number of its assertions that passed, and the tests that it skipped. */
function fileReader() {
  const found = { passed: 0, skips: [] };
  const read = (line) => {
    const skip = /^\s*ok (?:\d+ )?-? ?(.*?)\s*# SKIP\b ?(.*?)(?: # time=\S+)?$/i.exec(line) ?? /^()1\.\.0 # skip ?(.*)$/i.exec(line);
    if (skip) found.skips.push({ test: skip[1] || 'the whole file', reason: skip[2] || 'no reason is given' });
    // The line that ends a test says how long it took; that of an assertion does not.
    else if (/^\s*ok\b(?!.*# (?:time=|TODO))/i.test(line)) found.passed++;
  };
  return { found, read };
}

/** Starts a process over files. @param take gets each line of its output @returns how it ended */
function start(args, take) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1000), ADIT_TEST_SEED: seed },
    });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
      if (output.length > 2 * keptOutput) output = output.slice(-keptOutput);
    };
    const read = lineReader(take);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      keep(chunk);
      read(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ fault: late ? 'took too long' : code === 0 ? null : (signal ?? `exit code ${code}`), output });
    });
  });
}

/** Returns the result of a file. @param faults those that its process showed */
function resultOf(name, { passed, skips }, faults, began, output) {
  if (passed === 0 && skips.length === 0) faults.push('nothing was asserted');
  for (const { test, reason } of skips)
    if (allowed && !allowed.some((one) => one.file === name && (one.test === '*' || one.test === test) && reason.includes(one.skipped)))
      faults.push(`not in ${list}: ${test} (${reason})`);
  return { name, faults, passed, skips, seconds: (performance.now() - began) / 1000, output };
}

async function runFile(file) {
  const began = performance.now();
  const { found, read } = fileReader();
  const { fault, output } = await start([file], read);
  return resultOf(nameOf(file), found, fault ? [fault] : [], began, output);
}

/** Runs files in one process (test/run-batch.mjs), where each is a test of its own. */
async function runBatch(batch) {
  const waiting = batch.map(nameOf);
  const results = [];
  let file;
  const close = (faults, output = file.lines.join('\n')) => {
    results.push(resultOf(file.name, file.found, faults, file.began, output));
    file = undefined;
  };
  const { fault, output } = await start([path.join(root, 'test', 'run-batch.mjs'), ...batch], (line) => {
    if (!file && line === `# Subtest: ${waiting[0]}`)
      file = { name: waiting.shift(), ...fileReader(), began: performance.now(), lines: [] };
    if (!file) return;
    const end = /^(not )?ok \d+ - .*?(?:# SKIP ?(.*?))?(?: # time=\S+)?$/.exec(line);
    if (end) {
      if (end[2] !== undefined) file.found.skips.push({ test: 'the whole file', reason: end[2] });
      close(end[1] ? ['failed'] : []);
    } else {
      const own = line.replace(/^ {4}/, '');
      file.lines.push(own);
      file.read(own);
    }
  });
  const { name } = file ?? { name: waiting[0] };
  if (file) close([fault ?? 'its process ended'], output);
  for (const behind of waiting)
    results.push(resultOf(behind, fileReader().found, [`not run: its process ended at ${name}`], performance.now(), output));
  // The fault of a process whose files all passed is that of the last one: something that it left behind.
  if (fault && results.every(({ faults }) => faults.length === 0)) results.at(-1).faults.push(fault);
  return results;
}

/**
 * Places in compiled files as places in their sources. The child could do it (--enable-source-maps), but it reads the map of each module that
 * it loads: a tenth of the processor time of most files.
 */
function inSources(text) {
  return text.replace(/(?:file:\/\/)?([\w@./-]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
    try {
      const { originalSource, originalLine, originalColumn } = new SourceMap(readJson(`${file}.map`)).findEntry(line - 1, column - 1);
      return `${path.relative(root, path.resolve(root, path.dirname(file), originalSource))}:${originalLine + 1}:${originalColumn + 1}`;
    } catch {
      return place;
    }
  });
}

/** The lines of a failed file that tell why: what is not ok, with what follows it. */
function excerpt(output) {
  const lines = output.split('\n');
  const shown = new Set();
  lines.forEach((line, i) => {
    if (/^\s*not ok/.test(line) || /^(\w*Error|.*\berror:)/i.test(line))
      for (let k = i; k < Math.min(lines.length, i + 25); k++) shown.add(k);
  });
  const picked = [...shown].sort((a, b) => a - b).map((i) => lines[i]);
  return inSources((picked.length > 0 ? picked : lines.slice(-40)).slice(0, 150).join('\n'));
}

// The longest first, so that no lane is left alone with one at the end: seconds as measured once.
const weights = readJson('test/weights.json');
const weightOf = (file) => weights[nameOf(file)] ?? 0.5;

/** Returns whether a file may share a process with others. */
function isShared(file) {
  return (
    nameOf(file).startsWith('unit/') && weightOf(file) <= SHARED_SECONDS && !/^\/\/ Own process: /m.test(fs.readFileSync(file, 'utf8'))
  );
}

// Neighbours share modules, so they share a process.
const works = [];
let batch;
for (const file of files) {
  const weight = weightOf(file);
  if (!isShared(file)) works.push({ files: [file], weight });
  else if (batch && batch.weight + weight <= BATCH_SECONDS) {
    batch.files.push(file);
    batch.weight += weight;
  } else works.push((batch = { files: [file], weight }));
}
works.sort((a, b) => b.weight - a.weight);

const failed = [];
let passed = 0;
let asserts = 0;
let skipped = 0;

function report(result) {
  asserts += result.passed;
  skipped += result.skips.length;
  const verdict = result.faults.length > 0 ? 'FAIL' : result.passed > 0 ? 'ok  ' : 'skip';
  if (verdict === 'FAIL') failed.push(result.name);
  else if (verdict === 'ok  ') passed++;
  console.log(`${verdict} ${result.name} (${result.passed} asserts, ${result.seconds.toFixed(1)} s)`);
  for (const { test, reason } of result.skips) console.log(`     skipped: ${test}: ${reason}`);
  if (verdict === 'FAIL') console.log(`${result.faults.join('\n')}\n${excerpt(result.output)}`);
}

/** The processor time of all tests and their daemons, as text; empty where the system has no /proc. */
function processorTime() {
  try {
    const [childUser, childSystem] = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(13, 15);
    // In hundredths of a second on every Linux system.
    return `, ${Math.round((Number(childUser) + Number(childSystem)) / 100)} s of processor time`;
  } catch {
    return '';
  }
}

console.log(`ADIT_TEST_SEED=${seed}`);
await Promise.all(
  Array.from({ length: Math.min(jobs, works.length) }, async () => {
    for (let work = works.shift(); work; work = works.shift())
      for (const result of work.files.length === 1 ? [await runFile(work.files[0])] : await runBatch(work.files)) report(result);
  }),
);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
console.log(`${asserts} asserts in ${files.length} files, ${Math.round(performance.now() / 1000)} s${processorTime()}`);
console.log(`${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed.length > 0 || passed === 0 ? 1 : 0);
