// Backups of a wallet as files: a backup restores exactly the rows that were saved, and a damaged file is rejected.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, Store } from '../../../src/storage/store.js';
import { readBackup, writeBackup } from '../../../src/wallet/manage/backup.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-backup-'));
t.teardown(() => fs.rmSync(folder, { recursive: true }));
const at = (name: string): string => path.join(folder, name);

/** Writes a backup file of rows whose values have these sizes and consist of the byte `fill`. */
async function backup(name: string, sizes: readonly number[], fill: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(
    sizes.map((size, i): BatchOp => ({ type: 'put', key: Uint8Array.of(0x7a, i >> 8, i & 255), value: new Uint8Array(size).fill(fill) })),
  );
  await writeBackup(store, at(name));
  return store;
}
async function rows(store: Store): Promise<string[]> {
  const all: string[] = [];
  for await (const [key, value] of store.iterate()) all.push(`${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`);
  return all;
}

t.test('restores every row of a backup', async (t) => {
  for (const [name, sizes] of Object.entries({
    none: [],
    one: [7],
    empty: [0, 0, 0],
    // The file is read in chunks. These rows make heads and values cross the ends of chunks, and one row is larger than
    // a chunk.
    many: Array.from({ length: 3000 }, (_, i) => (i * 37) % 400),
    large: [10, 700_000, 3, 262_144, 1],
  })) {
    const saved = await backup(name, sizes, 5);
    const back = new MemoryStore();
    t.equal(await readBackup(at(name), back), null, name);
    t.same(await rows(back), await rows(saved), name);
  }
});

t.test('rejects a damaged or truncated backup and says why', async (t) => {
  await backup('sound', [3, 0, 40, 9], 5);
  const sound = fs.readFileSync(at('sound'));
  const why = async (bytes: Uint8Array): Promise<string | null> => {
    fs.writeFileSync(at('damaged'), bytes);
    return readBackup(at('damaged'), new MemoryStore());
  };
  const refused = async (bytes: Uint8Array, what: string): Promise<void> => {
    t.type(await why(bytes), 'string', what);
  };
  for (let i = 0; i < sound.length; i++) {
    const bytes = Buffer.from(sound);
    bytes[i] ^= 1 << (i % 8);
    await refused(bytes, `bit of byte ${i}`);
    await refused(sound.subarray(0, i), `cut off at ${i}`);
  }
  await refused(Buffer.concat([sound, Buffer.of(0)]), 'too long');
  t.equal(await why(sound.subarray(0, 10)), 'ends early, at byte 10');
  t.match(await why(sound.subarray(0, sound.length - 9)), /^ends early, at byte \d+, or is damaged/);
  const changed = Buffer.from(sound);
  changed[sound.length - 40] ^= 1;
  t.equal(await why(changed), 'is damaged: its checksum does not match');
  t.equal(await why(Buffer.from('regtest=1\nrpcuser=a\n')), 'is not a backup of adit');
  t.equal(
    await why(Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(200)])),
    'is a wallet file of Bitcoin Core: use importcorewallet',
  );
});

t.test('rejects a backup that is overwritten while it is read, but not one that is replaced', async (t) => {
  const sizes = Array.from({ length: 1000 }, () => 1000);
  const saved = await backup('first', sizes, 1);
  await backup('second', sizes, 2);
  const second = fs.readFileSync(at('second'));
  /** Changes the file when the first rows of it are written. */
  class Changing extends MemoryStore {
    change: (() => void) | null;
    constructor(change: () => void) {
      super();
      this.change = change;
    }
    override async batch(ops: readonly BatchOp[]): Promise<void> {
      await super.batch(ops);
      this.change?.();
      this.change = null;
    }
  }
  // Another file replaces the name while the backup is read. The opened file is unaffected.
  const replaced = new Changing(() => fs.renameSync(at('second'), at('first')));
  t.equal(await readBackup(at('first'), replaced), null);
  t.same(await rows(replaced), await rows(saved));
  // The file's content is replaced in place by another valid backup of the same size. The reader must notice it.
  await backup('first', sizes, 1);
  t.equal(
    await readBackup(at('first'), new Changing(() => fs.writeFileSync(at('first'), second, { flag: 'r+' }))),
    'is damaged: its checksum does not match',
  );
});
