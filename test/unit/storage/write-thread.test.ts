// The thread that writes a database, when writing fails. store-suite.ts checks that it writes correctly.
import t from 'tap';
import type { BatchOp } from '../../../src/storage/store.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import { WriteThread } from '../../../src/storage/write-thread.js';

const faulty = new URL('faulty-writer.js', import.meta.url);
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

t.test("reports the engine's error for a failed write, and completes the others", async (t) => {
  const thread = new WriteThread(faulty).writer(0n);
  const results = await Promise.allSettled([
    thread.write(WriteBatch.of([{ type: 'del', key: bytes(1) }]), false),
    thread.write(WriteBatch.of([]), false),
    thread.write(WriteBatch.of([{ type: 'del', key: bytes(1) }]), true),
  ]);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.match(results[1], { reason: { message: 'IO error: No space left on device' } });
  await thread.close();
});

t.test('fails waiting and later writes when the thread ends', async (t) => {
  const thread = new WriteThread(faulty).writer(0n);
  const results = await Promise.allSettled([
    thread.clear(bytes(1), bytes(2)),
    thread.write(WriteBatch.of([{ type: 'del', key: bytes(1) }]), false),
  ]);
  for (const result of results) t.match(result, { status: 'rejected', reason: { code: 'STORE_IO' } });
  const batch = WriteBatch.of([{ type: 'put', key: bytes(1), value: bytes(2, 3) }]);
  const memory = batch.bytes;
  await t.rejects(thread.write(batch, false), { code: 'STORE_IO' });
  t.ok(
    memory.every((byte) => byte === 0),
    'some values are secret',
  );
  await thread.close();
});

t.test('does not take a duplicate reply for the reply to the next write', async (t) => {
  const thread = new WriteThread(faulty).writer(0n);
  const op: BatchOp = { type: 'del', key: bytes(1) };
  await thread.write(WriteBatch.of([op, op]), false);
  let written = false;
  const never = thread.write(WriteBatch.of([op, op, op]), true).then(
    () => {
      written = true;
    },
    (error: unknown) => error,
  );
  // This one ends the thread behind it.
  const behind = thread.clear(bytes(1), bytes(2)).catch((error: unknown) => error);
  await thread.close();
  t.match(await Promise.all([never, behind]), [{ code: 'STORE_IO' }, { code: 'STORE_IO' }]);
  t.equal(written, false);
});

t.test('databases share a thread, which runs until the last of them is closed', async (t) => {
  const removal: BatchOp[] = [{ type: 'del', key: bytes(1) }];
  const threads = new WriteThread(faulty);
  const [one, other] = [threads.writer(0n), threads.writer(1n)];
  await Promise.all([one.write(WriteBatch.of(removal), false), other.write(WriteBatch.of(removal), false)]);
  await one.close();
  await other.write(WriteBatch.of(removal), false);
  const third = threads.writer(2n);
  await t.rejects(other.clear(bytes(1), bytes(2)), { code: 'STORE_IO' });
  await t.rejects(third.write(WriteBatch.of(removal), false), { code: 'STORE_IO' });
  await Promise.all([other.close(), third.close()]);
  const fourth = threads.writer(3n);
  await fourth.write(WriteBatch.of(removal), false);
  await fourth.close();
});
