// Block files over a disk that fails: full, failing and short writes, failing fsync, short reads and reads that fail.
// Whatever happens, what was acknowledged stays, what failed leaves no trace, and the message says which file.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import type { BlockPosition } from '../../../src/storage/block-records.js';
import type { FileOpener } from '../../../src/storage/record-file.js';
import { replaceFile } from '../../../src/storage/replace-file.js';

const root = mkdtempSync(join(tmpdir(), 'adit-faults-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const hashes = createPureHashes();
const block = (length: number, seed: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 11 + seed) & 0xff);

const failure = (code: string): Error => Object.assign(new Error(`${code}: it failed, as told`), { code });

/** Faults of a disk's next calls; null: none. */
class Disk {
  write: { code: string; after: number } | 'nothing' | null = null;
  sync: string | null = null;
  truncate: string | null = null;
  read: string | 'end' | null = null;
  /** Most bytes of one call. */
  portion = Number.POSITIVE_INFINITY;

  readonly open: FileOpener = async (path, flags) => this.#wrap(await open(path, flags));

  #wrap(handle: FileHandle): FileHandle {
    const disk = this;
    const faulty = {
      async write(bytes: Uint8Array, offset: number, length: number, position: number) {
        if (disk.write === 'nothing') return { bytesWritten: 0, buffer: bytes };
        if (disk.write !== null) {
          if (disk.write.after > 0) await handle.write(bytes, offset, Math.min(length, disk.write.after), position);
          throw failure(disk.write.code);
        }
        return handle.write(bytes, offset, Math.min(length, disk.portion), position);
      },
      async read(bytes: Uint8Array, offset: number, length: number, position: number) {
        if (disk.read === 'end') return { bytesRead: 0, buffer: bytes };
        if (disk.read !== null) throw failure(disk.read);
        return handle.read(bytes, offset, Math.min(length, disk.portion), position);
      },
      async sync() {
        if (disk.sync !== null) throw failure(disk.sync);
        await handle.sync();
      },
      async truncate(size: number) {
        if (disk.truncate !== null) throw failure(disk.truncate);
        await handle.truncate(size);
      },
      stat: () => handle.stat(),
      close: () => handle.close(),
    };
    return faulty as unknown as FileHandle;
  }
}

let folders = 0;
async function opened(disk: Disk, maxFileBytes?: number): Promise<{ files: BlockFiles; dir: string }> {
  const dir = join(root, `folder${folders++}`);
  const files = await BlockFiles.open(
    { dir, magic: MAGIC, lastKnown: null, ...(maxFileBytes ? { maxFileBytes } : {}) },
    { hashes, opener: disk.open },
  );
  return { files, dir };
}

for (const [what, write, code] of [
  ['a full disk', { code: 'ENOSPC', after: 0 }, 'STORE_DISK_FULL'],
  ['a disk that fills in the middle of a record', { code: 'ENOSPC', after: 50 }, 'STORE_DISK_FULL'],
  ['an exceeded quota', { code: 'EDQUOT', after: 9 }, 'STORE_DISK_FULL'],
  ['a failed write', { code: 'EIO', after: 30 }, 'STORE_IO'],
  ['a file system that became read-only', { code: 'EROFS', after: 0 }, 'STORE_PERMISSION'],
  ['a write of no bytes', 'nothing', 'STORE_IO'],
] as const) {
  for (const truncate of [null, 'EIO']) {
    t.test(`retains earlier records after ${what}${truncate ? ', even if truncating fails too' : ''}`, async (t) => {
      const disk = new Disk();
      const { files, dir } = await opened(disk);
      const first = await files.appendBlock(block(300, 1));
      t.equal((await files.appendUndo(0, [{ undo: block(40, 2), prevHash: block(32, 3) }]))[0], 8);
      disk.write = write;
      disk.truncate = truncate;
      await t.rejects(files.appendBlock(block(200, 4)), { name: 'StoreError', code, message: /^Failed to write blk00000\.dat: / });
      await t.rejects(files.appendUndo(0, [{ undo: block(20, 5), prevHash: block(32, 3) }]), {
        code,
        message: /^Failed to write rev00000\.dat: /,
      });
      t.same(await files.readBlock(first), block(300, 1), 'what was there is there');
      if (!truncate) t.equal(statSync(join(dir, 'blk00000.dat')).size, 308, 'nothing of the failed record is left');
      disk.write = null;
      const second = await files.appendBlock(block(90, 6));
      t.same(second, { file: 0, pos: 316 }, 'the next one stands where the failed one would have');
      t.same(await files.readBlock(second), block(90, 6));
      disk.truncate = null;
      await files.close();
      const again = await BlockFiles.open({ dir, magic: MAGIC, lastKnown: second }, { hashes });
      t.same(await again.readBlock(first), block(300, 1));
      t.same(await again.readBlock(second), block(90, 6));
      t.same(await again.readUndo({ file: 0, pos: 8 }, block(32, 3)), block(40, 2));
      await again.close();
    });
  }
}

