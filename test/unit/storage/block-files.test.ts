// Block and undo files: Core's layout byte by byte, rollover, repair of torn tails, XOR keys, and damage.

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles, type BlockFilesOptions } from '../../../src/storage/block-files.js';
import { hex } from '../../framework/hex.js';

const root = mkdtempSync(join(tmpdir(), 'adit-blocks-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = (): string => join(root, `folder${folders++}`);
const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const hashes = createPureHashes();
const block = (length: number, seed: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + seed) & 0xff);
const openFiles = (dir: string, options: Partial<BlockFilesOptions> = {}): Promise<BlockFiles> =>
  BlockFiles.open({ dir, magic: MAGIC, lastKnown: null, ...options }, { hashes });

t.test('writes records with magic, length and checksum at the positions that it returns', async (t) => {
  const dir = newFolder();
  const files = await openFiles(dir);
  const positions = await Promise.all([files.appendBlock(block(300, 1)), files.appendBlock(block(100, 2)), files.appendBlock(block(0, 0))]);
  t.same(
    positions,
    [
      { file: 0, pos: 8 },
      { file: 0, pos: 316 },
      { file: 0, pos: 424 },
    ],
    'in the order of the calls',
  );
  const prevHash = block(32, 9);
  t.equal((await files.appendUndo(0, [{ undo: block(5, 3), prevHash: prevHash }]))[0], 8);
  t.equal((await files.appendUndo(0, [{ undo: block(1, 4), prevHash: prevHash }]))[0], 8 + 5 + 32 + 8);
  // Before any sync or close: the kernel has it.
  const blk = readFileSync(join(dir, 'blk00000.dat'));
  t.equal(hex(blk.subarray(0, 8)), 'fabfb5da2c010000');
  t.equal(hex(blk.subarray(308, 316)), 'fabfb5da64000000');
  t.equal(blk.length, 424);
  const rev = readFileSync(join(dir, 'rev00000.dat'));
  t.equal(hex(rev.subarray(0, 8)), 'fabfb5da05000000');
  const once = createHash('sha256').update(prevHash).update(block(5, 3)).digest();
  t.equal(hex(rev.subarray(13, 45)), createHash('sha256').update(once).digest('hex'));
  t.equal(rev.length, 45 + 41);
  t.equal(files.sizeOnDisk, 424 + 86);
  t.equal(hex(await files.readBlock(positions[0])), hex(block(300, 1)));
  t.equal(hex(await files.readBlock(positions[1])), hex(block(100, 2)));
  t.equal(hex(await files.readUndo({ file: 0, pos: 8 }, prevHash)), hex(block(5, 3)));
  await files.sync();
  await files.close();
  await files.close();
  await t.rejects(files.appendBlock(block(1, 1)), { code: 'STORE_CLOSED' });
  await t.rejects(files.readBlock(positions[0]), { code: 'STORE_CLOSED' });
  t.equal((await openFiles(dir)).repair.tornBytes, 0);
});

t.test('starts a new file when one is full, and reads many files at once', async (t) => {
  const dir = newFolder();
  const files = await openFiles(dir, { maxFileBytes: 1000 });
  const positions = [];
  for (let i = 0; i < 60; i++) positions.push(await files.appendBlock(block(492, i)));
  t.same(
    positions.slice(0, 4),
    [
      { file: 0, pos: 8 },
      { file: 0, pos: 508 },
      { file: 1, pos: 8 },
      { file: 1, pos: 508 },
    ],
    'exactly full is still full',
  );
  const large = await files.appendBlock(block(3000, 99));
  t.same(large, { file: 30, pos: 8 }, 'a block above the limit gets a file of its own');
  t.same(await files.appendBlock(block(1, 1)), { file: 31, pos: 8 });
  for (const file of [0, 3, 29, 7, 1, 2, 5, 9, 11, 4, 0]) await files.appendUndo(file, [{ undo: block(10, file), prevHash: block(32, 0) }]);
  const read = await Promise.all(positions.map((at) => files.readBlock(at)));
  for (const [i, bytes] of read.entries()) t.equal(hex(bytes), hex(block(492, i)));
  t.equal(hex(await files.readUndo({ file: 11, pos: 8 }, block(32, 0))), hex(block(10, 11)));
  t.equal(hex(await files.readUndo({ file: 0, pos: 58 }, block(32, 0))), hex(block(10, 0)), 'a rev file continues after it was closed');
  t.same(
    files.files().map(({ file }) => file),
    Array.from({ length: 32 }, (_, i) => i),
  );
  await files.removeUndoFiles();
  t.equal(readdirSync(dir).filter((name) => name.startsWith('rev')).length, 0);
  t.equal((await files.appendUndo(0, [{ undo: block(10, 0), prevHash: block(32, 0) }]))[0], 8);
  await files.close();
  const again = await openFiles(dir, { maxFileBytes: 1000, lastKnown: { file: 31, pos: 8 } });
  t.same(await again.appendBlock(block(2, 2)), { file: 31, pos: 17 }, 'goes on where it stopped');
  await again.close();
});

t.test('cuts a torn record off the end of a file, and retains what it cannot explain', async (t) => {
  const dir = newFolder();
  const path = join(dir, 'blk00000.dat');
  let files = await openFiles(dir);
  const first = await files.appendBlock(block(200, 1));
  const second = await files.appendBlock(block(200, 2));
  await files.appendUndo(0, [{ undo: block(20, 1), prevHash: block(32, 0) }]);
  await files.appendUndo(0, [{ undo: block(20, 2), prevHash: block(32, 0) }]);
  await files.close();
  const whole = readFileSync(path);
  // Cut anywhere inside the second record: it goes, the first stays, and the next block takes its place.
  for (const length of [209, 212, 215, 216, 217, 300, 415]) {
    writeFileSync(path, whole.subarray(0, length));
    files = await openFiles(dir, { lastKnown: first });
    t.equal(files.repair.tornBytes, length - 208, `${length} bytes`);
    t.same(await files.appendBlock(block(50, 5)), { file: 0, pos: 216 });
    t.equal(hex(await files.readBlock(first)), hex(block(200, 1)));
    await files.close();
    writeFileSync(path, whole.subarray(0, length));
    files = await openFiles(dir);
    t.equal(files.repair.tornBytes, 0, 'without an index no record counts as torn');
    t.same(await files.appendBlock(block(50, 5)), { file: 1, pos: 8 });
    await files.close();
    t.same(readFileSync(path), whole.subarray(0, length));
    rmSync(join(dir, 'blk00001.dat'));
  }
  writeFileSync(path, whole);
  files = await openFiles(dir, { lastKnown: first });
  t.equal(files.repair.tornBytes, 0, 'a whole block that the index does not know stays');
  await files.close();
  writeFileSync(path, Buffer.concat([whole, Buffer.alloc(100_000)]));
  files = await openFiles(dir, { lastKnown: second });
  t.equal(files.repair.tornBytes, 100_000, 'space that Core reserved');
  await files.close();
  writeFileSync(path, Buffer.concat([whole, Buffer.from('something else')]));
  files = await openFiles(dir, { lastKnown: second });
  t.equal(files.repair.tornBytes, 0, 'unexplained bytes stay');
  t.same(await files.appendBlock(block(1, 1)), { file: 0, pos: whole.length + 14 + 8 });
  await files.close();

  writeFileSync(path, whole);
  const rev = join(dir, 'rev00000.dat');
  const wholeRev = readFileSync(rev);
  for (const length of [61, 65, 70, 100, 119]) {
    writeFileSync(rev, wholeRev.subarray(0, length));
    files = await openFiles(dir);
    t.equal((await files.appendUndo(0, [{ undo: block(3, 3), prevHash: block(32, 0) }]))[0], 68, `rev file cut at ${length}`);
    t.equal(hex(await files.readUndo({ file: 0, pos: 68 }, block(32, 0))), hex(block(3, 3)));
    await files.close();
  }
  files = await openFiles(dir, { lastKnownUndo: new Map([[0, 68]]) });
  t.equal((await files.appendUndo(0, [{ undo: block(3, 3), prevHash: block(32, 0) }]))[0], 68 + 3 + 32 + 8);
  await files.close();
  files = await openFiles(dir, { lastKnownUndo: new Map([[0, 5000]]) });
  await t.rejects(files.appendUndo(0, [{ undo: block(3, 3), prevHash: block(32, 0) }]), { code: 'STORE_CORRUPTION' });
  await files.close();
});

t.test('refuses to open when the index refers to records that the files do not have', async (t) => {
  const dir = newFolder();
  const files = await openFiles(dir);
  const at = await files.appendBlock(block(200, 1));
  await files.close();
  await t.rejects(openFiles(dir, { lastKnown: { file: 0, pos: at.pos + 208 } }), { code: 'STORE_CORRUPTION' });
  await t.rejects(openFiles(dir, { lastKnown: { file: 0, pos: 9 } }), { code: 'STORE_CORRUPTION' }, 'no magic there');
  await t.rejects(openFiles(dir, { lastKnown: { file: 3, pos: 8 } }), { code: 'STORE_CORRUPTION' });
  truncateSync(join(dir, 'blk00000.dat'), 150);
  await t.rejects(openFiles(dir, { lastKnown: at }), { code: 'STORE_CORRUPTION' });
  t.equal(readFileSync(join(dir, 'blk00000.dat')).length, 150, 'and nothing was cut');
});

t.test('reports a damaged record when it is read', async (t) => {
  const dir = newFolder();
  const files = await openFiles(dir);
  const at = await files.appendBlock(block(200, 1));
  const prevHash = block(32, 7);
  const undoPos = (await files.appendUndo(0, [{ undo: block(50, 1), prevHash: prevHash }]))[0];
  await t.rejects(files.readBlock({ file: 0, pos: 7 }), { code: 'STORE_NOT_FOUND' });
  await t.rejects(files.readBlock({ file: 0, pos: 1e9 }), { code: 'STORE_NOT_FOUND' });
  await t.rejects(files.readBlock({ file: 0, pos: Number.NaN }), { code: 'STORE_NOT_FOUND' });
  await t.rejects(files.readBlock({ file: 5, pos: 8 }), { code: 'STORE_NOT_FOUND' });
  await t.rejects(files.readBlock({ file: 0, pos: 9 }), { code: 'STORE_CORRUPTION' });
  await t.rejects(files.readUndo({ file: 0, pos: undoPos }, block(32, 8)), { code: 'STORE_CORRUPTION' }, 'undo data of another block');
  const patch = async (name: string, offset: number, bytes: number[]): Promise<void> => {
    const handle: FileHandle = await open(join(dir, name), 'r+');
    await handle.write(Uint8Array.from(bytes), 0, bytes.length, offset);
    await handle.close();
  };
  await patch('rev00000.dat', undoPos + 3, [0xee]);
  await t.rejects(files.readUndo({ file: 0, pos: undoPos }, prevHash), { code: 'STORE_CORRUPTION', message: /Checksum/ });
  await patch('rev00000.dat', undoPos - 4, [0xff, 0xff, 0xff, 0x7f]);
  await t.rejects(files.readUndo({ file: 0, pos: undoPos }, prevHash), { code: 'STORE_CORRUPTION' });
  await patch('blk00000.dat', at.pos - 4, [0xff, 0xff, 0xff, 0xff]);
  await t.rejects(
    files.readBlock(at),
    { code: 'STORE_CORRUPTION', message: /length of 4294967295 bytes/ },
    'a length of 4 GiB is not allocated',
  );
  await patch('blk00000.dat', at.pos - 4, [200, 0, 0, 0]);
  truncateSync(join(dir, 'blk00000.dat'), 100);
  await t.rejects(files.readBlock(at), { code: 'STORE_CORRUPTION', message: /ends at 100/ });
  await files.close();
});

t.test('applies the XOR key of xor.dat to every byte, and refuses a damaged key', async (t) => {
  const dir = newFolder();
  const key = Uint8Array.of(1, 20, 3, 200, 5, 0, 7, 255);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'xor.dat'), key);
  let files = await openFiles(dir);
  const positions = [await files.appendBlock(block(203, 1)), await files.appendBlock(block(77, 2))];
  const undoPos = (await files.appendUndo(0, [{ undo: block(11, 1), prevHash: block(32, 1) }]))[0];
  const raw = readFileSync(join(dir, 'blk00000.dat'));
  t.equal(hex(raw.map((byte, i) => byte ^ key[i % 8]).subarray(211, 219)), 'fabfb5da4d000000', 'every byte by its offset in the file');
  await files.close();
  appendFileSync(join(dir, 'blk00000.dat'), Buffer.from([...MAGIC].map((byte, i) => byte ^ key[(raw.length + i) % 8])));
  files = await openFiles(dir, { lastKnown: positions[1] });
  t.equal(files.repair.tornBytes, 4, 'an existing key is honoured without being asked for');
  t.equal(hex(await files.readBlock(positions[1])), hex(block(77, 2)));
  t.equal(hex(await files.readUndo({ file: 0, pos: undoPos }, block(32, 1))), hex(block(11, 1)));
  t.equal(hex(files.xorKey as Uint8Array), hex(key));
  await files.close();
  writeFileSync(join(dir, 'xor.dat'), 'short');
  await t.rejects(openFiles(dir), { code: 'STORE_CORRUPTION' });
});

