// Data that reaches the disk, and its order. A layer between the files and the system counts every fsync, because a
// power cut keeps only synced data.
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import type { FileOpener } from '../../../src/storage/record-file.js';
import { replaceFile } from '../../../src/storage/replace-file.js';

const hashes = createPureHashes();
const block = (length: number): Uint8Array => new Uint8Array(length).fill(7);

function folder(t: { teardown(end: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'adit-syncs-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Opens files and notes what is done with them. */
function noting(events: string[], atSync: (path: string) => void = () => {}): FileOpener {
  return async (path: string, flags: string, mode?: number) => {
    const handle = await open(path, flags, mode);
    const name = basename(path);
    events.push(`open ${name}`);
    return new Proxy(handle, {
      get: (_, key: keyof FileHandle) => {
        const real = handle[key];
        if (typeof real !== 'function') return real;
        return (...args: unknown[]) => {
          if (key === 'sync') atSync(path);
          if (key === 'write' || key === 'writeFile' || key === 'sync' || key === 'close') events.push(`${key} ${name}`);
          return (real as (...args: unknown[]) => unknown).apply(handle, args);
        };
      },
    });
  };
}

t.test('syncs a full block file before it writes to the next one', async (t) => {
  const dir = folder(t);
  const events: string[] = [];
  const files = await BlockFiles.open(
    { dir, magic: Uint8Array.of(1, 2, 3, 4), lastKnown: null, maxFileBytes: 1_000 },
    { hashes, opener: noting(events) },
  );
  await files.appendBlock(block(600));
  t.same(events.splice(0), ['open blk00000.dat', 'write blk00000.dat'], 'no fsync for each block');
  await files.appendBlock(block(600));
  t.same(events.splice(0), [
    'sync blk00000.dat',
    'open blk00001.dat',
    `open ${basename(dir)}`,
    `sync ${basename(dir)}`,
    `close ${basename(dir)}`,
    'close blk00000.dat',
    'write blk00001.dat',
  ]);
  await files.appendUndo(1, [{ undo: block(10), prevHash: block(32) }]);
  t.same(events.splice(0), ['open rev00001.dat', 'write rev00001.dat']);
  await files.sync();
  t.same(
    events.splice(0),
    ['sync blk00001.dat', 'sync rev00001.dat', `open ${basename(dir)}`, `sync ${basename(dir)}`, `close ${basename(dir)}`],
    'with the name of the new file',
  );
  await files.sync();
  t.same(events.splice(0), [], 'there is nothing new');
  await files.appendBlock(block(10));
  await files.close();
  t.same(events.splice(0), ['write blk00001.dat', 'sync blk00001.dat', 'close blk00001.dat', 'close rev00001.dat']);
});

t.test('syncs the folder once after it creates its first files', async (t) => {
  const dir = folder(t);
  const events: string[] = [];
  const files = await BlockFiles.open({ dir, magic: Uint8Array.of(1, 2, 3, 4), lastKnown: null }, { hashes, opener: noting(events) });
  await files.appendBlock(block(600));
  await files.appendUndo(0, [{ undo: block(10), prevHash: block(32) }]);
  events.length = 0;
  const named = [`open ${basename(dir)}`, `sync ${basename(dir)}`, `close ${basename(dir)}`];
  await files.sync();
  t.same(events.splice(0), ['sync blk00000.dat', 'sync rev00000.dat', ...named]);
  await files.appendBlock(block(600));
  await files.sync();
  t.same(events.splice(0), ['write blk00000.dat', 'sync blk00000.dat'], 'once');
  await files.close();
});

t.test('syncs files that a killed run wrote before it reports them as synced', async (t) => {
  const dir = folder(t);
  const magic = Uint8Array.of(1, 2, 3, 4);
  /** Bytes of each file that a loss of power leaves. */
  const onDisk = new Map<string, number>();
  const disk = noting([], (path) => onDisk.set(basename(path), statSync(path).size));
  const open = (lastKnown: { file: number; pos: number } | null) =>
    BlockFiles.open({ dir, magic, lastKnown, maxFileBytes: 1_000 }, { hashes, opener: disk });
  const killed = await open(null);
  t.teardown(() => killed.close());
  await killed.appendBlock(block(600));
  await killed.appendUndo(0, [{ undo: block(10), prevHash: block(32) }]);
  const last = await killed.appendBlock(block(600));
  await killed.appendUndo(0, [{ undo: block(10), prevHash: block(32) }]);
  await killed.appendUndo(1, [{ undo: block(10), prevHash: block(32) }]);
  // An older one, from which nothing is to be expected.
  const old = join(dir, 'rev00007.dat');
  writeFileSync(old, block(10));
  utimesSync(old, 1_600_000_000, 1_600_000_000);
  onDisk.clear();

  const files = await open(last);
  t.teardown(() => files.close());
  await files.sync();
  t.same(Object.fromEntries(onDisk), {
    'blk00000.dat': 608,
    'blk00001.dat': 608,
    'rev00000.dat': 100,
    'rev00001.dat': 50,
    [basename(dir)]: onDisk.get(basename(dir)),
  });
  t.type(onDisk.get(basename(dir)), 'number', 'with their names');
  onDisk.clear();
  await files.sync();
  t.equal(onDisk.size, 0, 'once');
});

t.test('syncs full files that the operator made read-only', async (t) => {
  const options = { dir: folder(t), magic: Uint8Array.of(1, 2, 3, 4), maxFileBytes: 1_000 };
  const killed = await BlockFiles.open({ ...options, lastKnown: null }, { hashes });
  t.teardown(() => killed.close());
  await killed.appendBlock(block(600));
  const lastKnown = await killed.appendBlock(block(600));
  const events: string[] = [];
  // Access rights do not bind the superuser, who may run this test.
  const readOnly: FileOpener = async (path, flags) => {
    if (basename(path) === 'blk00000.dat' && flags !== 'r') throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    return noting(events)(path, flags);
  };
  const files = await BlockFiles.open({ ...options, lastKnown }, { hashes, opener: readOnly });
  t.teardown(() => files.close());
  await files.sync();
  t.ok(events.includes('sync blk00000.dat'));
});

t.test('skips a pruned file in the first sync, and syncs a file again after a failure', async (t) => {
  const dir = folder(t);
  const events: string[] = [];
  let fails = false;
  const disk = noting(events, (path) => {
    if (fails && path.endsWith('rev00001.dat')) throw Object.assign(new Error('EIO: it failed, as told'), { code: 'EIO' });
  });
  const magic = Uint8Array.of(1, 2, 3, 4);
  const killed = await BlockFiles.open({ dir, magic, lastKnown: null, maxFileBytes: 1_000 }, { hashes });
  t.teardown(() => killed.close());
  await killed.appendBlock(block(600));
  const last = await killed.appendBlock(block(600));
  await killed.appendUndo(1, [{ undo: block(10), prevHash: block(32) }]);
  const files = await BlockFiles.open({ dir, magic, lastKnown: last, maxFileBytes: 1_000 }, { hashes, opener: disk });
  t.teardown(() => files.close());
  await files.giveUp([0]);
  await files.remove([0]);
  fails = true;
  await t.rejects(files.sync(), { code: 'STORE_IO', message: /sync rev00001.dat/ });
  fails = false;
  events.length = 0;
  await files.sync();
  t.ok(events.includes('sync rev00001.dat'));
});

t.test('syncs the folder after it removes files', async (t) => {
  const dir = folder(t);
  const events: string[] = [];
  const files = await BlockFiles.open(
    { dir, magic: Uint8Array.of(1, 2, 3, 4), lastKnown: null, maxFileBytes: 1_000 },
    { hashes, opener: noting(events) },
  );
  t.teardown(() => files.close());
  await files.appendBlock(block(600));
  await files.appendBlock(block(600));
  await files.giveUp([0]);
  events.length = 0;
  await files.remove([0]);
  t.throws(() => statSync(join(dir, 'blk00000.dat')), { code: 'ENOENT' });
  t.same(events, [`open ${basename(dir)}`, `sync ${basename(dir)}`, `close ${basename(dir)}`]);
});

t.test('replaceFile syncs the new file before it renames it over the old one', async (t) => {
  const path = join(folder(t), 'state.dat');
  writeFileSync(path, 'the old one');
  const events: string[] = [];
  const seen: string[] = [];
  const opener = noting(events, (temporary) => seen.push(readFileSync(path, 'utf8'), readFileSync(temporary, 'utf8')));
  await replaceFile(path, [Buffer.from('the '), Buffer.from('new one')], opener);
  t.same(events, ['open state.dat.new', 'writeFile state.dat.new', 'writeFile state.dat.new', 'sync state.dat.new', 'close state.dat.new']);
  t.same(seen, ['the old one', 'the new one']);
  t.equal(readFileSync(path, 'utf8'), 'the new one');
  t.equal(statSync(path).mode & 0o777, 0o600);
});
