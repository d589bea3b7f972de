// Checks the installed packages: each has a digest and a licence of the list, and docs/dependencies.md names them all.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { dependenciesPage, faultsOf, isAllowed, readLock } from '../../dependencies/list.js';

const root = path.resolve(import.meta.dirname, '../../../..');
const lock = readLock(root);

t.test('every package has a digest and an allowed licence, and matches what is installed', async (t) => {
  t.ok(Object.keys(lock).length > 300, `${Object.keys(lock).length} packages`);
  t.same(faultsOf(lock, root), []);
});

t.test('docs/dependencies.md matches the lock file', async (t) => {
  const page = fs.readFileSync(path.join(root, 'docs', 'dependencies.md'), 'utf8');
  t.ok(page === dependenciesPage(lock), 'npm run licences writes it again');
});

t.test('reports missing digests, disallowed licences and foreign sources', async (t) => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const sound = { version: '1.0.0', license: 'MIT', integrity };
  const empty = path.join(os.tmpdir(), 'adit-no-packages');
  const faults = (entry: object): string[] => faultsOf({ 'node_modules/one': { ...sound, ...entry } }, empty);
  t.same(faults({}), []);
  t.same(faults({ integrity: undefined }), ['node_modules/one 1.0.0: no sha512 digest']);
  t.same(faults({ integrity: `sha1-${'A'.repeat(27)}=` }), ['node_modules/one 1.0.0: no sha512 digest']);
  t.same(faults({ license: undefined }), ['node_modules/one 1.0.0: no licence']);
  t.same(faults({ license: 'GPL-3.0-only' }), ['node_modules/one 1.0.0: the licence GPL-3.0-only is not on the list']);
  t.match(faults({ resolved: 'https://example.org/one.tgz' }), [/a place to fetch it from/]);
  t.same(['MIT OR GPL-3.0-only', '(MIT OR CC0-1.0)', 'MIT AND MPL-2.0', 'MIT AND GPL-3.0-only'].map(isAllowed), [true, true, true, false]);
});

t.test('reports a package that is installed with another version or licence', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-packages-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true }));
  const place = path.join(folder, 'node_modules', 'one');
  fs.mkdirSync(place, { recursive: true });
  const write = (version: string, license: string): void =>
    fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ version, license }));
  const entry = { version: '1.0.0', license: 'MIT', integrity: `sha512-${'A'.repeat(86)}==` };
  const faults = (): string[] => faultsOf({ 'node_modules/one': entry }, folder);
  write('1.0.0', 'MIT');
  t.same(faults(), []);
  write('1.0.1', 'MIT');
  t.same(faults(), ['node_modules/one 1.0.0: 1.0.1, MIT is installed']);
  write('1.0.0', 'ISC');
  t.same(faults(), ['node_modules/one 1.0.0: 1.0.0, ISC is installed']);
});
