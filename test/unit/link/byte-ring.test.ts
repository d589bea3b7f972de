// The ring between threads: messages leave as they entered, to the last free word and not one beyond, and no wake-up is
// lost.

import t from 'tap';
import { newRing, RingReader, RingWriter } from '../../../src/link/byte-ring.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 20260822, numRuns: 500 });

function ring(words: number) {
  const buffer = newRing(words * 4);
  return { writer: new RingWriter(buffer), reader: new RingReader(buffer) };
}

/** Writes a payload of so many words, each its own. */
function put(writer: RingWriter, size: number, first: number): boolean {
  const at = writer.reserveFrame(size);
  if (at < 0) return false;
  for (let i = 0; i < size; i++) writer.words[at + i] = first + i;
  writer.commit(size);
  return true;
}

/** Takes a payload. */
function take(reader: RingReader, size: number): number[] | null {
  const at = reader.next();
  if (at < 0) return null;
  const payload = [...reader.words.subarray(at, at + size)];
  reader.done();
  return payload;
}

t.test('reserves a payload only if one more word than its size is free', async (t) => {
  const { writer, reader } = ring(16);
  t.equal(put(writer, 7, 100), true);
  t.equal(writer.reserveFrame(8), -1, 'eight words are free, nine are needed');
  t.equal(put(writer, 7, 200), true, 'eight of eight');
  t.equal(writer.reserveFrame(0), -1, 'full');
  t.same(take(reader, 7), [100, 101, 102, 103, 104, 105, 106]);
  t.equal(writer.reserveFrame(8), -1, 'eight are free again, from the beginning on');
  t.equal(put(writer, 7, 300), true);
  t.same(take(reader, 7), [200, 201, 202, 203, 204, 205, 206]);
  t.same(take(reader, 7), [300, 301, 302, 303, 304, 305, 306]);
  t.equal(take(reader, 7), null);
  t.equal(put(ring(16).writer, 15, 1), true, 'an empty ring takes fifteen of sixteen');
  t.equal(ring(16).writer.reserveFrame(16), -1);
});

t.test('continues at the beginning when a payload does not fit before the end', async (t) => {
  const { writer, reader } = ring(16);
  put(writer, 9, 100);
  put(writer, 1, 200);
  t.same(take(reader, 9), [100, 101, 102, 103, 104, 105, 106, 107, 108]);
  // Words 10 and 11 are used; 4 are left at the end and 10 at the beginning.
  t.equal(writer.reserveFrame(10), -1);
  t.equal(put(writer, 9, 300), true, 'ten at the beginning');
  t.equal(writer.reserveFrame(0), -1, 'the four at the end are gone with it');
  t.same(take(reader, 1), [200]);
  t.same(take(reader, 9), [300, 301, 302, 303, 304, 305, 306, 307, 308]);
});

t.test('returns payloads of any size in order over random writes and reads', async (t) => {
  const step = fc.oneof(fc.record({ size: fc.nat({ max: 40 }) }), fc.constant('read' as const));
  fc.assert(
    fc.property(fc.constantFrom(16, 32, 64), fc.array(step, { maxLength: 200 }), (words, steps) => {
      const { writer, reader } = ring(words);
      const queue: number[][] = [];
      let next = 1;
      for (const one of steps) {
        if (one === 'read') {
          const wanted = queue.shift();
          const got = take(reader, wanted?.length ?? 0);
          if (JSON.stringify(got) !== JSON.stringify(wanted ?? null)) return false;
        } else if (put(writer, one.size, next)) {
          queue.push(Array.from({ length: one.size }, (_, i) => next + i));
          next += one.size;
        } else if (queue.length === 0 && one.size < words) {
          // The ring is empty: a message fits if it fits before or after the current position.
          if (one.size + 1 <= words / 2) return false;
        }
        if (reader.waiting !== queue.length) return false;
      }
      return queue.every((wanted) => JSON.stringify(take(reader, wanted.length)) === JSON.stringify(wanted));
    }),
  );
  t.pass('500 queues');
});

t.test('overwrites a payload with zeros after it was read', async (t) => {
  const { writer, reader } = ring(16);
  put(writer, 5, 7_000);
  take(reader, 5);
  t.same(
    [...reader.words],
    Array.from({ length: 16 }, () => 0),
  );
});

t.test('wakes a sleeping reader once, and a reader that is awake never', async (t) => {
  const { writer, reader } = ring(16);
  put(writer, 1, 1);
  t.equal(writer.mustWake(), true, 'the reader has not read yet');
  t.equal(writer.mustWake(), false, 'it was woken already');
  take(reader, 1);
  put(writer, 1, 2);
  t.equal(writer.mustWake(), false, 'it is awake');
  take(reader, 1);
  t.equal(reader.sleep(), true);
  put(writer, 1, 3);
  t.equal(writer.mustWake(), true);
});

t.test('keeps a reader awake when a frame arrives while it goes to sleep', async (t) => {
  const { writer, reader } = ring(16);
  put(writer, 1, 1);
  writer.mustWake();
  take(reader, 1);
  t.equal(reader.next(), -1, 'nothing waits');
  put(writer, 1, 2);
  t.equal(writer.mustWake(), false, 'the writer sees it awake');
  t.equal(reader.sleep(), false, 'so it must not sleep');
  t.same(take(reader, 1), [2]);
  put(writer, 1, 3);
  t.equal(writer.mustWake(), false, 'and it is awake');
  take(reader, 1);
  t.equal(reader.sleep(), true);
});

t.test('isUnread tells which committed frames were not read yet', async (t) => {
  const { writer, reader } = ring(16);
  writer.reserveFrame(2);
  const first = writer.commit(2);
  writer.reserveFrame(2);
  const second = writer.commit(2);
  t.same([writer.isUnread(first), writer.isUnread(second)], [true, true]);
  reader.next();
  reader.done();
  t.same([writer.isUnread(first), writer.isUnread(second)], [false, true]);
});
