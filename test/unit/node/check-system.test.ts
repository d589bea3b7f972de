// Messages to a user whose Node.js is too old, printed before anything is loaded.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import t from 'tap';

const file = path.resolve(import.meta.dirname, '../../../../src/check-system.cjs');
const { systemProblem } = createRequire(import.meta.url)(file) as {
  systemProblem: (version: string) => string;
};
t.test('refuses unsupported versions of Node.js', async (t) => {
  for (const version of ['16.20.2', '18.20.8', '20.14.0', '21.7.3', '22.1.0', '25.0.0']) {
    t.equal(systemProblem(version), `adit runs on Node.js 20 (from 20.15), 22 (from 22.2), 23, 24, and 26; this is Node.js ${version}.`);
  }
  for (const version of ['20.15.0', '20.20.2', '22.2.0', '23.0.0', '24.0.0', '26.0.0']) t.equal(systemProblem(version), '', version);
});

t.test('each command prints the problem and ends before it loads other modules', async (t) => {
  for (const command of ['aditd', 'adit-cli', 'adit-front']) {
    const shipped = path.resolve(import.meta.dirname, `../../../bundle/src/bin/${command}.cjs`);
    const script = `Object.defineProperty(process.versions, 'node', { value: '18.0.0' }); require(${JSON.stringify(shipped)});`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    t.same([status, stdout], [1, '']);
    t.match(stderr, /^Error: adit runs on Node\.js 20 [^\n]*\n$/);
  }
});
