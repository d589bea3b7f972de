// Tests -maxuploadtarget. The node reserves four million bytes of a day's upload for each ten minutes that remain of
// the day (Core's OutboundTargetReached). Old blocks are served again the next day.
import t from 'tap';
import { UploadTarget } from '../../../src/net/sync/upload-target.js';

const NOW = 1_700_000_000;

function target(bytes: number) {
  const clock = { now: NOW };
  return { clock, upload: new UploadTarget(bytes, () => clock.now, 600) };
}

t.test('reserves fewer bytes for new blocks as the day of -maxuploadtarget passes', async (t) => {
  const { clock, upload } = target(1_000_000_000);
  upload.addSent(0);
  t.equal(upload.secondsLeft, 86_400);
  upload.addSent(423_999_999);
  t.equal(upload.historicalReached, false, '144 blocks of 4 MB are reserved: 576 MB');
  upload.addSent(1);
  t.equal(upload.historicalReached, true);
  clock.now += 599;
  t.equal(upload.historicalReached, false, '143 blocks: 572 MB');
  upload.addSent(3_999_999);
  t.equal(upload.historicalReached, false);
  upload.addSent(1);
  t.equal(upload.historicalReached, true);
  clock.now = NOW + 85_801;
  t.equal(upload.secondsLeft, 599);
  upload.addSent(571_999_999);
  t.equal(upload.historicalReached, false, 'nothing is reserved in the last ten minutes');
  t.same([upload.reached, upload.bytesLeft], [false, 1]);
  upload.addSent(1);
  t.same([upload.reached, upload.historicalReached, upload.bytesLeft], [true, true, 0]);
  clock.now = NOW + 86_400;
  upload.addSent(0);
  t.equal(upload.reached, true, 'the day is over after its last second');
  clock.now++;
  upload.addSent(5);
  t.same([upload.reached, upload.bytesLeft, upload.secondsLeft], [false, 999_999_995, 86_400]);
});

t.test('serves no old blocks when new blocks may use up the whole upload target', async (t) => {
  const small = target(576_000_000).upload;
  small.addSent(0);
  t.same([small.historicalReached, small.reached], [true, false], 'old blocks are never served');
  const larger = target(576_000_001).upload;
  larger.addSent(0);
  t.equal(larger.historicalReached, false);
  larger.addSent(1);
  t.equal(larger.historicalReached, true);
});

t.test('reports no limit without an upload target', async (t) => {
  const { upload } = target(0);
  upload.addSent(1e12);
  t.same([upload.historicalReached, upload.reached, upload.bytesLeft, upload.secondsLeft], [false, false, 0, 0]);
});
