// A folder's lock: it keeps others away while it is held, and what it leaves behind keeps nobody away.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { lockFolder } from '../../../src/storage/folder-lock.js';

t.test('remove deletes the lock file, and the folder can be locked again', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-lock-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  // File systems give the number of a file that is gone to the next one.
  for (let i = 0; i < 10; i++) {
    const lock = await lockFolder(dir, { name: 'wallet.lock' });
    await t.rejects(lockFolder(dir, { name: 'wallet.lock' }), { code: 'STORE_LOCKED' });
    await lock.remove();
    t.same(fs.readdirSync(dir), []);
  }
});

t.test('locks a folder again after each release, even if the log of the lock is damaged', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-lock-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const files = (): string[] => fs.readdirSync(path.join(dir, 'lock'));
  for (let i = 0; i < 6; i++) {
    const lock = await lockFolder(dir);
    // The database drops files that it needs no more at any time.
    const size = (name: string): number => fs.statSync(path.join(dir, 'lock', name), { throwIfNoEntry: false })?.size ?? 0;
    for (const name of files()) if (/^\d+\.log$/.test(name)) t.equal(size(name), 0, name);
    t.same(
      files().filter((name) => name.endsWith('.sst')),
      [],
    );
    await lock.release();
  }
  const [log] = files().filter((name) => /^\d+\.log$/.test(name));
  const bytes = new Uint8Array(100_000).fill(7);
  fs.writeFileSync(path.join(dir, 'lock', log!), bytes);
  await (await lockFolder(dir)).release();
});
