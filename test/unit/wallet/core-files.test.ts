// Reads wallet files of Bitcoin Core row by row: files that Core made (test/functional/core-wallets), the same files in
// the other byte order, and damaged or malicious files.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import t from 'tap';
import { equalBytes } from '../../../src/consensus/bytes/hex.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { bdbRecords } from '../../../src/wallet/core/bdb-records.js';
import { type CoreWallet, emptyCoreWallet, readRow, wipeCoreWallet } from '../../../src/wallet/core/core-wallet.js';
import { openCoreMasterKey } from '../../../src/wallet/core/open-master-key.js';
import { type ByteSource, CoreFileError, type CoreRow } from '../../../src/wallet/core/paged-file.js';
import { collectRows, coreRows, readCoreWallet } from '../../../src/wallet/core/read-core-wallet.js';
import { sqliteRecords } from '../../../src/wallet/core/sqlite-records.js';
import { fillFromCore, openCoreKeys } from '../../../src/wallet/manage/fill-from-core.js';
import { WalletError } from '../../../src/wallet/manage/wallet-error.js';
import type { NodeClient } from '../../../src/wallet/node-client.js';
import { clientOf, TestBlock } from '../../framework/chain-client.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { mostInATurn } from '../../framework/turns.js';

const folder = path.resolve(import.meta.dirname, '../../../../test/functional/core-wallets');
const filesOf = (release: string): Record<string, string> =>
  JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(folder, `${release}.json.gz`))).toString()).files;
const old = filesOf('0.21.1');
const fresh = filesOf('master');
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** A file in memory. */
const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
});

async function rowsOf(bytes: Uint8Array): Promise<CoreRow[]> {
  const rows: CoreRow[] = [];
  for await (const row of (await coreRows(sourceOf(bytes))).rows) rows.push(row);
  return rows;
}

const read = async (bytes: Uint8Array): Promise<CoreWallet> => collectRows((await coreRows(sourceOf(bytes))).rows, crypto);

/** A BDB file as a machine of the other byte order writes it. */
function swapped(original: Uint8Array): Uint8Array {
  const bytes = original.slice();
  const view = new DataView(bytes.buffer);
  const pageSize = view.getUint32(20, true);
  const swap32 = (at: number): void => view.setUint32(at, view.getUint32(at, true), false);
  const swap16 = (at: number): void => view.setUint16(at, view.getUint16(at, true), false);
  for (let page = 0; page < bytes.length; page += pageSize) {
    const type = bytes[page + 25];
    if (type === 9) {
      for (const at of [0, 4, 8, 12, 16, 20, 48, 88]) swap32(page + at);
      continue;
    }
    const entries = view.getUint16(page + 20, true);
    for (const at of [0, 4, 8, 12, 16]) swap32(page + at);
    for (const at of [20, 22]) swap16(page + at);
    if (type !== 3 && type !== 5) continue;
    for (let i = 0; i < entries; i++) {
      const item = page + view.getUint16(page + 26 + i * 2, true);
      swap16(page + 26 + i * 2);
      const kind = bytes[item + 2] & 0x7f;
      swap16(item);
      if (type === 3 || kind === 3) for (const at of [4, 8]) swap32(item + at);
    }
  }
  return bytes;
}

t.test('reads Berkeley DB and SQLite wallets of Core', async (t) => {
  const plain = bytesOf(old.plain);
  const rows = await rowsOf(plain);
  const wallet = await read(plain);
  t.equal(wallet.transactions.length, 21);
  const rent = 'rent '.repeat(2000);
  t.ok(
    wallet.transactions.some(({ values }) => values.get('comment') === rent),
    'a row of several pages',
  );
  t.equal(wallet.secrets.length, wallet.keyMetadata.size);
  t.ok(wallet.secrets.every(({ encrypted }) => !encrypted));
  t.equal(wallet.hd?.isSplit, true);
  t.equal(wallet.addresses.get('2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n')?.label, 'a friend');
  t.same([...wallet.skippedRows], [], 'every row has a meaning');
  t.same(
    rows.map(({ key }) => Buffer.from(key).toString('hex')),
    rows.map(({ key }) => Buffer.from(key).toString('hex')).sort(),
    'in order',
  );
  const other: CoreRow[] = [];
  for await (const row of bdbRecords(sourceOf(swapped(plain)))) other.push(row);
  t.same(other, rows, 'of the other byte order');
  const descriptors = await read(bytesOf(fresh.plain));
  t.equal(descriptors.descriptors.size, 8);
  t.equal(descriptors.active.length, 8);
  t.ok(descriptors.transactions.some(({ values }) => values.get('comment') === rent));
  t.same([...descriptors.skippedRows], []);
  const encrypted = await read(bytesOf(fresh.secret));
  t.equal(encrypted.masterKeys.length, 1);
  t.ok([...encrypted.descriptorSecrets.values()].flat().every(({ encrypted: sealed, bytes }) => sealed && bytes.length === 48));
  wipeCoreWallet(encrypted);
  t.ok(
    [...encrypted.descriptorSecrets.values()].flat().every(({ bytes }) => bytes.every((byte) => byte === 0)),
    'overwritten',
  );
});