t.test('completes short writes and short reads', async (t) => {
  const disk = new Disk();
  disk.portion = 7;
  const { files, dir } = await opened(disk);
  const at = await files.appendBlock(block(300, 1));
  t.same(await files.readBlock(at), block(300, 1));
  t.same(await files.readPart(at, 100, 50), block(300, 1).slice(100, 150));
  t.equal((await files.appendUndo(0, [{ undo: block(40, 2), prevHash: block(32, 3) }]))[0], 8);
  t.same(await files.readUndo({ file: 0, pos: 8 }, block(32, 3)), block(40, 2));
  await files.close();
  t.equal(readFileSync(join(dir, 'blk00000.dat')).length, 308);
});

t.test('reports a failed fsync from sync, from a new file, and from close', async (t) => {
  const disk = new Disk();
  const { files } = await opened(disk, 1_000);
  await files.appendBlock(block(600, 1));
  await files.appendUndo(0, [{ undo: block(40, 2), prevHash: block(32, 3) }]);
  disk.sync = 'EIO';
  await t.rejects(files.sync(), { code: 'STORE_IO', message: /^Failed to sync blk00000\.dat: EIO/ });
  await t.rejects(files.appendBlock(block(600, 4)), { code: 'STORE_IO', message: /^Failed to sync blk00000\.dat/ }, 'before a new file');
  t.same(files.files().length, 1, 'no new file was begun');
  await t.rejects(files.close(), { code: 'STORE_IO' });
});

t.test('reports reads that fail or end inside a record', async (t) => {
  const disk = new Disk();
  const { files } = await opened(disk);
  const at = await files.appendBlock(block(300, 1));
  await files.appendUndo(0, [{ undo: block(40, 2), prevHash: block(32, 3) }]);
  disk.read = 'EIO';
  await t.rejects(files.readBlock(at), { code: 'STORE_IO', message: /^Failed to read blk00000\.dat: EIO/ });
  await t.rejects(files.readUndo({ file: 0, pos: 8 }, block(32, 3)), { code: 'STORE_IO', message: /^Failed to read rev00000\.dat/ });
  disk.read = 'end';
  await t.rejects(files.readBlock(at), { code: 'STORE_CORRUPTION', message: /^blk00000\.dat ends at \d+, inside a record$/ });
  disk.read = null;
  t.same(await files.readBlock(at), block(300, 1));
  await files.close();
});

t.test('refuses block files of another network or under another XOR key', async (t) => {
  const { files, dir } = await opened(new Disk());
  const at = await files.appendBlock(block(300, 1));
  await files.appendBlock(block(300, 2));
  await files.close();
  const reopen = (magic: Uint8Array): Promise<BlockFiles> => BlockFiles.open({ dir, magic, lastKnown: at }, { hashes });
  await t.rejects(reopen(Uint8Array.of(1, 2, 3, 4)), {
    code: 'STORE_CORRUPTION',
    message: /blk00000\.dat holds no blocks of this network: wrong data directory, or the xor\.dat beside it is missing or changed$/,
  });
  await (await reopen(MAGIC)).close();
});

t.test('finds the blocks behind the last known one', async (t) => {
  const { files, dir } = await opened(new Disk(), 1_000);
  const places: BlockPosition[] = [];
  for (let i = 0; i < 7; i++) places.push(await files.appendBlock(block(300, i)));
  await files.close();
  t.same(
    places.map(({ file }) => file),
    [0, 0, 0, 1, 1, 1, 2],
  );
  const behind = async (lastKnown: BlockPosition): Promise<unknown[]> => {
    const one = await BlockFiles.open({ dir, magic: MAGIC, lastKnown }, { hashes });
    const found = [];
    for await (const { at, bytes, head } of one.behindLastKnown(80)) found.push([at, bytes, head[0]]);
    await one.close();
    return found;
  };
  const expected = places.map((at, i) => [at, 300, block(300, i)[0]]);
  t.same(await behind(places[6]!), []);
  t.same(await behind(places[2]!), expected.slice(3));
  t.same(await behind(places[0]!), expected.slice(1));
});

t.test('replaceFile retains the old file when writing the new one fails', async (t) => {
  const path = join(root, 'replaced');
  await replaceFile(path, [block(10, 1)]);
  function* broken(): Generator<Uint8Array> {
    yield block(5, 2);
    throw failure('ENOSPC');
  }
  await t.rejects(replaceFile(path, broken()), { code: 'ENOSPC' });
  t.same(new Uint8Array(readFileSync(path)), block(10, 1));
});
