// Four nodes, nightly two as well: sync from zero, a flood of transactions, a partition, a reorganisation. Eight of them
// are test/mesh's.
import t from 'tap';
import { nightlyTest, rounds } from '../framework/depth.js';
import { runMesh } from '../mesh/mesh-run.js';

// 2,100 headers take more than one message.
nightlyTest('two nodes agree after a reorganisation of 200 blocks', async (t) => {
  const report = await runMesh({ nodes: 2, blocks: 2_100, transactions: 200, reorg: 200 });
  t.strictSame(report.faults, []);
  t.equal(report.height, 2_100 + 200 + 1 + 1);
  t.equal(report.left, 100, 'what the losing half alone had mined is back in every mempool');
});

t.test('agrees on four nodes after a flood and a partition', async (t) => {
  const transactions = rounds(200, 1_000);
  const report = await runMesh({ nodes: 4, blocks: 150, transactions, reorg: 10 });
  t.strictSame(report.faults, []);
  t.equal(report.height, 150 + 10 + 1 + 1);
  t.equal(report.left, transactions / 2);
});
