// Tests read jobs over real block files that are damaged or deleted before the job runs.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { COMPATS } from '../../../src/policy/compat.js';
import { blockRead } from '../../../src/rpc/node/read-facts.js';
import { createJobRunner } from '../../../src/rpc/reads/render-job.js';
import { buildChain, GENESIS } from '../../framework/chain-builder.js';
import { crypto, type FixtureOptions, openFixture } from '../../framework/chain-fixture.js';
import { openExecutor } from './executor-fixture.js';

/** Opens a chain of a few blocks, and returns a job for its tip with the function that runs it. */
async function open(t: Test, options: FixtureOptions = {}) {
  const fixture = await openFixture({ fileSizes: { xor: false }, ...options });
  t.teardown(() => fixture.end());
  for (const block of buildChain(GENESIS, 3)) await fixture.chain.commands.submitBlock(block.bytes);
  const { context } = openExecutor(fixture, new Map(), COMPATS['31']);
  const node = fixture.chain.view.tip;
  const { compat, params, descriptors } = context;
  const run = createJobRunner({ compat, params, hashes: crypto, descriptors });
  const { job } = blockRead(context, node, 1);
  return { dir: context.blocks.blockFolder.dir, node, run: () => run(JSON.stringify(job)) };
}

t.test('reports a block that cannot be decoded as missing, and says in the log what to do', async (t) => {
  const { dir, node, run } = await open(t);
  t.ok('parts' in run());
  const fd = openSync(join(dir, 'blk00000.dat'), 'r+');
  writeSync(fd, Buffer.alloc(16, 0xff), 0, 16, node.blockPos + 80);
  closeSync(fd);
  t.match(run(), { code: -1, message: 'Block not found on disk', log: /^ERROR: .* Start with -reindex/ });
});

t.test('reports a block as pruned if its file was deleted by the first pruning', async (t) => {
  const pruned = { code: -1, message: 'Block not available (pruned data)', log: null };
  const { dir, run } = await open(t, { prune: { targetBytes: Number.POSITIVE_INFINITY, afterHeight: 0 } });
  rmSync(join(dir, 'blk00000.dat'));
  t.match(run(), pruned);
});

t.test('reports a deleted file of a node that never prunes as missing', async (t) => {
  const { dir, run } = await open(t);
  rmSync(join(dir, 'blk00000.dat'));
  t.match(run(), { code: -1, message: 'Block not found on disk', log: /^ERROR: / });
});
