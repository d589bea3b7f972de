// Runs compiled tap files, each a process of its own, and sums them up. tap's own runner preloads a TypeScript loader that has no use here
// (the tests are compiled) and knows no TypeScript 7.
//
//   node test/run-tests.mjs FILE...
//   ADIT_TEST_JOBS=3            processes at a time; one more than there are cores when absent, 8 at most; many wait
//   ADIT_TEST_SKIPS=FILE        a skip that is not in this list fails its file (test/allowed-skips.json, from the project's folder)
//   ADIT_TEST_SEED=NUMBER       the seed of fast-check: a fixed one when absent, so that a run does not depend on luck; random: drawn and printed
//
// A file passes when it exits with 0 and asserted something. A test that is skipped is printed with its reason; a file that skipped everything
// has not passed, and a file that neither asserted nor skipped anything has failed. No file is run twice. Closing line: files that passed,
// files that failed, and tests that were skipped, when there were some.
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import os from 'node:os';
import path from 'node:path';

// A hang detector: no file takes nearly as long, on however busy a machine. Files set no limits of their own.
const timeoutMs = 1_800_000;
const keptOutput = 200_000;
const files = process.argv.slice(2);
const jobs = Math.max(1, Number(process.env.ADIT_TEST_JOBS ?? Math.min(8, os.availableParallelism() + 1)));
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

function run(file) {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, [file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1000), ADIT_TEST_SEED: seed },
    });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
      if (output.length > 2 * keptOutput) output = output.slice(-keptOutput);
    };
    const skips = [];
    let passed = 0;
    const read = lineReader((line) => {
      const skip = /^\s*ok (?:\d+ )?-? ?(.*?)\s*# SKIP\b ?(.*?)(?: # time=\S+)?$/i.exec(line) ?? /^()1\.\.0 # skip ?(.*)$/i.exec(line);
      if (skip) skips.push({ test: skip[1] || 'the whole file', reason: skip[2] || 'no reason is given' });
      const totals = /^# \{ total: \d+, (?:pass: (\d+))?/.exec(line);
      if (totals) passed = Number(totals[1] ?? 0);
      // A file with a single assertion and nothing else has no line of totals.
      else if (/^ok\b(?!.*# (?:SKIP|TODO))/i.test(line)) passed = Math.max(passed, 1);
    });
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
      const name = nameOf(file);
      const unlisted = allowed
        ? skips.filter(
            ({ test, reason }) =>
              !allowed.some((one) => one.file === name && (one.test === '*' || one.test === test) && reason.includes(one.skipped)),
          )
        : [];
      const faults = [];
      if (late) faults.push('took too long');
      else if (code !== 0) faults.push(signal ?? `exit code ${code}`);
      if (passed === 0 && skips.length === 0) faults.push('nothing was asserted');
      for (const { test, reason } of unlisted) faults.push(`not in ${list}: ${test} (${reason})`);
      resolve({ name, faults, passed, skips, seconds: (performance.now() - began) / 1000, output });
    });
  });
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

// The longest first, so that no lane is left alone with one at the end: seconds as measured once, 1 for the rest.
const weights = readJson('test/weights.json');
const weightOf = (file) => weights[nameOf(file)] ?? 1;
const queue = [...files].sort((a, b) => weightOf(b) - weightOf(a));
const failed = [];
let passed = 0;
let asserts = 0;
let skipped = 0;
console.log(`ADIT_TEST_SEED=${seed}`);
await Promise.all(
  Array.from({ length: Math.min(jobs, files.length) }, async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const result = await run(file);
      asserts += result.passed;
      skipped += result.skips.length;
      const verdict = result.faults.length > 0 ? 'FAIL' : result.passed > 0 ? 'ok  ' : 'skip';
      if (verdict === 'FAIL') failed.push(result.name);
      else if (verdict === 'ok  ') passed++;
      console.log(`${verdict} ${result.name} (${result.passed} asserts, ${result.seconds.toFixed(1)} s)`);
      for (const { test, reason } of result.skips) console.log(`     skipped: ${test}: ${reason}`);
      if (verdict === 'FAIL') console.log(`${result.faults.join('\n')}\n${excerpt(result.output)}`);
    }
  }),
);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
console.log(`${asserts} asserts in ${files.length} files`);
console.log(`${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed.length > 0 || passed === 0 ? 1 : 0);