t.test('-blocksxor=1 creates a key for an empty folder, and 0 refuses a folder that has one', async (t) => {
  const keyOf = (dir: string): string | null => (existsSync(join(dir, 'xor.dat')) ? hex(readFileSync(join(dir, 'xor.dat'))) : null);
  const plain = newFolder();
  for (const xor of [undefined, false]) {
    await (await openFiles(plain, { xor })).close();
    t.equal(keyOf(plain), null);
  }
  const dir = newFolder();
  let files = await openFiles(dir, { xor: true });
  const key = keyOf(dir);
  t.match(key, /^[0-9a-f]{16}$/);
  t.equal(hex(files.xorKey as Uint8Array), key);
  const at = await files.appendBlock(block(77, 2));
  await files.close();
  for (const xor of [true, undefined]) {
    files = await openFiles(dir, { xor, lastKnown: at });
    t.equal(hex(await files.readBlock(at)), hex(block(77, 2)));
    t.equal(keyOf(dir), key, 'the key stays');
    await files.close();
  }
  const message = `The blocksdir XOR-key can not be disabled when a random key was already stored! Stored key: '${key}', stored path: '${join(dir, 'xor.dat')}'.`;
  await t.rejects(openFiles(dir, { xor: false, lastKnown: at }), { message });
  const used = newFolder();
  files = await openFiles(used);
  await files.appendBlock(block(77, 2));
  await files.close();
  await (await openFiles(used, { xor: true })).close();
  t.equal(keyOf(used), null, 'files that are there stay as they are');
});

