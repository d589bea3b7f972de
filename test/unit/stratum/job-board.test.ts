// Tests which jobs are accepted, and for how long.
import t from 'tap';
import { isNewer } from '../../../src/stratum/work/job-board.js';
import { NOW_MS, NOW_SECONDS, stratumWorld, TEMPLATE, TIP } from '../../framework/stratum-world.js';

const NEXT = { ...TIP, prevHash: Buffer.alloc(32, 9), headerTimestamp: NOW_SECONDS + 600 };

t.test('numbers jobs one after the other, in eight digits', async (t) => {
  const { board } = stratumWorld();
  t.equal(board.current, null);
  t.equal(board.renew(NOW_MS), null, 'without a tip there is no job');
  t.equal(board.newTemplate(TEMPLATE, NOW_MS), null);
  t.equal(board.newTip(TIP, TEMPLATE, NOW_MS).id, '0a0b0c0d');
  t.equal(board.newTemplate(TEMPLATE, NOW_MS)?.id, '0a0b0c0e');
  t.equal(board.renew(NOW_MS)?.id, '0a0b0c0f');
  t.equal(board.current?.id, '0a0b0c0f');
  t.equal(board.get('0A0B0C0D', NOW_MS)?.id, '0a0b0c0d', 'some firmware returns capitals');
  t.equal(board.get('0a0b0c10', NOW_MS), null);
});

t.test('keeps the jobs of the tip, and those of the tip before for a minute', async (t) => {
  const { board } = stratumWorld();
  const first = board.newTip(TIP, TEMPLATE, NOW_MS);
  t.equal(board.get(first.id, NOW_MS + 7_200_000), first);
  t.ok(board.isCurrent(first));
  const second = board.newTip(NEXT, TEMPLATE, NOW_MS + 1000);
  t.notOk(board.isCurrent(first));
  t.ok(board.isCurrent(second));
  t.equal(board.get(first.id, NOW_MS + 60_999), first);
  t.equal(board.get(first.id, NOW_MS + 61_000), null);
  board.newTip(TIP, TEMPLATE, NOW_MS + 2000);
  t.equal(board.get(first.id, NOW_MS + 2000), null, 'the tip before the last');
  t.equal(board.get(second.id, NOW_MS + 2000), second);
});

t.test('withdraws all work', async (t) => {
  const { board } = stratumWorld();
  const job = board.newTip(TIP, TEMPLATE, NOW_MS);
  board.hold(NOW_MS);
  t.equal(board.current, null);
  t.notOk(board.isCurrent(job));
  t.equal(board.freshJob(0, NOW_MS), null);
  t.equal(board.get(job.id, NOW_MS), job, 'it may still be a block');
});

t.test('keeps 256 jobs of a tip', async (t) => {
  const { board } = stratumWorld();
  const first = board.newTip(TIP, TEMPLATE, NOW_MS);
  for (let i = 0; i < 255; i++) board.renew(NOW_MS);
  t.equal(board.get(first.id, NOW_MS), first);
  board.renew(NOW_MS);
  t.equal(board.get(first.id, NOW_MS), null);
  t.equal(board.size, 256);
});

t.test('follows the clock of the node, and never goes below the least time', async (t) => {
  const { board } = stratumWorld();
  const ahead = 5_000_000;
  t.equal(board.newTip({ ...TIP, headerTimestamp: NOW_SECONDS + ahead }, TEMPLATE, NOW_MS).time, NOW_SECONDS + ahead);
  t.equal(board.renew(NOW_MS + 30_000)?.time, NOW_SECONDS + ahead + 30);
  t.equal(board.nodeSeconds(NOW_MS + 31_500), NOW_SECONDS + ahead + 31);
  t.equal(board.newTip({ ...TIP, minTime: NOW_SECONDS + 9 }, TEMPLATE, NOW_MS).time, NOW_SECONDS + 9);
});

t.test('shares fresh jobs, one a second', async (t) => {
  const { board } = stratumWorld();
  const first = board.newTip(TIP, TEMPLATE, NOW_MS);
  const fresh = board.freshJob(first.number, NOW_MS);
  t.equal(fresh?.number, first.number + 1);
  t.equal(board.freshJob(first.number, NOW_MS), fresh, 'for another session the same');
  t.equal(board.freshJob(first.number + 1, NOW_MS + 999), null);
  t.equal(board.freshJob(first.number + 1, NOW_MS + 1000)?.number, first.number + 2);
});

t.test('compares job numbers over their wrap', async (t) => {
  t.ok(isNewer(2, 1));
  t.notOk(isNewer(1, 1));
  t.notOk(isNewer(1, 2));
  t.ok(isNewer(0, 0xffffffff));
  t.notOk(isNewer(0xffffffff, 0));
});
