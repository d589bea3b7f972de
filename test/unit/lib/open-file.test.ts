// Files that callers name. A FIFO, which makes the system wait for its other end, is refused at once. A temporary file
// next to a file does not follow a symbolic link.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { dumpCoins } from '../../../src/chain/coins/coins-dump.js';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { replaceFile } from '../../../src/lib/durable-file.js';
import { openFile } from '../../../src/lib/open-file.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import { PoolFiles } from '../../../src/mempool/persist/pool-files.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { DumpContents, readDump } from '../../../src/rpc/wallet/dump-reader.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { StoreCursor } from '../../../src/storage/store.js';
import { readCoreWallet } from '../../../src/wallet/core/read-core-wallet.js';
import { readBackup } from '../../../src/wallet/manage/backup.js';
import { crypto } from '../../framework/memory-wallet.js';
import { PATIENCE_MS } from '../../framework/until.js';

function folder(t: Test): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'adit-open-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

t.test('refuses to read a FIFO without waiting for it', { skip: process.platform === 'win32' }, async (t) => {
  const dir = folder(t);
  const fifo = path.join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const files = new PoolFiles({ dir, hashes: crypto, clock: { nowSeconds: () => 0 } as never, log: silentLogger });
  const pool = { options: { expirySeconds: 1 } } as Mempool;
  const reads: Record<string, () => Promise<unknown>> = {
    openFile: () => openFile(fifo),
    importmempool: async () => {
      if (!(await files.import(pool, fifo, {} as never, new AbortController().signal))) throw new Error('refused');
    },
    importcorewallet: () => readCoreWallet(fifo, new Uint8Array(4), crypto),
    importwallet: () => readDump({} as WalletContext, fifo, new DumpContents()),
    restorewallet: () => readBackup(fifo, new MemoryStore()),
  };
  for (const [name, read] of Object.entries(reads)) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, 'waits');
    });
    const outcome = await Promise.race([
      late,
      read().then(
        () => 'read',
        () => 'refused',
      ),
    ]);
    clearTimeout(timer);
    t.equal(outcome, 'refused', name);
    // The thread that waits goes on, and the process can end.
    if (outcome === 'waits') fs.closeSync(fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  }
});

t.test('opens files, and refuses folders and missing files', async (t) => {
  const dir = folder(t);
  await t.rejects(openFile(dir), { message: 'It is not a file' });
  await t.rejects(openFile(path.join(dir, 'none')), { code: 'ENOENT' });
  fs.writeFileSync(path.join(dir, 'file'), 'text');
  const handle = await openFile(path.join(dir, 'file'));
  t.equal((await handle.readFile()).toString(), 'text');
  await handle.close();
});

t.test('replaces a link at the temporary name instead of writing through it', async (t) => {
  const dir = folder(t);
  const file = path.join(dir, 'file');
  const other = path.join(dir, 'other');
  fs.writeFileSync(other, 'precious');
  fs.symlinkSync(other, `${file}.new`);
  await replaceFile(file, [new TextEncoder().encode('text')]);
  t.equal(fs.readFileSync(file, 'utf8'), 'text');
  t.equal(fs.readFileSync(other, 'utf8'), 'precious');
  t.notOk(fs.lstatSync(file).isSymbolicLink());
  const dump = path.join(dir, 'dump');
  fs.symlinkSync(other, `${dump}.incomplete`);
  const none = { next: async () => [], close: async () => {} } as unknown as StoreCursor;
  const tip = { hash: new Uint8Array(32), chainTxCount: 0 } as HeaderNode;
  t.equal((await dumpCoins(none, tip, dump, { form: '0.21' }, () => false)).coins, 0);
  t.equal(fs.readFileSync(other, 'utf8'), 'precious');
});
