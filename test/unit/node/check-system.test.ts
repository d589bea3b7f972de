// Messages to a user whose Node.js or system is too old, printed before anything is loaded.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import t from 'tap';

const file = path.resolve(import.meta.dirname, '../../../../src/check-system.cjs');
const { systemProblem } = createRequire(import.meta.url)(file) as {
  systemProblem: (version: string, platform: string, glibc: () => string | undefined) => string;
};
const unasked = (): never => {
  throw new Error('reading the version of the C library takes 40 ms');
};

t.test('refuses unsupported versions of Node.js', async (t) => {
  for (const version of ['16.20.2', '18.20.8', '20.14.0', '21.7.3', '22.1.0', '25.0.0']) {
    t.equal(
      systemProblem(version, 'linux', unasked),
      `adit runs on Node.js 20 (from 20.15), 22 (from 22.2), 23, 24, and 26; this is Node.js ${version}.`,
    );
  }
  for (const version of ['20.15.0', '20.20.2', '22.2.0', '23.0.0']) t.equal(systemProblem(version, 'linux', unasked), '', version);
  for (const version of ['24.0.0', '26.0.0']) t.equal(systemProblem(version, 'darwin', unasked), '', version);
});

t.test('refuses an old C library from Node.js 24 on', async (t) => {
  for (const found of ['2.38', '2.41', '3.0'])
    t.equal(
      systemProblem('24.0.0', 'linux', () => found),
      '',
      found,
    );
  t.equal(
    systemProblem('24.1.0', 'linux', () => '2.36'),
    'adit needs glibc 2.38 or newer with Node.js 24 (Debian 13, Ubuntu 24.04); this system has glibc 2.36. Node.js 20 and 22 run on older systems.',
  );
  t.match(
    systemProblem('26.0.0', 'linux', () => undefined),
    /with Node\.js 26 .* this system has another C library than glibc/,
  );
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
