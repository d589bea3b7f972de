// Tests the figures of the initial download and of new blocks that operators see: speed, share, time left.
import t from 'tap';
import { type BlockStage, BlockTimes } from '../../../src/net/relay/block-times.js';
import { type HeaderPlace, SyncProgress } from '../../../src/net/sync/sync-progress.js';

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;

/** A node with its own clock. There are 1,000 blocks in all, one every ten minutes until NOW. */
function node() {
  const state = {
    nowMs: NOW,
    downloading: true,
    height: 0,
    header: 0,
    presync: null as HeaderPlace | null,
    verified: 0,
    checkpointAge: null as number | null,
  };
  const place = (height: number): HeaderPlace => ({ height, time: NOW / 1000 - (1_000 - height) * 600 });
  const progress = new SyncProgress({
    params: { powTargetSpacing: 600, activity: { time: 1_772_055_173, transactions: 1_315_805_869, rate: 5.4 } },
    downloading: () => state.downloading,
    height: () => state.height,
    bestHeader: () => place(state.header),
    presync: () => state.presync,
    verificationProgress: () => state.verified,
    checkpointAgeSeconds: () => state.checkpointAge,
    nowMs: () => state.nowMs,
  });
  return { state, place, progress };
}

t.test('reports the progress of the header download in the first and second pass', (t) => {
  const { state, place, progress } = node();
  t.equal(progress.tick(), null, 'nothing to say yet');
  state.nowMs += 10_000;
  t.equal(progress.tick(), null, 'nothing moved');
  state.nowMs += 10_000;
  state.presync = place(250);
  t.equal(progress.tick(), 'Pre-synchronizing blockheaders, height: 250 (~25.00%)');
  t.equal(progress.figures().phase, 'presync');
  state.presync = null;
  state.header = 500;
  state.nowMs += 10_000;
  t.match(progress.tick(), /^Synchronizing blockheaders, height: 500 \(~50\.00%\)$/);
  t.equal(progress.figures().phase, 'headers');
  t.ok(Math.abs(progress.figures().headersPerSecond - 500 / 30) < 0.01);
  t.equal(progress.figures().secondsLeft, null, 'no block came yet');
  t.end();
});

t.test('reports block progress by height, or by transactions where their number is known', (t) => {
  const { state, progress } = node();
  state.header = 1_000;
  progress.tick();
  for (let i = 0; i < 20; i++) {
    state.nowMs += 10_000;
    state.height += 20;
    progress.tick();
  }
  const { phase, blocksPerSecond, blocksProgress, secondsLeft } = progress.figures();
  t.equal(phase, 'blocks');
  t.ok(Math.abs(blocksPerSecond - 2) < 0.01, 'two a second');
  t.equal(blocksProgress, 0.4);
  t.ok(Math.abs((secondsLeft as number) - 300) < 1, '600 blocks to go');
  state.nowMs += 10_000;
  state.height += 20;
  t.match(progress.tick(), /^Synchronizing blocks, height: 420 of 1000 \(~42\.00%\), 2\.0 blocks\/s, 5 min left$/);
  state.nowMs += 10_000;
  state.height += 20;
  state.checkpointAge = 34.5;
  t.match(progress.tick(), / left, last checkpoint 35 s ago$/, 'the download engine is running');
  state.checkpointAge = null;
  // Recent blocks have most of the transactions, so the same height is now a smaller share of them.
  state.verified = 0.1;
  state.nowMs += HOUR;
  progress.tick();
  state.verified = 0.2;
  state.nowMs += 10_000;
  state.height += 20;
  t.match(progress.tick(), /\(~20\.00%\), .* left$/);
  state.downloading = false;
  t.equal(progress.tick(), null);
  t.match(progress.figures(), { phase: 'done', headersProgress: 1, blocksProgress: 1, secondsLeft: 0 });
  t.end();
});

t.test('measures each stage of a block once, from its first announcement', (t) => {
  let nowMs = 1_000;
  const seen: [BlockStage, number][] = [];
  const times = new BlockTimes(
    () => nowMs,
    (stage, seconds) => seen.push([stage, seconds]),
  );
  const hash = (n: number): Uint8Array => new Uint8Array(32).fill(n);
  times.noteReached(hash(1), 'tip');
  t.same(seen, [], 'the block was not announced');
  times.noteAnnounced(hash(2), 900);
  times.noteAnnounced(hash(2), 950);
  times.noteReached(hash(2), 'block');
  nowMs = 1_200;
  times.noteReached(hash(2), 'tip');
  times.noteReached(hash(2), 'tip');
  t.same(seen, [
    ['block', 0.1],
    ['tip', 0.3],
  ]);
  for (let n = 10; n < 110; n++) times.noteAnnounced(hash(n), 0);
  times.noteReached(hash(2), 'template');
  t.equal(seen.length, 2, 'the oldest are forgotten');
  t.end();
});