t.test('opens the master key of Core with the right passphrase only', async (t) => {
  const { masterKeys } = await read(bytesOf(old.secret));
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const key = await openCoreMasterKey(masterKeys[0], bytes('pass'));
  t.equal(key?.length, 32);
  t.equal(await openCoreMasterKey(masterKeys[0], bytes('pass ')), null);
  await t.rejects(openCoreMasterKey({ ...masterKeys[0], rounds: 2 ** 32 - 1 }, bytes('pass')), CoreFileError);
  await t.rejects(openCoreMasterKey({ ...masterKeys[0], rounds: 0 }, bytes('pass')), CoreFileError);
  await t.rejects(openCoreMasterKey({ ...masterKeys[0], method: 1 }, bytes('pass')), CoreFileError);
});

t.test('rejects wallet files with loops, wrong sizes or unsupported versions', async (t) => {
  const plain = bytesOf(old.plain);
  const refused = (bytes: Uint8Array, words: RegExp): Promise<void> =>
    t.rejects(rowsOf(bytes), { name: 'CoreFileError', message: words }) as unknown as Promise<void>;
  await refused(new Uint8Array(0), /neither/);
  await refused(plain.subarray(0, 300), /ends within/);
  await refused(plain.subarray(0, 4096), /has no page/);
  const spoil = (change: (view: DataView, bytes: Uint8Array) => void, original = plain): Uint8Array => {
    const bytes = original.slice();
    change(new DataView(bytes.buffer), bytes);
    return bytes;
  };
  await refused(
    spoil((view) => view.setUint32(16, 10, true)),
    /version 10 is not supported/,
  );
  await refused(
    spoil((_, bytes) => bytes.set([1], 24)),
    /encrypted are not supported/,
  );
  await refused(
    spoil((view) => view.setUint32(20, 4095, true)),
    /page size is invalid/,
  );
  await refused(
    spoil((view) => view.setUint32(88, 0, true)),
    /another page|unexpected type|not a wallet/,
  );
  const pages = plain.length / 4096;
  const pageOf = (type: number): number => Array.from({ length: pages }, (_, i) => i).find((i) => i > 1 && plain[i * 4096 + 25] === type)!;
  const leaf = pageOf(5);
  await refused(
    spoil((view) => view.setUint32(leaf * 4096 + 4, 7, true)),
    /was not closed/,
  );
  await refused(
    spoil((view) => view.setUint16(leaf * 4096 + 20, 65_535, true)),
    /more items than its size allows/,
  );
  const node = pageOf(3);
  await refused(
    spoil((view) => {
      // Let the second link of an inner page lead to the same child as the first one.
      const first = view.getUint16(node * 4096 + 26, true);
      const second = view.getUint16(node * 4096 + 28, true);
      view.setUint32(node * 4096 + second + 4, view.getUint32(node * 4096 + first + 4, true), true);
    }),
    /referenced twice/,
  );
  const sqlite = bytesOf(fresh.plain);
  await refused(sqlite.subarray(0, 50), /ends within/);
  await refused(
    spoil((view) => view.setUint16(16, 100), sqlite),
    /page size is invalid/,
  );
  await refused(
    spoil((view) => view.setUint16(103, 60_000), sqlite),
    /more rows than its size allows/,
  );
  const root = Array.from({ length: sqlite.length / 4096 }, (_, i) => i).find((i) => i > 0 && sqlite[i * 4096] === 0x05)!;
  await refused(
    spoil((view) => view.setUint32(root * 4096 + 8, root + 1), sqlite),
    /referenced twice/,
  );
  await t.rejects(async () => {
    for await (const _ of sqliteRecords(sourceOf(plain))) t.fail('a row');
  }, CoreFileError);
});

