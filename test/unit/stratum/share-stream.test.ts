// Tests the records of shares for other programs: their bytes, how they are collected, and which are lost when no
// program reads them.
import t from 'tap';
import { StratumCounters } from '../../../src/stratum/serve/counters.js';
import type { FromStratum } from '../../../src/stratum/serve/messages.js';
import { ShareStream, shareRecordLength, writeShareRecord } from '../../../src/stratum/serve/share-stream.js';
import { SHARE_RESULTS, type ShareRecord } from '../../../src/stratum/session/sink.js';
import { fc } from '../../framework/fast-check.js';
import { readShares, type SeenShare } from '../../framework/share-records.js';

const SHARE: ShareRecord = {
  address: 'bc1q',
  worker: 'rig',
  result: 'stale',
  difficulty: 1024,
  shareDifficulty: 1.5,
  height: 840_000,
  timeMs: 1,
  block: true,
};

function rig() {
  const messages: { bytes: Uint8Array; records: number }[] = [];
  const counters = new StratumCounters();
  const timers: (() => void)[] = [];
  const stream = new ShareStream({
    front: 7,
    counters,
    post: (message: FromStratum) => message.kind === 'shares' && messages.push(message),
    after: (ms, run) => {
      if (ms !== 100) throw new Error(`${ms} ms`);
      timers.push(run);
    },
  });
  const seen = (): SeenShare[] => messages.flatMap(({ bytes }) => readShares(bytes));
  return { stream, messages, counters, timers, seen };
}

t.test('writes a record byte for byte', async (t) => {
  const bytes = Buffer.alloc(shareRecordLength(SHARE) + 1);
  t.equal(writeShareRecord(new DataView(bytes.buffer, bytes.byteOffset), 1, SHARE, 7, 2), 50);
  t.equal(
    bytes.toString('hex'),
    '00' + // in front of it
      '3100' + // 49 bytes
      '07' + // process 7
      '01' + // stale
      '01' + // a block
      '04' + // length of the address
      '40d10c00' + // 840,000
      '0000000000000040' + // number 2
      '000000000000f03f' + // 1 ms
      '0000000000009040' + // 1024
      '000000000000f83f' + // 1.5
      '62633171726967',
  );
});

t.test('collects records for 100 ms, and counts them', async (t) => {
  const { stream, messages, counters, timers, seen } = rig();
  for (const worker of ['a', 'b']) stream.addShare({ ...SHARE, worker, result: 'accepted' });
  t.equal(timers.length, 1);
  t.same(messages, []);
  timers[0]?.();
  t.equal(messages.length, 1);
  t.equal(messages[0]?.records, 2);
  t.match(seen(), [
    { front: 7, result: 0, number: 0, worker: 'a', address: 'bc1q', height: 840_000, block: true },
    { number: 1, worker: 'b' },
  ]);
  timers[0]?.();
  t.equal(messages.length, 1, 'nothing is posted twice');
  stream.addShare(SHARE);
  t.equal(timers.length, 2);
  stream.postMessage();
  t.equal(seen().at(-1)?.number, 2);
  t.equal(counters.get('streamRecords'), 3);
  t.equal(counters.get('streamLost'), 0);
});

t.test('loses records when nobody takes them, refused shares first, and shows the gap in their numbers', async (t) => {
  const { stream, messages, counters, seen } = rig();
  const waiting = (): number => messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const add = (result: ShareRecord['result'], count: number): void => {
    for (let i = 0; i < count; i++) stream.addShare({ ...SHARE, result });
  };
  add('duplicate', 100_000);
  t.ok(waiting() > 2_097_152 && waiting() < 2_150_000, `${waiting()} bytes of refused shares`);
  t.ok(counters.get('streamLost') > 50_000);
  const before = counters.get('streamLost');
  add('accepted', 10_000);
  t.equal(counters.get('streamLost'), before, 'accepted shares have the other half');
  add('accepted', 100_000);
  t.ok(waiting() > 4_194_304 && waiting() < 4_250_000, `${waiting()} bytes`);
  t.equal(counters.get('streamRecords') + counters.get('streamLost'), 210_000);
  t.equal(seen().length, counters.get('streamRecords'));
  stream.onTaken(waiting());
  add('accepted', 1);
  stream.postMessage();
  t.equal(seen().at(-1)?.number, 210_000, 'a reader sees how many are missing');
});

t.test('reads back what it wrote, in messages of at most 16 KiB', async (t) => {
  const text = (maxLength: number) =>
    fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength });
  const share = fc.record({
    address: text(128),
    worker: text(64),
    result: fc.constantFrom(...SHARE_RESULTS),
    difficulty: fc.double({ min: 0, max: 2 ** 60, noNaN: true }),
    shareDifficulty: fc.double({ min: 0, max: 2 ** 60, noNaN: true }),
    height: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    timeMs: fc.integer({ min: 0, max: 2 ** 53 }),
    block: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 300 }), (shares) => {
      const { stream, messages, seen } = rig();
      for (const one of shares) stream.addShare(one);
      stream.postMessage();
      const wanted = shares.map((one, number) => ({ ...one, result: SHARE_RESULTS.indexOf(one.result), number, front: 7 }));
      const sorted = (list: readonly object[]): string => JSON.stringify(list.map((one) => Object.entries(one).sort()));
      if (sorted(seen()) !== sorted(wanted)) throw new Error('other shares');
      if (messages.some(({ bytes }) => bytes.length > 16_384)) throw new Error('a message that is too long');
    }),
    { numRuns: 50 },
  );
  t.pass('as it was');
});
