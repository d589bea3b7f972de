// The first and the last things a node does: its folder and the files that live as long as it does, and the end of its
// parts.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { silentLogger } from '../../../src/log/logger.js';
import { prepareCookie, prepareFolders, writeCookie, writePidFile } from '../../../src/node/data-folder.js';
import { Teardown } from '../../../src/node/teardown.js';
import { temporaryFolder } from '../../framework/chain-fixture.js';

function folder(t: { teardown(end: () => void): void }): string {
  const dir = temporaryFolder();
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

t.test('creates folders with mode 0700, and the wallets folder only in a new data directory', async (t) => {
  const dir = path.join(folder(t), 'regtest');
  const blocks = path.join(dir, 'blocks');
  prepareFolders(dir, blocks);
  for (const made of [dir, blocks, path.join(dir, 'wallets')]) t.equal(modeOf(made), 0o700);
  t.same(fs.readdirSync(dir).sort(), ['blocks', 'wallets'], 'nothing of the probe is left');
  fs.rmdirSync(path.join(dir, 'wallets'));
  prepareFolders(dir, blocks);
  t.same(fs.readdirSync(dir), ['blocks'], 'wallets are made with the folder only');
});

t.test('refuses a data directory of Bitcoin Core before it changes anything', async (t) => {
  const dir = folder(t);
  const index = path.join(dir, 'blocks', 'index');
  fs.mkdirSync(index, { recursive: true });
  fs.writeFileSync(path.join(index, 'CURRENT'), 'MANIFEST-000001\n');
  t.throws(() => prepareFolders(dir, path.join(dir, 'blocks')), /belongs to Bitcoin Core.*Choose another -datadir/);
  t.same(fs.readdirSync(dir), ['blocks']);
});

t.test('names a data directory that cannot be written', async (t) => {
  const dir = folder(t);
  fs.writeFileSync(path.join(dir, 'file'), '');
  t.throws(() => prepareFolders(path.join(dir, 'file'), path.join(dir, 'blocks')), {
    message: `Cannot write to data directory '${path.join(dir, 'file')}'; check permissions. (EEXIST)`,
  });
});

t.test('writes the pid file atomically, and removes it only if it is its own', async (t) => {
  const file = path.join(folder(t), 'bitcoind.pid');
  const pid = writePidFile(file);
  t.equal(fs.readFileSync(file, 'utf8'), `${process.pid}\n`);
  t.equal(modeOf(file), 0o600);
  t.same(fs.readdirSync(path.dirname(file)), ['bitcoind.pid'], 'no temporary file');
  pid.remove();
  t.equal(fs.existsSync(file), false);
  pid.remove();
  const again = writePidFile(file);
  fs.writeFileSync(file, '1\n');
  again.remove();
  t.equal(fs.readFileSync(file, 'utf8'), '1\n', "another node's file stays");
});

t.test('creates a new cookie with the given mode, and removes it at the end', async (t) => {
  const file = path.join(folder(t), '.cookie');
  const cookie = prepareCookie(file, 0o640);
  t.match(cookie.credential, /^__cookie__:[0-9a-f]{64}$/);
  t.not(prepareCookie(file, 0o600).credential, cookie.credential);
  t.equal(fs.existsSync(file), false, 'not before the port is ours');
  const written = writeCookie(cookie, silentLogger);
  t.equal(fs.readFileSync(file, 'utf8'), cookie.credential);
  t.equal(modeOf(file), 0o640, 'whatever the umask');
  written.remove();
  t.equal(fs.existsSync(file), false);
  const lines: string[] = [];
  const log = { ...silentLogger, error: (text: string) => lines.push(text) };
  const nowhere = prepareCookie(path.join(file, 'nowhere'), 0o600);
  t.throws(() => writeCookie(nowhere, log), { message: 'Unable to start HTTP server. See debug log for details.' });
  t.match(lines, [/^Could not write the cookie file for RPC authentication: ENOENT/]);
  t.notMatch(lines.join(), nowhere.credential, 'the credential is not logged');
});

t.test('Teardown runs all steps once, last first, even if some fail', async (t) => {
  const ended: string[] = [];
  const teardown = new Teardown();
  teardown.add(() => {
    ended.push('first');
  });
  teardown.add(async () => {
    ended.push('second');
    throw new Error('second failed');
  });
  teardown.add(async () => {
    await Promise.resolve();
    ended.push('third');
  });
  teardown.add(() => {
    ended.push('fourth');
    throw new Error('fourth failed');
  });
  t.equal((await teardown.run())?.message, 'fourth failed', 'the first failure is returned');
  t.same(ended, ['fourth', 'third', 'second', 'first']);
  t.equal(await teardown.run(), undefined, 'nothing is left to do');
  t.equal(ended.length, 4);
});