/** In these files all rows of a page share the same bytes, so that together they would be far larger than the file. */
t.test('rejects wallet files whose overlapping rows are larger than the file', async (t) => {
  const page = 65_536;
  const rows = 8000;
  const size = 40_000;
  const sqlite = new Uint8Array(2 * page);
  const view = new DataView(sqlite.buffer);
  sqlite.set(Buffer.from('SQLite format 3\0', 'latin1'));
  view.setUint16(16, 1);
  sqlite.set([1, 1], 18);
  // The first page describes a table of this name, whose rows are on the second page.
  sqlite.set([0x0d, 0, 0, 0, 1], 100);
  view.setUint16(108, 200);
  sqlite.set([20, 1, 6, 23, 21, 21, 1, 0, ...Buffer.from('tablemainmain'), 2], 200);
  sqlite[page] = 0x0d;
  view.setUint16(page + 3, rows);
  for (let i = 0; i < rows; i++) view.setUint16(page + 8 + i * 2, 20_000);
  const varint = (number: number): number[] => [0x80 | (number >> 14), 0x80 | ((number >> 7) & 0x7f), number & 0x7f];
  // The row's key has one byte; its value takes the remaining bytes.
  sqlite.set([...varint(size), 1, 5, 14, ...varint((size - 6) * 2 + 12), 0], page + 20_000);
  await t.rejects(read(sqlite), { name: 'CoreFileError', message: /rows are larger/ });

  const bdb = new Uint8Array(4 * page);
  const put = new DataView(bdb.buffer);
  for (const at of [0, 2]) {
    const base = at * page;
    put.setUint32(base + 4, 1, true);
    put.setUint32(base + 8, at, true);
    put.setUint32(base + 12, 0x053162, true);
    put.setUint32(base + 16, 9, true);
    put.setUint32(base + 20, page, true);
    bdb[base + 25] = 9;
    put.setUint32(base + 48, 0x20, true);
    put.setUint32(base + 88, at + 1, true);
  }
  const leaf = (at: number, offsets: readonly number[]): void => {
    const base = at * page;
    put.setUint32(base + 4, 1, true);
    put.setUint32(base + 8, at, true);
    put.setUint16(base + 20, offsets.length, true);
    bdb.set([1, 5], base + 24);
    for (const [i, offset] of offsets.entries()) put.setUint16(base + 26 + i * 2, offset, true);
  };
  leaf(1, [1000, 2000]);
  bdb.set([4, 0, 1, ...Buffer.from('main')], page + 1000);
  bdb.set([4, 0, 1, 0, 0, 0, 2], page + 2000);
  leaf(3, new Array(2 * rows).fill(40_000));
  put.setUint16(3 * page + 40_000, 20_000, true);
  bdb[3 * page + 40_002] = 1;
  await t.rejects(read(bdb), { name: 'CoreFileError', message: /rows are larger/ });
});

t.test('rejects a wallet file with more rows than the limit', async (t) => {
  async function* rows(): AsyncGenerator<CoreRow> {
    for (let i = 0; i < 1001; i++) yield { key: Uint8Array.of(1, 0x7e), value: new Uint8Array(0) };
  }
  t.equal((await collectRows(rows(), crypto, 1001)).skippedRows.get('~'), 1001);
  await t.rejects(collectRows(rows(), crypto, 1000), { name: 'CoreFileError', message: /more than 1000 rows/ });
});

t.test('rejects a linked wallet file that has a journal next to its target', async (t) => {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'adit-core-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'wallet.dat');
  const link = path.join(dir, 'link.dat');
  const bytes = bytesOf(fresh.plain);
  fs.writeFileSync(file, bytes);
  fs.symlinkSync(file, link);
  const magic = bytes.subarray(68, 72);
  wipeCoreWallet(await readCoreWallet(link, magic, crypto));
  fs.writeFileSync(`${file}-journal`, 'what belongs to the contents');
  await t.rejects(readCoreWallet(link, magic, crypto), { name: 'CoreFileError', message: /was not closed/ });
});

t.test('overwrites copies of private keys that were made while reading a wallet file', async (t) => {
  const made: Uint8Array[] = [];
  const hashes = {
    ...crypto,
    sha256d: (data: Uint8Array) => {
      made.push(data);
      return crypto.sha256d(data);
    },
  };
  const wallet = await collectRows((await coreRows(sourceOf(bytesOf(old.plain)))).rows, hashes);
  const secrets = wallet.secrets.map(({ bytes }) => Buffer.from(bytes).toString('hex'));
  t.ok(secrets.length > 0);
  const kept = made.filter((data) => secrets.some((secret) => Buffer.from(data).toString('hex').includes(secret)));
  t.equal(kept.length, 0, 'what was hashed is overwritten');
  wipeCoreWallet(wallet);
});

/** Changes a few bytes, removes a part, or doubles a part. */
function mutate(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  const out = bytes.slice();
  for (let changes = 1 + random(4); changes > 0 && out.length > 0; changes--) {
    const at = random(out.length);
    const how = random(4);
    if (how === 0) out[at] = random(256);
    else if (how === 1) out[at] = [0, 1, 0x7f, 0x80, 0xff][random(5)];
    else if (how === 2) out.copyWithin(at, random(out.length), random(out.length));
    else if (random(10) === 0) return out.subarray(0, at);
  }
  return out;
}

