// Which thread writes a batch, with writers that only take notes.
import t from 'tap';
import { SharingWriter } from '../../../src/storage/sharing-writer.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import type { BatchWriter } from '../../../src/storage/write-thread.js';
import { fc } from '../../framework/fast-check.js';

const REMOVAL: BatchOp = { type: 'del', key: Uint8Array.of(1) };

interface Written {
  readonly operations: number;
  readonly place: 'here' | 'thread';
}

/** Two writers and what they wrote, in that order: here at once, on the thread in later turns, one after the other. */
function notedWriters(): { written: Written[]; threads(): number; starts(): number; sharing(large: number): SharingWriter } {
  const written: Written[] = [];
  let running = 0;
  let starts = 0;
  const noted = (place: Written['place'], until: () => Promise<void>): BatchWriter => ({
    write: async (batch) => {
      const operations = batch.length;
      if (place === 'thread') await until();
      written.push({ operations, place });
    },
    clear: async () => {
      if (place === 'thread') await until();
      written.push({ operations: -1, place });
    },
    close: async () => {
      running--;
    },
  });
  return {
    written,
    threads: () => running,
    starts: () => starts,
    sharing: (large) =>
      new SharingWriter(large, {
        here: noted('here', async () => {}),
        startThread: () => {
          running++;
          starts++;
          let last = Promise.resolve();
          return noted('thread', () => {
            last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
            return last;
          });
        },
      }),
  };
}

const batchOf = (operations: number): WriteBatch => WriteBatch.of(Array.from({ length: operations }, () => REMOVAL));

t.test('starts no thread for a batch that is written alone, and uses one that runs', async (t) => {
  const { written, threads, sharing } = notedWriters();
  const writer = sharing(0);
  await writer.write(batchOf(500), false, true);
  await writer.write(batchOf(1), true, true);
  t.equal(threads(), 0);
  const before = writer.write(batchOf(2), false, false);
  const behind = writer.write(batchOf(3), true, true);
  await Promise.all([before, behind]);
  t.equal(threads(), 1, 'it stays');
  await writer.write(batchOf(4), true, true);
  t.same(
    written.map(({ operations, place }) => [operations, place]),
    [
      [500, 'here'],
      [1, 'here'],
      [2, 'thread'],
      [3, 'thread'],
      [4, 'thread'],
    ],
  );
  await writer.close();
  t.equal(threads(), 0);
});

t.test('writes batches in the order of the calls, on either thread', async (t) => {
  const call = fc.record({
    operations: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 6 })),
    alone: fc.boolean(),
    waits: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 4), fc.array(call, { maxLength: 12 }), async (large, calls) => {
      const { written, threads, starts, sharing } = notedWriters();
      const writer = sharing(large);
      const done: Promise<void>[] = [];
      let wanted = false;
      for (const { operations, alone, waits } of calls) {
        if (operations < 0) wanted ||= large === 0;
        else wanted ||= !alone && operations >= large;
        done.push(operations < 0 ? writer.clear(REMOVAL.key, REMOVAL.key) : writer.write(batchOf(operations), false, alone));
        if (waits) await Promise.all(done);
      }
      await Promise.all(done);
      t.same(
        written.map(({ operations }) => operations),
        calls.map(({ operations }) => operations),
      );
      t.equal(starts() > 0, wanted);
      t.equal(threads(), large === 0 && wanted ? 1 : 0);
      await writer.close();
      t.equal(threads(), 0);
    }),
  );
});
