// Compares the queue of a socket's bytes with a plain list: bytes leave in the order of their arrival, and its memory
// is limited by the waiting bytes.

import { deepStrictEqual, ok } from 'node:assert';
import t from 'tap';
import { ByteQueue } from '../../../src/consensus/bytes/byte-queue.js';
import { SpareMemory } from '../../../src/consensus/bytes/spare-memory.js';
import { fc } from '../../framework/fast-check.js';

const SEED = 20261126;
const LEAST_CAPACITY = 65_536;
/** Bytes to send. A part of them shows from which position it was taken. */
const PATTERN = Uint8Array.from({ length: 131_072 + 251 }, (_, i) => i % 251);

/** Returns the capacity of the queue's memory. */
const roomOf = (queue: ByteQueue): number => queue.peek(0).buffer.byteLength;

t.test('returns bytes in order, in memory of at most four times their number or 64 KB', async (t) => {
  const step = fc.oneof(
    // Sizes of messages, and sizes close to those at which the capacity doubles.
    fc.record({
      act: fc.constant('push' as const),
      size: fc.oneof(fc.nat(3), fc.nat(300), fc.constantFrom(32_768, 65_535, 65_536, 65_537, 131_072)),
    }),
    fc.record({
      act: fc.constantFrom('take' as const, 'drop' as const, 'peek' as const),
      size: fc.oneof(fc.nat(3), fc.nat(300), fc.nat(200_000)),
    }),
    fc.record({ act: fc.constantFrom('empty' as const, 'clear' as const), size: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, spares) => {
      const queue = new ByteQueue(spares ? new SpareMemory(1_000_000) : null);
      let model = Buffer.alloc(0);
      let sent = 0;
      const taken: [Uint8Array, Buffer][] = [];
      for (const { act, size } of steps) {
        const some = Math.min(size, model.length);
        if (act === 'push') {
          const chunk = Buffer.from(PATTERN.subarray(sent % 251, (sent % 251) + size));
          sent += size;
          model = Buffer.concat([model, chunk]);
          queue.push(chunk);
          // Overwrite the memory of the chunk, as a socket does.
          chunk.fill(0xff);
        } else if (act === 'peek') {
          deepStrictEqual(Buffer.from(queue.peek(some)), model.subarray(0, some));
        } else if (act === 'take') {
          taken.push([queue.takeBytes(some), model.subarray(0, some)]);
          model = model.subarray(some);
        } else if (act === 'drop') {
          queue.drop(some);
          model = model.subarray(some);
        } else {
          if (act === 'clear') queue.clear();
          else queue.drop(model.length);
          model = model.subarray(model.length);
          if (act === 'clear') deepStrictEqual(roomOf(queue), 0);
        }
        deepStrictEqual(queue.length, model.length);
        ok(roomOf(queue) <= Math.max(LEAST_CAPACITY, 4 * model.length), `${roomOf(queue)} for ${model.length}`);
      }
      // The queue must not change bytes that a caller took.
      for (const [bytes, wanted] of taken) ok(wanted.equals(bytes));
      return model.equals(queue.takeBytes(model.length)) && queue.length === 0;
    }),
    { seed: SEED, numRuns: 120 },
  );
  t.pass(`seed ${SEED}`);
});

t.test('allocates no memory when it is filled and emptied repeatedly', async (t) => {
  const queue = new ByteQueue();
  queue.push(new Uint8Array(1));
  const { buffer } = queue.peek(0);
  t.equal(buffer.byteLength, LEAST_CAPACITY);
  for (let round = 0; round < 5; round++) {
    queue.drop(queue.length);
    queue.push(new Uint8Array(LEAST_CAPACITY));
    // The push needs one byte more than is free behind the waiting bytes, so they are moved to the front.
    queue.drop(1);
    queue.push(new Uint8Array(1));
    t.equal(queue.peek(0).buffer, buffer);
  }
});

