// Images of a wallet's tables as files: a complete file is restored. A file that is damaged, truncated or of another id
// is rejected.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { createImageFiles } from '../../../src/wallet/image/image-file.js';
import { ImageLoader, ImageSaver, type TableImage, transferSet } from '../../../src/wallet/image/table-image.js';
import { MOST_JOURNAL, WalletImages } from '../../../src/wallet/image/wallet-images.js';
import { WALLET_PREFIX, walletKey } from '../../../src/wallet/storage/layout.js';
import { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import { ByteArena } from '../../../src/wallet/tables/byte-arena.js';
import { ByteTable } from '../../../src/wallet/tables/byte-table.js';
import { SecretSlab } from '../../../src/wallet/tables/secret-slab.js';

const keyOf = (i: number): Uint8Array => new Uint8Array(Buffer.from(`key ${i * 7919}`));
const ID = new Uint8Array(16).fill(7);

class Tables {
  readonly table = new ByteTable();
  readonly arena = new ByteArena();
  readonly slab = new SecretSlab();
  readonly set = new Set<number>();
  image(at: TableImage): void {
    this.table.transferImage(at);
    this.arena.transferImage(at);
    this.slab.transferImage(at);
    transferSet(at, this.set);
  }
}

function filled(count: number): Tables {
  const tables = new Tables();
  for (let i = 0; i < count; i++) {
    tables.table.add(keyOf(i));
    tables.arena.add(keyOf(i * 3));
    tables.slab.add(keyOf(i * 5));
    if (i % 3 === 0) tables.set.add(i);
  }
  for (let i = 0; i < count; i += 11) tables.table.remove(keyOf(i));
  return tables;
}

t.test('restores tables from an image file, and they can grow', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-image-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true }));
  const files = createImageFiles(folder);
  // The largest has columns of several pieces.
  for (const count of [0, 1, 1000, 150_000]) {
    const saver = new ImageSaver();
    filled(count).image(saver);
    await files.deleteAllExcept(null);
    await files.write(ID, saver.columns);
    const columns = await files.read(ID);
    t.ok(columns, `${count} rows`);
    const tables = new Tables();
    const loader = new ImageLoader(columns!);
    tables.image(loader);
    loader.done();
    let wrong = 0;
    const check = (i: number): void => {
      if (tables.table.find(keyOf(i)) !== (i % 11 === 0 ? -1 : i)) wrong++;
      if (Buffer.compare(tables.arena.get(i), keyOf(i * 3)) !== 0) wrong++;
      if (Buffer.compare(tables.slab.get(i), keyOf(i * 5)) !== 0) wrong++;
    };
    for (let i = 0; i < count; i++) check(i);
    t.equal(tables.set.size, Math.ceil(count / 3));
    for (let i = count; i < count + 3000; i++) {
      tables.table.add(keyOf(i));
      if (i % 11 === 0) tables.table.remove(keyOf(i));
      tables.arena.add(keyOf(i * 3));
      tables.slab.add(keyOf(i * 5));
    }
    for (let i = 0; i < count + 3000; i++) check(i);
    t.equal(wrong, 0);
  }
});

t.test('rejects an image file that is damaged, truncated or of another id', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-image-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true }));
  const files = createImageFiles(folder);
  const saver = new ImageSaver();
  filled(40).image(saver);
  await files.write(ID, saver.columns);
  const [name] = fs.readdirSync(folder);
  t.equal(fs.statSync(path.join(folder, name)).mode & 0o777, 0o600, 'for the operator only');
  const whole = fs.readFileSync(path.join(folder, name));
  t.ok(await files.read(ID));
  const other = new Uint8Array(16).fill(8);
  t.equal(await files.read(other), null, 'no such file');
  fs.copyFileSync(path.join(folder, name), path.join(folder, name.replaceAll('07', '08')));
  t.equal(await files.read(other), null, 'a file under another name');
  // Padding between columns is not checked. It is never read.
  const ends: number[] = [];
  let at = 32;
  for (const { column } of saver.columns) {
    for (let pad = at + column.byteLength; pad % 8 !== 0; pad++) ends.push(pad);
    at += Math.ceil(column.byteLength / 8) * 8;
  }
  const accepted: number[] = [];
  for (let i = 0; i < whole.length; i += i % 5 === 0 ? 3 : 41) {
    const bytes = Buffer.from(whole);
    bytes[i] ^= 0x10;
    fs.writeFileSync(path.join(folder, name), bytes);
    if ((await files.read(ID)) !== null && !ends.includes(i)) accepted.push(i);
  }
  t.same(accepted, [], 'a bit turned over');
  for (const size of [0, 1, 31, 32, 67, 68, 200, whole.length - 1]) {
    fs.writeFileSync(path.join(folder, name), whole.subarray(0, size));
    t.equal(await files.read(ID), null, `${size} bytes of it`);
  }
  await files.deleteAllExcept(null);
  t.same(fs.readdirSync(folder), []);
});

t.test('rejects an image whose columns belong to other tables', async (t) => {
  const saver = new ImageSaver();
  filled(10).image(saver);
  t.throws(() => new ByteArena().transferImage(new ImageLoader(saver.columns)), { message: /column/ });
  const loader = new ImageLoader(saver.columns);
  new ByteTable().transferImage(loader);
  t.throws(() => loader.done(), { message: /columns/ }, 'some are left over');
  t.throws(() => new Tables().image(new ImageLoader(saver.columns.slice(0, -1))), { message: /column/ });
  t.throws(() => new Tables().image(new ImageLoader(saver.columns.map(({ column }) => ({ column, secret: false })))), {
    message: /column/,
  });
});

t.test('deletes the image when its journal grows too long', async (t) => {
  const files = { write: async () => {}, read: async () => [], deleteAllExcept: async () => {} };
  const fail = (line: string): never => {
    throw new Error(line);
  };
  const images = new WalletImages({ files: () => files, leastRows: 0, leastJournal: 0, log: { info() {}, warn: fail } }, '');
  const store = new MemoryStore();
  const tables = filled(10);
  await images.save(
    store,
    (at) => tables.image(at),
    () => true,
  );
  const head = walletKey(WALLET_PREFIX.image);
  t.ok(await store.get(head));
  const row = walletKey(WALLET_PREFIX.address, Uint8Array.of(1));
  const batchOf = (rows: number): WalletBatch => {
    const batch = new WalletBatch();
    for (let i = 0; i < rows; i++) batch.put(row, row);
    images.journalBatch(batch);
    return batch;
  };
  const full = batchOf(MOST_JOURNAL);
  t.equal(full.ops.length, MOST_JOURNAL + 1, 'so many are journalled');
  t.equal(full.ops.at(-1)!.key[0], WALLET_PREFIX.journal);
  await store.batch(batchOf(1).ops);
  t.equal(await store.get(head), undefined, 'one more and there is no image');
  t.equal(batchOf(1).ops.length, 1, 'nor a journal');
});
