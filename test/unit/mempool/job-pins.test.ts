// Tests transactions of declared jobs: they are kept for a time, for two blocks, and within limits.
import t from 'tap';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { JobPins } from '../../../src/mempool/job-pins.js';
import { input, makeTx, output } from '../../framework/law-blocks.js';

const hashes = createPureHashes();
let next = 0;
const tx = (bytes = 10): TxView =>
  makeTx(hashes, { inputs: [input(new Uint8Array(32).fill(1), next++)], outputs: [output(1, new Uint8Array(bytes))] });
const at = (now: number, height: number, seconds = 600) => ({ now, seconds, height });

t.test('holds transactions until their time is over or two blocks later', async (t) => {
  const pins = new JobPins();
  const [a, b] = [tx(), tx()];
  t.equal(pins.pin('x', [a], at(1000, 10)), 1);
  t.equal(pins.pin('x', [a, b], at(1100, 10)), 2, 'a second call adds, and restarts the time');
  t.same(pins.get(a.wtxid)?.bytes, a.bytes);
  t.not(pins.get(a.wtxid), a, 'a copy');
  t.same(pins.figures, { jobs: 1, bytes: a.totalSize + b.totalSize });
  pins.expire(1699, 11);
  t.ok(pins.get(b.wtxid));
  pins.expire(1700, 11);
  t.equal(pins.get(b.wtxid), undefined);
  t.same(pins.figures, { jobs: 0, bytes: 0 });
  pins.pin('y', [a], at(2000, 20));
  pins.expire(2001, 21);
  t.ok(pins.get(a.wtxid));
  pins.expire(2001, 22);
  t.equal(pins.get(a.wtxid), undefined);
});

t.test('holds at most 64 jobs and 64 MB, and drops the oldest first', async (t) => {
  const pins = new JobPins();
  const many = Array.from({ length: 70 }, () => tx());
  for (const [i, one] of many.entries()) pins.pin(`job ${i}`, [one], at(0, 1));
  t.equal(pins.figures.jobs, 64);
  t.equal(pins.get(many[0]!.wtxid), undefined, 'the oldest ones went');
  t.ok(pins.get(many[69]!.wtxid));
  const large = Array.from({ length: 7 }, () => tx(10_000_000));
  t.equal(pins.pin('large', large, at(0, 1)), 6, 'no job is larger than 64 MB');
  t.ok(pins.figures.bytes <= 64_000_000, `${pins.figures.bytes} bytes`);
  t.ok(pins.get(large[0]!.wtxid), 'earlier jobs were dropped');
});