t.test('takes any number of the first few bytes and keeps the rest', async (t) => {
  for (let sent = 0; sent <= 4; sent++) {
    for (let dropped = 0; dropped <= sent; dropped++) {
      const queue = new ByteQueue();
      queue.push(PATTERN.subarray(0, sent));
      queue.drop(dropped);
      queue.push(PATTERN.subarray(sent, 7));
      t.same([...queue.takeBytes(7 - dropped)], [0, 1, 2, 3, 4, 5, 6].slice(dropped), `${dropped} of ${sent}`);
    }
  }
});

t.test('does not move a long message before it has shrunk to a quarter of the capacity', async (t) => {
  const queue = new ByteQueue();
  queue.push(new Uint8Array(200_000));
  const { buffer } = queue.peek(0);
  t.equal(buffer.byteLength, 262_144);
  while (queue.length > 65_537) queue.drop(Math.min(1_000, queue.length - 65_537));
  t.equal(queue.peek(0).buffer, buffer, 'a little more than a quarter');
  queue.drop(1);
  t.equal(roomOf(queue), 65_536, 'a quarter');
});

t.test('does not move waiting bytes while there is capacity behind them', async (t) => {
  const queue = new ByteQueue();
  const place = (): number => queue.peek(0).byteOffset;
  queue.push(new Uint8Array(1_000));
  queue.drop(10);
  queue.push(new Uint8Array(10));
  t.equal(place(), 10);
  queue.push(new Uint8Array(LEAST_CAPACITY - 1_010));
  t.equal(place(), 10, 'up to the last byte');
  queue.push(new Uint8Array(1));
  t.equal(place(), 0);
  queue.drop(5);
  t.equal(place(), 5);
  queue.drop(queue.length);
  t.equal(place(), 0, 'nothing waits: the next bytes may use the whole capacity');
});

t.test('gives its buffer to the taker of a long message, and uses memory that was given back', async (t) => {
  const spare = new SpareMemory(300_000);
  const queue = new ByteQueue(spare);
  const receive = (size: number): Uint8Array<ArrayBuffer> => {
    queue.push(PATTERN.subarray(0, size - 10));
    queue.push(PATTERN.subarray(0, 12));
    const taken = queue.takeBytes(size);
    t.equal(queue.length, 2);
    deepStrictEqual([...queue.takeBytes(2)], [10, 11]);
    deepStrictEqual(taken, Uint8Array.from([...PATTERN.subarray(0, size - 10), ...PATTERN.subarray(0, 10)]));
    return taken;
  };
  const first = receive(130_000);
  t.equal(first.buffer.byteLength, 131_072);
  const second = receive(120_000);
  t.not(second.buffer, first.buffer);
  spare.giveBuffer(first.buffer);
  t.equal(receive(90_000).buffer, first.buffer);
  t.not(receive(90_000).buffer, first.buffer, 'each memory is used once');
});

t.test('keeps spare memory up to a bound, and no small buffers', async (t) => {
  const spare = new SpareMemory(300_000);
  const [large, small, other] = [new ArrayBuffer(200_000), new ArrayBuffer(65_535), new ArrayBuffer(100_000)];
  for (const buffer of [large, small, new ArrayBuffer(100_001), other]) spare.giveBuffer(buffer);
  t.equal(spare.takeBuffer(200_001, 1_000_000), null);
  t.equal(spare.takeBuffer(1, 99_999), null);
  t.equal(spare.takeBuffer(100_001, 200_000)?.buffer, large);
  t.equal(spare.takeBuffer(1, 100_000)?.buffer, other);
  t.equal(spare.takeBuffer(1, 1_000_000), null);
});

t.test('takes no spare memory of more than four times its unread bytes', async (t) => {
  const spare = new SpareMemory(8 << 20);
  const large = new ArrayBuffer(8 << 20);
  spare.giveBuffer(large);
  // Otherwise any peer could hold the memory with the start of a message, because limits count unread bytes.
  const queue = new ByteQueue(spare);
  queue.push(PATTERN.subarray(0, 65_537));
  ok(roomOf(queue) <= 4 * 65_537, `${roomOf(queue)}`);
  for (let pushed = 65_537; pushed < 2 << 20; pushed += 131_072) queue.push(PATTERN.subarray(0, 131_072));
  t.equal(queue.peek(0).buffer, large);
});
