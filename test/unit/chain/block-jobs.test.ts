// States of a block in download, and the table that counts the blocks in memory.
import t from 'tap';
import { BlockJobs } from '../../../src/chain/download/block-jobs.js';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import type { BlockView } from '../../../src/consensus/block/block-view.js';

const results = { coinsRead: Promise.resolve(0), outputsLack: Promise.resolve(true), scriptsPass: Promise.resolve(true) };
const nodeAt = (height: number): HeaderNode => ({ height, hashHex: `block ${height}` }) as unknown as HeaderNode;
const blockOf = (totalSize: number): BlockView => ({ totalSize }) as unknown as BlockView;

t.test('moves a block through its states in order only', async (t) => {
  const jobs = new BlockJobs();
  const node = nodeAt(1);
  const job = jobs.receive(node, blockOf(100));
  t.throws(() => job.moveTo({ kind: 'stored' }), { message: 'Block block 1 cannot become stored: it is received' });
  t.throws(() => job.moveTo({ kind: 'connected' }), /cannot become connected/);
  job.moveTo({ kind: 'identified' });
  t.throws(() => job.moveTo({ kind: 'queued', scripts: true, flags: 0, inputs: 0 }), /cannot become queued: it is identified/);
  t.same(
    [jobs.storing, jobs.stored],
    [
      { blocks: 1, bytes: 100 },
      { blocks: 0, bytes: 0 },
    ],
  );
  jobs.store(job, 0);
  t.same(
    [jobs.storing, jobs.stored],
    [
      { blocks: 0, bytes: 0 },
      { blocks: 1, bytes: 100 },
    ],
  );
  t.throws(() => job.moveTo({ kind: 'prefetched', results }), /cannot become prefetched: it is stored/);
  job.moveTo({ kind: 'queued', scripts: true, flags: 0, inputs: 0 });
  job.moveTo({ kind: 'prefetched', results });
  jobs.release(job);
  t.equal(job.state.kind, 'stored', 'a held block stays in memory');
  job.moveTo({ kind: 'queued', scripts: true, flags: 0, inputs: 0 });
  job.moveTo({ kind: 'prefetched', results });
  job.moveTo({ kind: 'connecting' });
  t.equal(jobs.find(node), job);
  jobs.judge(node, 'connected');
  t.equal(jobs.find(node), undefined);
  t.ok(job.ended);
  t.throws(() => job.moveTo({ kind: 'stored' }), /cannot become stored: it is connected/);
  t.same(jobs.stored, { blocks: 0, bytes: 0 });
});

t.test('does not count a block that was read from the files, and drops it when the prefetcher returns it', async (t) => {
  const jobs = new BlockJobs();
  const job = jobs.adopt(nodeAt(1), blockOf(100));
  t.equal(job.state.kind, 'stored');
  t.same(jobs.stored, { blocks: 0, bytes: 0 });
  job.moveTo({ kind: 'queued', scripts: false, flags: 0, inputs: 0 });
  jobs.release(job);
  t.equal(job.state.kind, 'dropped');
  jobs.release(job);
  t.equal(jobs.find(job.node), undefined);
});

t.test('leaves the job of a block that arrives again while it is judged', async (t) => {
  const jobs = new BlockJobs();
  const job = jobs.receive(nodeAt(1), blockOf(100));
  jobs.judge(job.node, 'connected');
  t.equal(job.state.kind, 'received');
  const again = jobs.receive(job.node, blockOf(50));
  t.same([job.state.kind, jobs.find(job.node) === again, jobs.storing], ['dropped', true, { blocks: 1, bytes: 50 }]);
});

t.test('drops stored blocks at or below the tip, then new ones, when the memory is full', async (t) => {
  const jobs = new BlockJobs();
  const store = (height: number, size: number): string => {
    const job = jobs.receive(nodeAt(height), blockOf(size));
    job.moveTo({ kind: 'identified' });
    jobs.store(job, 5);
    return job.state.kind;
  };
  t.equal(store(4, 16 << 20), 'stored');
  t.equal(store(6, 16 << 20), 'stored');
  t.equal(store(7, 1), 'stored', 'block 4 left memory');
  t.same(jobs.stored, { blocks: 2, bytes: (16 << 20) + 1 });
  t.equal(store(8, 16 << 20), 'dropped', 'no block at or below the tip is left');
  t.same(
    [jobs.stored, jobs.storing],
    [
      { blocks: 2, bytes: (16 << 20) + 1 },
      { blocks: 0, bytes: 0 },
    ],
  );
});
