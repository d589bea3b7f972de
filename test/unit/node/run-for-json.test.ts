// The process of -signer: no shell, and bounds for its time and its words.
import t from 'tap';
import { createRunForJson } from '../../../src/node/run-for-json.js';
import { PATIENCE_MS } from '../../framework/until.js';

const program = (script: string): string[] => [process.execPath, '-e', script];
const { signal } = new AbortController();

t.test('parses the first line of the output as JSON, and passes arguments without a shell', async (t) => {
  const run = createRunForJson(signal);
  const echo = program('process.stdout.write(JSON.stringify(process.argv.slice(1)) + "\\nmore")');
  const words = ['$(id)', '; ls', '`x`', '"', "wpkh([00000001/84'/1']k)#h"];
  t.same(await run([...echo, '--', ...words], ''), words);
  const read = program('process.stdin.on("data", (c) => process.stdout.write(JSON.stringify(String(c))))');
  t.equal(await run(read, 'signtx cHNidA=='), 'signtx cHNidA==');
  t.equal(await run(program('console.log(1)'), 'x'.repeat(1_000_000)), 1, 'one that reads nothing');
});

t.test('rejects failed commands, invalid JSON, long output and commands that do not end', async (t) => {
  const run = createRunForJson(signal, PATIENCE_MS, 100);
  await t.rejects(run(['/nowhere/fake.py'], ''), { message: 'execve failed: No such file or directory' });
  await t.rejects(run(program('console.error("why\\nmore"); process.exit(2)'), ''), {
    message: /^RunCommandParseJSON error: .* returned 2: why\n$/,
  });
  await t.rejects(run(program('console.log("{nothing")'), ''), { message: 'Unable to parse JSON: {nothing' });
  await t.rejects(run(program('console.log("x".repeat(1000))'), ''), { message: /printed more than 100 bytes/ });
  await t.rejects(run(program('process.kill(process.pid, "SIGKILL")'), ''), { message: /returned -9: / });
  // A child of the command holds its output open.
  const child = `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })`;
  await t.rejects(createRunForJson(signal, 1000, 100)(program(child), ''), { message: /did not end in 1 s/ });
  t.equal(await run(program('console.log(2)'), ''), 2, 'the next one runs');
});

t.test('rejects a running command when the node stops', async (t) => {
  const stopping = new AbortController();
  const run = createRunForJson(stopping.signal);
  const waiting = run(program('setInterval(() => {}, 1000)'), '');
  setTimeout(() => stopping.abort(), 100);
  await t.rejects(waiting, { message: /the node stops/ });
});
