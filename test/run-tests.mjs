// Runs compiled tap files, each a process of its own, and sums them up. tap's own runner preloads a TypeScript loader that has no use here
// (the tests are compiled) and knows no TypeScript 7. Usage: node test/run-tests.mjs FILE...; ADIT_TEST_JOBS processes at a time (2).
import { spawn } from 'node:child_process';
import path from 'node:path';

// A hang detector: no file takes nearly as long, on however busy a machine. Files set no limits of their own.
const timeoutMs = 1_800_000;
const keptOutput = 200_000;
const files = process.argv.slice(2);
const jobs = Math.max(1, Number(process.env.ADIT_TEST_JOBS ?? 2));
const root = path.dirname(import.meta.dirname);

function run(file) {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1000) },
    });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
      if (output.length > 2 * keptOutput) output = output.slice(-keptOutput);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const totals = /^# \{ total: (\d+), pass: (\d+)/m.exec(output);
      const asserts = Number(totals?.[1] ?? 0);
      const skipped = /^1\.\.0 # skip|^ok .*# SKIP/im.test(output);
      // A file that asserted nothing and skipped nothing has not been run, whatever it exited with.
      const ok = code === 0 && (asserts > 0 || skipped);
      resolve({
        file,
        ok,
        asserts,
        seconds: (performance.now() - began) / 1000,
        output,
        why: late ? 'took too long' : (signal ?? `exit code ${code}`),
      });
    });
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
  return (picked.length > 0 ? picked : lines.slice(-40)).slice(0, 150).join('\n');
}

const queue = [...files];
const failed = [];
let asserts = 0;
await Promise.all(
  Array.from({ length: Math.min(jobs, files.length) }, async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const result = await run(file);
      asserts += result.asserts;
      const name = path.relative(path.join(root, 'build', 'test'), path.resolve(file));
      console.log(`${result.ok ? 'ok  ' : 'FAIL'} ${name} (${result.asserts} asserts, ${result.seconds.toFixed(1)} s)`);
      if (!result.ok) {
        failed.push(name);
        console.log(`${result.why}\n${excerpt(result.output)}`);
      }
    }
  }),
);
// Tests of real processes share a machine with the others and with whoever else is on it: one that failed gets a second run, alone, and
// both are told.
for (const name of failed.filter((one) => /^(functional|kill)\//.test(one))) {
  const again = await run(path.join(root, 'build', 'test', name));
  console.log(`${again.ok ? 'ok  ' : 'FAIL'} ${name}, second run alone (${again.asserts} asserts, ${again.seconds.toFixed(1)} s)`);
  if (again.ok) failed.splice(failed.indexOf(name), 1);
  else console.log(`${again.why}\n${excerpt(again.output)}`);
}
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
console.log(`${asserts} asserts in ${files.length} files`);
console.log(`${files.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 || files.length === 0 ? 1 : 0);
