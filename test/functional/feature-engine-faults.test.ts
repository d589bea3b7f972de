// A thread of the download engine dies in each stage of its work, or memory cannot be had, in a real node. The node says so in its log, the ordinary
// code connects the blocks, and the coins are those of a node without the engine.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { GENESIS_BYTES, writeBlocksFolder } from '../framework/blocks-folder.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

/** Height at which half of the runs begin, with coins in the database. */
const BASE = 20;
const LAST = 400;
const OPTIONS = ['-par=2', '-assumevalid=0', '-checkblocks=1', '-fronts=1', '-disablewallet'] as const;

/** Blocks whose spends need no signatures. */
function build(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 104, { script: ANYONE });
  for (let i = 0; blocks.length < LAST; i++) {
    const coin = reward(blocks[i]!);
    const outs = [0, 1, 2].map((k) => ({ value: 1_000 + k, script: ANYONE }));
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], outs)], fees: coin.value - 3_003, script: ANYONE }));
  }
  return blocks;
}

const blocks = build();
const last = blocks.at(-1)!;

/**
 * Module that each thread loads at its start. In the engine's threads the n-th call of a function of the kernel throws, or
 * ends the thread. Or there is no memory, for the node thread or for a thread of the engine.
 */
const PRELOAD = `
const { isMainThread, workerData } = require('node:worker_threads');
const { FAULT_FUNCTION, FAULT_CALL, FAULT_KIND } = process.env;
if (FAULT_KIND === 'memory') {
  if (FAULT_FUNCTION === (isMainThread ? 'slots' : workerData?.layout && 'shard')) {
    WebAssembly.Memory = function () {
      throw new RangeError('could not allocate memory for ' + FAULT_FUNCTION);
    };
  }
} else if (!isMainThread && workerData?.layout !== undefined && FAULT_FUNCTION !== undefined) {
  const { Instance } = WebAssembly;
  let left = Number(FAULT_CALL);
  WebAssembly.Instance = function (...given) {
    const { exports } = new Instance(...given);
    const fails = (...args) => {
      if (--left === 0 && FAULT_KIND === 'exit') process.exit(3);
      if (left === 0) throw new Error('injected in ' + FAULT_FUNCTION);
      return exports[FAULT_FUNCTION](...args);
    };
    return { exports: { ...exports, [FAULT_FUNCTION]: fails } };
  };
}
`;

interface Fault {
  readonly stage: string;
  /** Function of the kernel that the stage calls. */
  readonly name: string;
  readonly call: number;
  /** True if the run begins with coins in the database. */
  readonly fromBase?: boolean;
  readonly kind?: 'exit' | 'memory';
}

const FAULTS: readonly Fault[] = [
  { stage: 'memory of the slots', name: 'slots', call: 0, kind: 'memory' },
  { stage: 'memory of a shard', name: 'shard', call: 0, kind: 'memory' },
  { stage: 'parsing', name: 'parse', call: 30 },
  { stage: 'applying, without an error', name: 'apply', call: 120, kind: 'exit' },
  { stage: 'last checks', name: 'finish', call: 60 },
  { stage: 'checking scripts', name: 'openTx', call: 50 },
  { stage: 'asking for coins', name: 'listMissing', call: 90, fromBase: true },
  { stage: 'reading coins', name: 'loadRows', call: 2, fromBase: true },
  { stage: 'giving coins to a checkpoint', name: 'nextChanged', call: 2 },
  { stage: 'ending a checkpoint', name: 'markClean', call: 1, fromBase: true },
];

const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'latin1');

async function coinsOf(node: Daemon): Promise<unknown> {
  const { bestblock, muhash, txouts, height } = (await node.call('gettxoutsetinfo', 'muhash')) as Record<string, unknown>;
  return { bestblock, muhash, txouts, height };
}

t.test('goes on without the engine after the death of one of its threads', async (t) => {
  const node = await Daemon.start(...OPTIONS);
  t.teardown(() => node.remove());
  await node.stop();
  fs.rmSync(path.join(node.networkDir, 'blocks'), { recursive: true });
  writeBlocksFolder(path.join(node.networkDir, 'blocks'), [GENESIS_BYTES, ...blocks.map(({ bytes }) => bytes)]);
  await node.up('-reindex', '-engine=0');
  await until('the whole chain', async () => (await node.call('getblockcount')) === last.height);
  const expected = await coinsOf(node);
  await node.stop();
  const preload = path.join(node.dir, 'preload.cjs');
  fs.writeFileSync(preload, PRELOAD);

  await node.up('-reindex-chainstate', `-stopatheight=${BASE}`, '-engine=0').catch(() => undefined);
  await until('the stop', async () => node.exit !== undefined);
  const base = await Daemon.over(node.dir, ...OPTIONS);
  t.teardown(() => base.remove());

  for (const { stage, name, call, fromBase, kind } of FAULTS) {
    const faulty = fromBase ? await Daemon.over(base.dir, ...OPTIONS) : node;
    t.teardown(() => faulty.remove());
    const at = log(faulty).length;
    faulty.env = { NODE_OPTIONS: `--require=${preload}`, FAULT_FUNCTION: name, FAULT_CALL: String(call), FAULT_KIND: kind ?? 'throw' };
    // With -stopatheight, a start does not connect stored blocks before the engine.
    await faulty.up(fromBase ? `-stopatheight=${LAST + 1}` : '-reindex-chainstate');
    await until('the whole chain', async () => (await faulty.call('getblockcount')) === last.height);
    t.same(await coinsOf(faulty), expected, stage);
    t.equal(await faulty.call('verifychain', 3, 0), true);
    const text = log(faulty).slice(at);
    const runs = text.split('The download engine connects blocks from height ').length - 1;
    t.ok(runs >= 1 && runs <= 3, 'the engine starts again above the blocks in work, but not after three failures');
    if (kind === 'memory') t.equal(runs, 1, 'the engine does not start again');
    const why = { exit: 'a thread ended', memory: `could not allocate memory for ${name}`, throw: `injected in ${name}` }[kind ?? 'throw'];
    t.match(text, new RegExp(`The download engine has failed: .*${why}.* Other code connects the blocks from height `));
    t.same(await faulty.stop(), { code: 0, signal: null });
  }
});
