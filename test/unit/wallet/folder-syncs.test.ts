// Tests the replacement of a wallet's database: a power failure at any moment leaves one of the states that the next
// loading can handle.
import nodeFs from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { repairFolder } from '../../../src/wallet/storage/wallet-folder.js';

async function folder(t: Test): Promise<string> {
  const dir = await fs.mkdtemp(path.join(await fs.realpath(tmpdir()), 'adit-folder-'));
  t.teardown(() => fs.rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Records renames, removals and syncs during `work`. Each path is given by its last part, the folder itself as ".". */
async function eventsOf(dir: string, work: () => Promise<void>): Promise<string[]> {
  const events: string[] = [];
  const name = (file: unknown): string => path.relative(dir, String(file)) || '.';
  const { open, rename, rm } = fs;
  fs.open = async (file, ...rest) => {
    const handle: FileHandle = await open(file, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      events.push(`sync ${name(file)}`);
      return sync();
    };
    return handle;
  };
  fs.rename = (from, to) => {
    events.push(`rename ${name(from)} ${name(to)}`);
    return rename(from, to);
  };
  fs.rm = (file, options) => {
    events.push(`rm ${name(file)}`);
    return rm(file, options);
  };
  try {
    await work();
  } finally {
    Object.assign(fs, { open, rename, rm });
  }
  return events;
}

t.test('repairFolder syncs the renamed new database before it removes the old one', async (t) => {
  const dir = await folder(t);
  await fs.mkdir(path.join(dir, 'wallet.db.new'));
  await fs.mkdir(path.join(dir, 'wallet.db.old'));
  t.same(await eventsOf(dir, () => repairFolder(dir)), ['rename wallet.db.new wallet.db', 'sync .', 'rm wallet.db.old', 'sync .']);
  t.same(nodeFs.readdirSync(dir), ['wallet.db']);
});
