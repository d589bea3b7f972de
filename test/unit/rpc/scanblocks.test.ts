// Tests scanblocks and getdescriptoractivity over a chain whose filters are known.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BasicFilterBuilder } from '../../../src/filters/basic-filter.js';
import { filterSearch } from '../../../src/node/rpc-context.js';
import { inlineFilterSearch } from '../../../src/parallel/filter-matcher.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { runCoinJob } from '../../../src/rpc/node/run-coin-job.js';
import { createJobWords } from '../../../src/rpc/reads/coin-job.js';
import { ScanSize } from '../../../src/rpc/reads/scan-job.js';
import { encodeCoin } from '../../../src/storage/codec/coin.js';
import { ANYONE, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { openFixture } from '../../framework/chain-fixture.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { turnsDuring } from '../../framework/turns.js';
import { openExecutor, type TestExecutor } from './executor-fixture.js';

const display = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
const SCRIPT = Buffer.from('52', 'hex');
const WANTED = [`raw(${SCRIPT.toString('hex')})`];

t.test('scanblocks and getdescriptoractivity find payments and spends of descriptors', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 103);
  const pays = spend(
    [reward(blocks[0])],
    [
      { value: 1_000_000_000, script: SCRIPT },
      { value: 3_900_000_000, script: ANYONE },
    ],
  );
  blocks.push(buildBlock(blocks[102], { txs: [pays], fees: 100_000_000 }));
  const spends = spend([{ ...reward(blocks[103]), txid: blocks[103].txids[1], index: 0 }], [{ value: 900_000_000, script: ANYONE }]);
  blocks.push(buildBlock(blocks[103], { txs: [spends], fees: 100_000_000 }));
  for (const block of blocks) t.equal((await chain.commands.submitBlock(block.bytes)).kind, 'accepted');
  const [paying, spending] = blocks.slice(103);

  const filters = new Map<string, Uint8Array>();
  for (let height = 0; height <= 105; height++) {
    const node = chain.view.atHeight(height)!;
    const builder = new BasicFilterBuilder(node.hash);
    for (const tx of (await chain.blocks.readBlock(node)).txs) for (let o = 0; o < tx.outputCount; o++) builder.output(tx.outputScript(o));
    for (const coins of await chain.blocks.readUndo(node)) for (const coin of coins) builder.spent(coin.script);
    filters.set(node.hashHex, builder.finish());
  }
  const find = async (hash: Uint8Array) => {
    const filter = filters.get(display(hash));
    return filter && { filter, header: hash };
  };
  const executor = (name: 'default' | '0.21.1' = 'default'): TestExecutor =>
    openExecutor(fixture, new Map(), COMPATS[name], {
      filterIndex: {
        state: { name: 'basic block filter index', synced: true, height: 105, waitUntilSynced: async () => true },
        find,
        heads: async () => [],
        search: filterSearch({ findAll: (hashes) => Promise.all(hashes.map(find)) }, inlineFilterSearch),
      },
    });
  const { call, fault } = executor();

  t.test('scanblocks finds the blocks whose filters match the descriptors', async (t) => {
    const found = [paying.hashHex, spending.hashHex];
    t.same(await call('scanblocks', 'start', WANTED), { from_height: 0, to_height: 105, relevant_blocks: found, completed: true });
    const certain = { filter_false_positives: true };
    t.match(await call('scanblocks', 'start', WANTED, 0, 105, 'basic', certain), { relevant_blocks: found, completed: true });
    t.match(await call('scanblocks', 'start', WANTED, 105), { from_height: 105, relevant_blocks: [spending.hashHex] });
    t.match(await call('scanblocks', 'start', WANTED, 3, 104), { to_height: 104, relevant_blocks: [paying.hashHex] });
    // A filter that contains a script which its block does not contain.
    const innocent = chain.view.atHeight(50)!;
    const honest = filters.get(innocent.hashHex)!;
    const builder = new BasicFilterBuilder(innocent.hash);
    builder.output(SCRIPT);
    filters.set(innocent.hashHex, builder.finish());
    t.match(await call('scanblocks', 'start', WANTED, 40, 60), { relevant_blocks: [innocent.hashHex] });
    t.match(await call('scanblocks', 'start', WANTED, 40, 60, 'basic', certain), { relevant_blocks: [] });
    // Without a filter the scan ends there and reports it.
    filters.delete(innocent.hashHex);
    t.match(await call('scanblocks', 'start', WANTED), { to_height: 49, relevant_blocks: [], completed: false });
    t.match(await call('scanblocks', 'start', WANTED, 50, 50), { to_height: 50, relevant_blocks: [], completed: false });
    filters.set(innocent.hashHex, honest);
    t.match(await call('scanblocks', 'start', WANTED, 50, 50), { to_height: 50, relevant_blocks: [], completed: true });

    t.equal(await call('scanblocks', 'status'), null);
    t.equal(await call('scanblocks', 'abort'), false);
    const running = call('scanblocks', 'start', WANTED);
    t.same(await call('scanblocks', 'status'), { progress: 0, current_height: 0 });
    t.equal(await fault('scanblocks', 'start', WANTED), '-8 Scan already in progress, use action "abort" or "status"');
    t.equal(await call('scanblocks', 'abort'), true);
    t.match(await running, { completed: false, relevant_blocks: [] });
    const single = call('scanblocks', 'start', WANTED, 105, 105);
    t.equal(await call('scanblocks', 'abort'), true);
    t.match(await single, { completed: false, relevant_blocks: [] }, 'a scan of one block was stopped before it');

    const stopped = executor();
    const interrupted = stopped.fault('scanblocks', 'start', WANTED);
    stopped.stopping.abort();
    t.equal(await interrupted, '-9 Shutting down');

    const closing = executor();
    closing.context.scanJobs.findActivity = () => {
      closing.stopping.abort();
      return Promise.reject(new Error('The render threads are closed'));
    };
    t.equal(await closing.fault('scanblocks', 'start', WANTED, 0, 105, 'basic', certain), '-9 Shutting down', 'whose threads were closed');

    for (const [args, text] of [
      [['x'], "-8 Invalid action 'x'"],
      [['start'], '-1 scanobjects argument is required for the start action'],
      [['start', WANTED, 106], '-1 Invalid start_height'],
      [['start', WANTED, -1], '-1 Invalid start_height'],
      [['start', WANTED, 5, 4], '-1 Invalid stop_height'],
      [['start', WANTED, 0, 1, 'fancy'], '-5 Unknown filtertype'],
      [['start', [{ desc: 5 }]], '-3 JSON value of type number is not of expected type string'],
      [['start', [5]], '-8 Scan object needs to be either a string or an object'],
    ] as const)
      t.equal(await fault('scanblocks', ...args), text);
    t.equal(await openExecutor(fixture).fault('scanblocks', 'start', WANTED), '-32601 Method not found', 'not in 0.21.1');
    const bare = openExecutor(fixture, new Map(), COMPATS.default);
    t.equal(await bare.fault('scanblocks', 'start', WANTED), '-1 Index is not enabled for filtertype basic');
  });

  t.test('getdescriptoractivity lists receipts and spends in blocks and in the mempool', async (t) => {
    const all = (await call('getdescriptoractivity', [spending.hashHex, paying.hashHex, spending.hashHex], WANTED)) as {
      activity: object[];
    };
    t.match(all.activity, [
      { type: 'receive', amount: 10, blockhash: paying.hashHex, height: 104, txid: display(paying.txids[1]), vout: 0 },
      {
        type: 'spend',
        amount: 10,
        blockhash: spending.hashHex,
        height: 105,
        spend_txid: display(spending.txids[1]),
        spend_vin: 0,
        prevout_txid: display(paying.txids[1]),
        prevout_vout: 0,
        prevout_spk: { hex: SCRIPT.toString('hex') },
      },
    ]);
    t.equal(all.activity.length, 2);
    t.same(await call('getdescriptoractivity', [], WANTED, false), { activity: [] });
    t.same(await call('getdescriptoractivity', [blocks[5].hashHex], WANTED, false), { activity: [] });
    t.equal(await fault('getdescriptoractivity', ['ab'.repeat(32)], WANTED), '-5 Block not found');
    const side = buildBlock(blocks[100], { tag: 9 });
    await chain.commands.submitBlock(side.bytes);
    t.equal(await fault('getdescriptoractivity', [side.hashHex], WANTED), '-8 Block is not in main chain');
    const often = new Array(1000).fill(spending.hashHex);
    const turns = await turnsDuring(() => call('getdescriptoractivity', often, WANTED, false));
    t.ok(turns > 400, `a thousand hashes take ${turns} turns`);
  });

  t.test('getdescriptoractivity shows a block as it was asked for, although a reorganisation replaces it meanwhile', async (t) => {
    const { context } = executor();
    const rival = buildChain(blocks[103], 3, { tag: 7 });
    const replaced = openExecutor(fixture, new Map(), COMPATS.default, {
      scanJobs: {
        ...context.scanJobs,
        findActivity: async (job) => {
          for (const block of rival) await chain.commands.submitBlock(block.bytes);
          return context.scanJobs.findActivity(job);
        },
      },
    });
    const [first, second] = [paying.hashHex, spending.hashHex];
    t.match(await replaced.call('getdescriptoractivity', [second], WANTED, false), { activity: [{ type: 'spend', blockhash: second }] });
    t.equal(await fault('getdescriptoractivity', [second], WANTED, false), '-8 Block is not in main chain');
    t.match(await call('getdescriptoractivity', [first], WANTED, false), { activity: [{ type: 'receive', blockhash: first }] });
    await chain.commands.invalidateBlock(chain.view.node(rival[0].hash)!);
    t.equal(chain.view.tip.hashHex, second);
  });

  t.test('getdescriptoractivity ends when its client disconnects, and passes on the errors of unreadable blocks', async (t) => {
    const { context } = executor();
    const gone = new AbortController();
    let jobs = 0;
    const counting = openExecutor(fixture, new Map(), COMPATS.default, {
      scanJobs: {
        ...context.scanJobs,
        findActivity: (job) => {
          if (++jobs === 2) gone.abort();
          return context.scanJobs.findActivity(job);
        },
      },
    });
    const hashes = blocks.slice(0, 9).map(({ hashHex }) => hashHex);
    const body = Buffer.from(JSON.stringify({ method: 'getdescriptoractivity', params: [hashes, WANTED, false], id: 1 }));
    await counting.executor.executeBody(body, { user: '', uri: '/', signal: gone.signal });
    t.equal(jobs, 2);
    const file = join(fixture.dir, 'blk00000.dat');
    renameSync(file, `${file}.away`);
    t.equal(await fault('getdescriptoractivity', [paying.hashHex], WANTED, false), '-1 Block not found on disk');
    renameSync(`${file}.away`, file);
    const blocksOfPruned = Object.create(context.blocks, { isPruned: { value: () => true }, undoPlace: { value: () => null } });
    const pruned = openExecutor(fixture, new Map(), COMPATS.default, { blocks: blocksOfPruned });
    t.equal(await pruned.fault('getdescriptoractivity', [paying.hashHex], WANTED, false), '-1 Block not available (pruned data)');
    const broken = openExecutor(fixture, new Map(), COMPATS.default, {
      scanJobs: { ...context.scanJobs, expandScripts: () => Promise.reject(new Error('the thread has ended')) },
    });
    t.equal(await broken.fault('getdescriptoractivity', [paying.hashHex], WANTED, false), '-1 the thread has ended');
    t.equal(((await call('getdescriptoractivity', [paying.hashHex], WANTED, false)) as { activity: [] }).activity.length, 1);
  });
});

