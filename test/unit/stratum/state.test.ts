// Tests small parts of a session's state: the shares it has received, the difficulties it was sent; and options that
// are texts.
import t from 'tap';
import { STRATUM_WORK_ROWS } from '../../../src/stratum/options.js';
import { parseTag, parseVersionMask } from '../../../src/stratum/session/context.js';
import { SeenShares } from '../../../src/stratum/session/seen-shares.js';
import { SentDifficulties } from '../../../src/stratum/session/sent-difficulties.js';

/** Makes a hash that begins with this number. */
const hash = (number: number): Buffer => {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(number);
  return bytes;
};

t.test('knows a share by any of the 52 low bits of its hash', async (t) => {
  const seen = new SeenShares();
  seen.add(Buffer.alloc(32), 1);
  for (let bit = 0; bit < 52; bit++) {
    const other = Buffer.alloc(32);
    other[bit >> 3] = 1 << (bit & 7);
    t.notOk(seen.has(other), `bit ${bit}`);
    seen.add(other, 1);
    t.ok(seen.has(other), `bit ${bit}`);
  }
});

t.test('remembers 2,048 shares, and forgets the jobs of older ones', async (t) => {
  const seen = new SeenShares();
  for (let i = 0; i < 2048; i++) seen.add(hash(i), 100 + Math.floor(i / 1024));
  t.ok(seen.has(hash(0)));
  t.notOk(seen.isForgotten(100));
  seen.add(hash(9000), 102);
  t.notOk(seen.has(hash(0)));
  t.ok(seen.has(hash(1)));
  t.ok(seen.isForgotten(100), 'another copy of the share would not be noticed');
  t.ok(seen.isForgotten(99));
  t.notOk(seen.isForgotten(101));
  // Shares of two jobs may come in any order.
  for (let i = 0; i < 1024; i++) seen.add(hash(10_000 + i), 103);
  t.ok(seen.isForgotten(101));
  t.notOk(seen.isForgotten(102));
  seen.clear();
  t.notOk(seen.has(hash(10_000)));
  t.ok(seen.isForgotten(101), 'for the rest of the session');
});

t.test('finds the difficulty that a job was sent with', async (t) => {
  const sent = new SentDifficulties();
  t.equal(sent.last, 0);
  sent.add(10, 64);
  t.equal(sent.of(9), 64, 'a job of before the first');
  t.equal(sent.of(10), 64);
  t.equal(sent.of(11), 64);
  sent.add(12, 256);
  t.same(
    [10, 11, 12, 13].map((job) => sent.of(job)),
    [64, 64, 256, 256],
  );
  sent.add(14, 128);
  t.same(
    [11, 12, 13, 14].map((job) => sent.of(job)),
    [64, 128, 128, 128],
    'the last one if that is lower',
  );
});

t.test('keeps sixteen changes of difficulty', async (t) => {
  const sent = new SentDifficulties();
  for (let i = 0; i < 16; i++) sent.add(i, 1000 + i);
  t.equal(sent.of(0), 1000);
  sent.add(16, 1016);
  t.equal(sent.of(0), 1001, 'the oldest that is known');
});

t.test('reads the tag and the mask, and names the option if they are wrong', async (t) => {
  t.same(parseTag('/my node/'), Buffer.from('/my node/'));
  t.same(parseTag(''), new Uint8Array(0));
  t.equal(parseTag('x'.repeat(40)).length, 40);
  for (const bad of ['x'.repeat(41), 'a\nb', 'é']) t.throws(() => parseTag(bad), { message: /^-stratumtag: / });
  t.equal(parseVersionMask('1fffe000'), 0x1fffe000);
  t.equal(parseVersionMask('1FFFFFE0'), 0x1fffffe0);
  t.equal(parseVersionMask('1fffffff'), 0x1fffffff);
  t.equal(parseVersionMask('00000000'), 0);
  for (const bad of ['', '20000000', 'ffffffff', '1fffe00', 'xxxxxxxx', '01fffe000']) {
    t.throws(() => parseVersionMask(bad), { message: /^-stratumversionmask: / }, bad);
  }
  t.equal(parseTag(STRATUM_WORK_ROWS.tag[3]).length, 4, 'the defaults are good');
  t.equal(parseVersionMask(STRATUM_WORK_ROWS.versionMask[3]), 0x1fffe000);
});
