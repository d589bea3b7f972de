// Tests read jobs over real block files that are damaged or deleted before the job runs.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { COMPATS } from '../../../src/policy/compat.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import { parametersOf } from '../../../src/rpc/declare/parameters.js';
import { blockRead } from '../../../src/rpc/node/read-facts.js';
import { NODE_RUNS } from '../../../src/rpc/node/runs.js';
import { type BlockJob, encodeReadJob, PendingRead, type ReadJob } from '../../../src/rpc/reads/read-job.js';
import { createJobRunner } from '../../../src/rpc/reads/render-job.js';
import { ANYONE, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto, type FixtureOptions, openFixture } from '../../framework/chain-fixture.js';
import { serializeTx } from '../../framework/messages.js';
import { openExecutor } from './executor-fixture.js';

/** Opens a chain of a few blocks, and returns a job for its tip with the function that runs it. */
async function open(t: Test, options: FixtureOptions = {}) {
  const fixture = await openFixture({ fileSizes: { xor: false }, ...options });
  t.teardown(() => fixture.end());
  for (const block of buildChain(GENESIS, 3)) await fixture.chain.commands.submitBlock(block.bytes);
  const { context } = openExecutor(fixture, new Map(), COMPATS['31']);
  const node = fixture.chain.view.tip;
  const { compat, params, descriptors } = context;
  const run = createJobRunner({ compat, params, hashes: crypto, crypto, descriptors });
  const { job } = blockRead(context, node, 1);
  return { dir: context.blocks.blockFolder.dir, node, run: () => run(encodeReadJob(job)) };
}

t.test('reports a block that cannot be decoded as missing, and says in the log what to do', async (t) => {
  const { dir, node, run } = await open(t);
  t.ok('parts' in run());
  const fd = openSync(join(dir, 'blk00000.dat'), 'r+');
  writeSync(fd, Buffer.alloc(16, 0xff), 0, 16, node.blockPos + 80);
  closeSync(fd);
  t.match(run(), { code: -1, message: 'Block not found on disk', log: /^ERROR: .* Start with -reindex/ });
});

t.test('encodes jobs as JSON.stringify() does', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  for (const block of buildChain(GENESIS, 3)) await fixture.chain.commands.submitBlock(block.bytes);
  const { context } = openExecutor(fixture, new Map(), COMPATS['31']);
  const { view } = fixture.chain;
  const jobs = [0, 1, 3].map((height) => blockRead(context, view.atHeight(height)!, height).job);
  const [, first] = jobs as BlockJob[];
  const other = { ...first, undo: 'AAEC', block: { ...first.block, dir: '/a "b"', xor: '00ff', prunes: true } };
  for (const job of [...jobs, other, first]) t.equal(encodeReadJob(job), JSON.stringify(job));
  const filter: ReadJob = { kind: 'filter', filter: 'AAEC', header: 'ab'.repeat(32) };
  t.equal(encodeReadJob(filter), JSON.stringify(filter));
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

t.test('decodes long arguments in a job, with the results and errors of short ones', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { call, fault, context } = openExecutor(fixture);
  const isJob = (method: string, text: string): boolean => {
    const params = parametersOf(METHODS.get(method)!, [text]);
    return NODE_RUNS[method](params as never, context, { user: '', path: '/' }) instanceof PendingRead;
  };
  const hexOf = (outputs: number): string => {
    const paid = Array.from({ length: outputs }, (_, i) => ({ value: i, script: ANYONE }));
    return serializeTx(spend([reward(buildChain(GENESIS, 1)[0])], paid)).toString('hex');
  };
  const output = { n: 7, value: 0.00000007, scriptPubKey: { asm: '1', hex: '51', type: 'nonstandard' } };
  for (const [count, long] of [
    [8, false],
    [2000, true],
  ] as const) {
    const hex = hexOf(count);
    t.equal(isJob('decoderawtransaction', hex), long);
    const { vout, size } = (await call('decoderawtransaction', hex)) as { vout: unknown[]; size: number };
    t.equal(vout.length, count);
    t.same(vout[7], output);
    t.equal(size, hex.length / 2);
    t.equal(await fault('decoderawtransaction', `${hex}00`), '-22 TX decode failed');
    t.equal(await fault('decodepsbt', 'A'.repeat(4 * count * 4)), '-22 TX decode failed Invalid PSBT magic bytes: iostream error');
    const psbt = (await call('converttopsbt', hex, true)) as string;
    t.equal(isJob('decodepsbt', psbt), long);
    t.match(await call('decodepsbt', psbt), { inputs: [{}], outputs: { length: count }, tx: { size: hex.length / 2 } });
    t.same(await call('analyzepsbt', psbt), { inputs: [{ has_utxo: false, is_final: false, next: 'updater' }], next: 'updater' });
    t.match(await call('finalizepsbt', psbt), { complete: false, psbt });
    t.equal(await call('combinepsbt', [psbt, psbt]), psbt);
    t.match(await fault('joinpsbts', [psbt, psbt]), /^-8 Input .* exists in multiple PSBTs$/);
  }
});