t.test(
  'leaves all files unchanged when a new block file cannot be created',
  { skip: process.platform !== 'linux' && 'needs /proc or /dev/full' },
  async (t) => {
    const dir = newFolder();
    mkdirSync(dir, { recursive: true });
    const files = await openFiles(dir, { maxFileBytes: 1000 });
    const first = await files.appendBlock(block(900, 1));
    // The next file's name is taken by a folder: rolling over must fail.
    mkdirSync(join(dir, 'blk00001.dat'));
    await t.rejects(files.appendBlock(block(900, 2)), { name: 'StoreError' });
    t.equal(hex(await files.readBlock(first)), hex(block(900, 1)));
    t.same(await files.appendBlock(block(20, 3)), { file: 0, pos: 916 }, 'what fits still goes in');
    rmSync(join(dir, 'blk00001.dat'), { recursive: true });
    t.same(await files.appendBlock(block(900, 2)), { file: 1, pos: 8 });
    await files.close();
  },
);

t.test(
  'reports a full disk with the file name, and removes the partial record',
  { skip: process.platform !== 'linux' && 'needs /proc or /dev/full' },
  async (t) => {
    const dir = newFolder();
    // A disk with 50 bytes left, once it is full: a short write, then ENOSPC.
    let full = false;
    let writes = 0;
    const opener = async (file: string, flags: string): Promise<FileHandle> => {
      const handle = await open(file, flags);
      return new Proxy(handle, {
        get: (target, name) => {
          if (full && name === 'write') {
            return async (bytes: Uint8Array, offset: number, length: number, position: number) => {
              if (writes++ > 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
              return target.write(bytes, offset, Math.min(50, length), position);
            };
          }
          const value = Reflect.get(target, name) as unknown;
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    const files = await BlockFiles.open({ dir, magic: MAGIC, lastKnown: null }, { hashes, opener });
    const first = await files.appendBlock(block(100, 1));
    full = true;
    await t.rejects(files.appendBlock(block(200, 2)), { code: 'STORE_DISK_FULL', message: /blk00000\.dat/ });
    t.equal(readFileSync(join(dir, 'blk00000.dat')).length, 108, 'the half record is gone');
    full = false;
    t.same(await files.appendBlock(block(200, 2)), { file: 0, pos: 116 });
    t.equal(hex(await files.readBlock(first)), hex(block(100, 1)));
    t.equal(hex(await files.readBlock({ file: 0, pos: 116 })), hex(block(200, 2)));
    await files.close();
  },
);