t.test('getdescriptoractivity and scantxoutset refuse a result above 256 MiB', async (t) => {
  const text = '-7 The result is larger than 256 MiB. Ask for fewer descriptors, addresses or blocks';
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { scanJobs } = openExecutor(fixture, new Map(), COMPATS.default).context;
  const blocks = buildChain(GENESIS, 2);
  for (const block of blocks) await fixture.chain.commands.submitBlock(block.bytes);
  // Events of one block that fit, and those of two that do not.
  const parts = { scanJobs: { ...scanJobs, findActivity: async () => new Uint8Array(200 << 20) } };
  const { fault } = openExecutor(fixture, new Map(), COMPATS.default, parts);
  const hashes = blocks.map(({ hashHex }) => hashHex);
  t.equal(await fault('getdescriptoractivity', hashes, WANTED, false), text);

  // Coins without end.
  const script = new Uint8Array(100).fill(0x51);
  const value = encodeCoin({ value: 1, height: 1, coinbase: false, script });
  const rows = Array.from({ length: 100 }, (_, i) => [new Uint8Array(37).fill(i), value] as const);
  const words = createJobWords();
  const result = await runCoinJob(
    { kind: 'scan', objects: JSON.stringify([`raw(${Buffer.from(script).toString('hex')})`]), secrets: null },
    {
      render: {
        compat: COMPATS.default,
        params: chainParams('regtest'),
        hashes: createPureHashes(),
        descriptors: descriptorContext('0.21', 'regtest'),
      },
      words,
      openCoins: async () => ({
        tip: { height: 1, hash: new Uint8Array(32) },
        cursor: { next: async () => rows as never, close: async () => {} },
      }),
      hashesAt: async () => new Uint8Array(0),
      diskSize: async () => 0,
    },
    new ScanSize(50_000),
  );
  t.match(result, { code: -7, message: text.slice(3) });
});
