// A folder's lock: it keeps others away while it is held, and what it leaves behind keeps nobody away.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { lockFolder } from '../../../src/storage/folder-lock.js';

t.test('a lock that was taken away leaves nothing, on the disk and in the process', async (t) => {
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
