// After a fault that nobody expected nothing is written any more. A file of its own: there is no way back in the
// process.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import { openStore } from '../../../src/storage/open-store.js';
import { replaceFile } from '../../../src/storage/replace-file.js';
import { stopWriting } from '../../../src/storage/write-stop.js';

t.test('stopWriting refuses all later writes and still allows reads', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'adit-stop-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({ path: join(dir, 'db') });
  const files = await BlockFiles.open(
    { dir: join(dir, 'blocks'), magic: Uint8Array.of(1, 2, 3, 4), lastKnown: null },
    { hashes: createPureHashes() },
  );
  const row = { type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(2) } as const;
  await store.batch([row]);
  await files.appendBlock(new Uint8Array(100));
  stopWriting('a test says so');
  const refused = { code: 'STORE_CLOSED', message: /writing ended \(a test says so\)/ };
  await t.rejects(store.batch([{ ...row, value: Uint8Array.of(3) }]), refused);
  await t.rejects(store.clear(Uint8Array.of(0), Uint8Array.of(9)), refused);
  await t.rejects(files.appendBlock(new Uint8Array(100)), refused);
  await t.rejects(files.appendUndo(0, [{ undo: new Uint8Array(10), prevHash: new Uint8Array(32) }]), refused);
  await t.rejects(replaceFile(join(dir, 'file'), [new Uint8Array(1)]), refused);
  t.same([...((await store.get(Uint8Array.of(1))) ?? [])], [2], 'reading goes on');
  t.equal(statSync(join(dir, 'blocks', 'blk00000.dat')).size, 108);
  t.notOk(existsSync(join(dir, 'file')));
  await files.close();
  await store.close();
});
