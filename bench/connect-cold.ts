// Measures a block whose coins no cache has, of 10,000,000 coins in the database. Both programs use -dbcache=64, have
// their files out of the page cache, and start again for each block. Figures: time from submitblock to the answer,
// processor time, and bytes read from the disk. The coins need no signatures, so the time is that of finding and
// changing them.
//
//   node build/bench/connect-cold.js [--json]      COINS=n, ROUNDS=n. Runs for some ten minutes.
//   COMPARE=/path/bitcoind: Core in turns with adit, the same blocks. BEFORE=/path/aditd.cjs: another build, likewise.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS } from '../test/framework/chain-builder.js';
import { Daemon } from '../test/framework/daemon.js';
import type { Tx } from '../test/framework/messages.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { type CoinChain, writeCoinChain } from './harness/coin-chain.js';
import { untilRehearsed } from './harness/contender.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { forgetFiles } from './harness/page-cache.js';
import { nodeThreadMilliseconds, processIo } from './harness/process-figures.js';
import { timeMs } from './harness/samples.js';

const wanted = Number(process.env.COINS ?? 10_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const INPUTS = 5_000;
/**
 * Number of smaller blocks that are submitted before the measured block, so that V8 has compiled the code. Their coins
 * are in other places of the database.
 */
const WARMUP = 8;
const WARMUP_INPUTS = 250;
const INPUTS_PER_TX = 2;
/**
 * Both programs check one block at their start instead of six, because the coins of checked blocks are then in the
 * caches.
 */
const OPTIONS = ['-dbcache=64', '-checkblocks=1'];
const LOOK_MS = 200;
/** Time after which the work that follows a start has ended. */
const QUIET_MS = 2_000;
const SPACING = 10;

/** Cost of a block for a node: microseconds per input, and bytes read. */
interface Figures {
  readonly answer: number;
  readonly main: number;
  readonly all: number;
  readonly diskMegabytes: number;
}

/** A node that is restarted before each measured block. */
class ColdNode {
  readonly figures: Figures[] = [];

  constructor(
    readonly name: string,
    private readonly node: Daemon | CoreDaemon,
  ) {}

  get #pid(): number {
    return this.node instanceof Daemon ? (this.node.child?.pid as number) : this.node.pid;
  }

  /** Loads the chain, and stops the node. */
  async fill(file: string, { tip }: CoinChain): Promise<void> {
    await this.node.stop();
    await this.node.up(`-loadblock=${file}`);
    while ((await this.node.call('getblockcount')) < tip.height) await sleep(LOOK_MS);
  }

  async submit(block: BuiltBlock): Promise<void> {
    const verdict = await this.node.call('submitblock', block.bytes.toString('hex'));
    if (verdict !== null) throw new Error(`${this.name} refused a block: ${verdict}`);
  }

  stop(): Promise<unknown> {
    return this.node.stop();
  }

  /** Submits the blocks, and measures the last one. */
  async measure(blocks: readonly BuiltBlock[]): Promise<void> {
    const { node } = this;
    const block = blocks.at(-1)!;
    forgetFiles(node.dir);
    await node.up();
    if (node instanceof Daemon) await untilRehearsed(node, () => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'));
    for (const warming of blocks.slice(0, -1)) {
      await this.submit(warming);
      await sleep(LOOK_MS);
    }
    await sleep(QUIET_MS);
    forgetFiles(node.dir);
    const [times, io] = [nodeThreadMilliseconds(this.#pid), processIo(this.#pid)];
    const ms = await timeMs(() => this.submit(block));
    const [after, then] = [nodeThreadMilliseconds(this.#pid), processIo(this.#pid)];
    const perInput = (spent: number): number => (spent * 1_000) / INPUTS;
    const main = after.main - times.main;
    this.figures.push({
      answer: perInput(ms),
      main: perInput(main),
      all: perInput(main + after.others - times.others),
      diskMegabytes: (then.diskReadBytes - io.diskReadBytes) / 1e6,
    });
    await node.stop();
  }

  async remove(): Promise<void> {
    if (this.node instanceof Daemon) await this.node.remove();
    else await this.node.end();
  }
}

/** Returns a block that spends these coins, two per transaction. */
function spending(coins: CoinChain['spendable'], prev: BuiltBlock, time: number): BuiltBlock {
  const txs: Tx[] = [];
  for (let at = 0; at < coins.length; at += INPUTS_PER_TX) {
    const ins = coins
      .slice(at, at + INPUTS_PER_TX)
      .map(({ txidHex, index }) => ({ txid: Buffer.from(txidHex, 'hex'), index, sequence: 0xffffffff }));
    const outs = ins.map((_, i) => ({ value: 0, script: Buffer.from([0, 20, ...Buffer.alloc(20, at + i)]) }));
    txs.push({ version: 2, ins, outs, locktime: 0 });
  }
  return buildBlock(prev, { txs, time });
}

/**
 * Starts adit and, where they are given, another build and Core. @param started receives each node as soon as it has
 * started
 */
async function start(started: ColdNode[]): Promise<void> {
  started.push(new ColdNode('adit', await Daemon.start(...OPTIONS, '-rehearse=1')));
  const before = process.env.BEFORE;
  if (before !== undefined) started.push(new ColdNode('adit before', await Daemon.startFrom(before, ...OPTIONS, '-rehearse=1')));
  const core = bitcoindToCompare();
  if (core !== null) started.push(new ColdNode('Core', await CoreDaemon.start(core, ...OPTIONS)));
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-cold-'));
await runBench({
  name: 'chain/connect-cold',
  protects: `how long miners wait for a block whose coins are on the disk, of ${wanted.toLocaleString('en-US')}`,
  run: async () => {
    const file = path.join(dir, 'chain.dat');
    const chain = await writeCoinChain(file, wanted);
    process.stderr.write(`${chain.tip.height} blocks with ${chain.coins.toLocaleString('en-US')} coins written\n`);
    const needed = ROUNDS * (WARMUP * WARMUP_INPUTS + INPUTS);
    if (chain.spendable.length < needed)
      throw new Error(`${chain.spendable.length} coins to spend, ${needed} needed: fewer ROUNDS or more COINS`);
    const nodes: ColdNode[] = [];
    try {
      await start(nodes);
      const hash = Buffer.from(chain.tip.hashHex, 'hex').reverse();
      let time = Math.floor(Date.now() / 1000);
      // A block with the current time ends the initial block download of each node.
      let tip = buildBlock({ ...GENESIS, height: chain.tip.height, hash, hashHex: chain.tip.hashHex }, { time });
      for (const node of nodes) {
        const seconds = (await timeMs(() => node.fill(file, chain))) / 1000;
        await node.submit(tip);
        await node.stop();
        process.stderr.write(`${node.name} took them in ${seconds.toFixed(0)} s\n`);
      }
      let used = 0;
      const spendNext = (count: number): BuiltBlock => {
        tip = spending(chain.spendable.slice(used, (used += count)), tip, (time += SPACING));
        return tip;
      };
      for (let round = 0; round < ROUNDS; round++) {
        const blocks = [...Array.from({ length: WARMUP }, () => WARMUP_INPUTS), INPUTS].map(spendNext);
        // Rotate the order, so that each node goes first equally often.
        for (let turn = 0; turn < nodes.length; turn++) await nodes[(round + turn) % nodes.length]!.measure(blocks);
      }
    } finally {
      for (const node of nodes) await node.remove();
    }
    const cases = nodes.flatMap(({ name, figures }): BenchCase[] => {
      const one = (what: string, unit: string, of: (figure: Figures) => number): BenchCase => ({
        name: `${what}, ${name}`,
        unit,
        better: 'lower',
        samples: figures.map(of),
      });
      return [
        one('answer', 'us per input', ({ answer }) => answer),
        ...(name === 'Core' ? [] : [one('node thread', 'processor us per input', ({ main }) => main)]),
        one('all threads', 'processor us per input', ({ all }) => all),
        one('read from the disk', 'MB', ({ diskMegabytes }) => diskMegabytes),
      ];
    });
    return { cases };
  },
}).finally(() => fs.rmSync(dir, { recursive: true, force: true }));