t.test('reads mutated wallet files or rejects them with CoreFileError', async (t) => {
  const random = pseudoRandom(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  let whole = 0;
  for (const [name, text] of [
    ['watching', old.watching],
    ['secret', old.secret],
    ['descriptors', fresh.descriptors],
  ] as const) {
    const original = bytesOf(text);
    for (let round = 0; round < 300; round++) {
      const bytes = mutate(original, below);
      let size = 0;
      try {
        for (const { key, value } of await rowsOf(bytes)) size += key.length + value.length;
        whole++;
      } catch (error) {
        if (!(error instanceof CoreFileError)) t.fail(`${name}, round ${round}: ${error}`);
      }
      if (size > bytes.length) t.fail(`${name}, round ${round}: ${size} bytes of rows`);
    }
  }
  t.ok(whole > 50, 'some mutated files are still readable');
});

/** A chain that has only the genesis block. Every locator contains this block. */
function chainOf(genesis: Uint8Array): NodeClient {
  const tip = new TestBlock(genesis, null, 0, 0);
  return clientOf({
    tip,
    atHeight: (height) => (height === 0 ? tip : undefined),
    node: (hash) => (equalBytes(hash, genesis) ? tip : undefined),
  });
}

t.test('importing a Core wallet of many seeds and keys yields to other work', async (t) => {
  const keys = 400;
  const core = emptyCoreWallet();
  core.locator = new Uint8Array(32);
  const { surroundings } = await createMemoryWallet({ wallet: { keypool: 1 } });
  let work = 0;
  const counted = <T extends object>(tools: T, name: keyof T): T =>
    new Proxy(tools, {
      get: (target, property) => {
        if (property === name) work++;
        return Reflect.get(target, property);
      },
    });
  const { context } = surroundings;
  for (let i = 1; i <= keys; i++) {
    const bytes = new Uint8Array(32).fill(1);
    new DataView(bytes.buffer).setUint32(28, i);
    const publicKey = context.keys.publicKey(bytes, true)!;
    core.secrets.push({ publicKey, bytes, encrypted: false });
    // Every key claims to come from another seed. No real wallet has so many seeds.
    const metadata = { time: 1, hdPath: `m/0'/0'/${i}'`, seedId: crypto.hash160(publicKey), origin: null };
    core.keyMetadata.set(Buffer.from(publicKey).toString('hex'), { publicKey, metadata });
  }
  const watched = { ...surroundings, context: { ...context, keys: counted(context.keys, 'publicKey') } };
  const fill = (): Promise<unknown> =>
    fillFromCore(watched, chainOf(new Uint8Array(32)), { name: 'w', folder: '' }, { core, masterKey: null }, null, new MemoryStore());
  const { most, all } = await mostInATurn(fill, () => work);
  t.ok(all >= 3 * keys, `${all} keys multiplied`);
  t.ok(most < 30, `${most} in one turn`);
});

t.test('imports a Core wallet with one mutated row, or rejects it with a known error', async (t) => {
  const random = pseudoRandom(11);
  const below = (limit: number): number => Math.floor(random() * limit);
  const { surroundings } = await createMemoryWallet({ wallet: { keypool: 1 } });
  let made = 0;
  for (const text of [old.watching, old.descriptors, fresh.descriptors, old.plain]) {
    const rows = await rowsOf(bytesOf(text));
    const { locator } = await read(bytesOf(text));
    for (let round = 0; round < 60; round++) {
      const core = emptyCoreWallet();
      const spoilt = below(rows.length);
      try {
        for (const [i, row] of rows.entries()) {
          const how = i === spoilt ? below(3) : 0;
          const key = how === 1 ? mutate(row.key, below) : row.key;
          readRow(core, { key, value: how === 2 ? mutate(row.value, below) : row.value.slice() }, crypto);
        }
        const masterKey = await openCoreKeys(core, null);
        const chain = chainOf(locator.subarray(-32));
        const taken = await fillFromCore(surroundings, chain, { name: 'w', folder: '' }, { core, masterKey }, null, new MemoryStore());
        t.equal(taken.transactions, core.transactions.length);
        made++;
      } catch (error) {
        if (!(error instanceof CoreFileError) && !(error instanceof WalletError))
          t.fail(`round ${round}, row ${spoilt}: ${(error as Error).stack}`);
      }
    }
  }
  t.ok(made > 60, 'some are still complete wallets');
});
