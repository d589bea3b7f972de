// Tests the replacement of a wallet's database during encryption: files with the needed names are removed before it
// begins.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { clearNewDatabase, databaseOf, exchangeDatabase } from '../../../src/wallet/storage/wallet-folder.js';

t.test('exchanges the database although a file has the name of the old one', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-folder-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.mkdirSync(databaseOf(folder));
  fs.writeFileSync(path.join(folder, 'wallet.db.old'), 'a file');
  const fresh = await clearNewDatabase(folder);
  fs.mkdirSync(fresh);
  fs.writeFileSync(path.join(fresh, 'sealed'), '');
  await exchangeDatabase(folder);
  t.same(fs.readdirSync(folder), ['wallet.db']);
  t.same(fs.readdirSync(databaseOf(folder)), ['sealed']);
});
