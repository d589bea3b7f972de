// A block of 4,000 payments handed to one node, until miners at another node have the first template on top of it: by a compact block,
// with all payments in the far mempool, and with nine tenths of them. Miners behind the far node work on an old block meanwhile.
//
//   node build/bench/compact-relay.js [--json]      TXS=n ROUNDS=n OPTIONS=-templatemode=live

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS, spend } from '../test/framework/chain-builder.js';
import { Daemon } from '../test/framework/daemon.js';
import { type Out, serializeTx, type Tx, txid } from '../test/framework/messages.js';
import { freePort } from '../test/framework/ports.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { Owners } from './harness/owners.js';
import { percentile } from './harness/samples.js';

const TXS = Number(process.env.TXS ?? 4_000);
const ROUNDS = Number(process.env.ROUNDS ?? 8);
const WARMUP = 2;
const VALUE = 100_000;
const FEE = 1_000;
const BATCH = 200;
const SPLITS = 10;
const RIPE = 100;
const SPACING = 10;

const now = (): number => performance.timeOrigin + performance.now();

/** Milliseconds of one block's way. */
interface Way {
  readonly submitToAnnounce: number;
  readonly announceToFilled: number;
  readonly filledToTip: number;
  readonly tipToTemplate: number;
  /** From the announcement to the template. */
  readonly total: number;
}

/** When a line first appeared in a node's log, milliseconds since 1970. */
async function loggedAt(node: Daemon, text: string): Promise<number> {
  const file = path.join(node.networkDir, 'debug.log');
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(20)) {
    const line = fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .find((one) => one.includes(text));
    const match = /^(\S+?)(?:\.(\d{6}))?Z /.exec(line ?? '');
    if (match !== null) return Date.parse(`${match[1]}Z`) + Number(match[2] ?? 0) / 1000;
  }
  throw new Error(`the log never said: ${text}`);
}

/** Two nodes, the far one connected to the near one, and a chain with coins to spend. */
class Pair {
  #tip: BuiltBlock = GENESIS;
  #time = Math.floor(Date.now() / 1000) - 7_000;
  readonly #owners = new Owners(64);
  readonly #agent = new http.Agent({ keepAlive: true });
  #coins: { txid: Buffer; index: number; owner: number }[] = [];

  private constructor(
    readonly near: Daemon,
    readonly far: Daemon,
  ) {}

  static async start(): Promise<Pair> {
    const port = await freePort();
    const options = ['-disablewallet', '-checktemplates=0', '-logtimemicros', '-debug=net', '-debug=cmpctblock', '-fronts=1'];
    const all = [...options, ...(process.env.OPTIONS?.split(' ') ?? [])];
    const near = await Daemon.start(...all, `-port=${port}`, '-bind=127.0.0.1', '-connect=0', '-whitelist=127.0.0.1');
    // Payments come to both by RPC alone, so that it is known who has which.
    const far = await Daemon.start(...all, '-listen=0', '-blocksonly', `-connect=127.0.0.1:${port}`);
    const pair = new Pair(near, far);
    await pair.#fund();
    return pair;
  }

  async #submit(block: BuiltBlock): Promise<void> {
    const verdict = await this.near.call('submitblock', block.bytes.toString('hex'));
    if (verdict !== null) throw new Error(`a block was refused: ${verdict}`);
    this.#tip = block;
  }

  #block(txs: readonly Tx[], fees: number): BuiltBlock {
    this.#time += SPACING;
    return buildBlock(this.#tip, { txs, fees, time: this.#time });
  }

  async #fund(): Promise<void> {
    const sources: { txid: Buffer; index: number; value: number }[] = [];
    for (let i = 0; i < SPLITS + RIPE; i++) {
      await this.#submit(this.#block([], 0));
      sources.push({ txid: this.#tip.txids[0]!, index: 0, value: this.#tip.txs[0]!.outs[0]!.value });
    }
    const each = Math.ceil(TXS / SPLITS);
    const splits = sources.slice(0, SPLITS).map((coin, s) => {
      const outs: Out[] = Array.from({ length: each }, (_, i) => ({ value: VALUE, script: this.#owners.script('p2wpkh', s * each + i) }));
      return spend([coin], outs);
    });
    for (const [s, split] of splits.entries()) {
      const id = txid(split);
      for (let index = 0; index < each; index++) this.#coins.push({ txid: id, index, owner: s * each + index });
    }
    await this.#submit(this.#block(splits, 0));
    await this.#inStep();
  }

  async #inStep(): Promise<void> {
    while ((await this.far.call('getbestblockhash')) !== this.#tip.hashHex) await sleep(10);
  }

  /** Payments of all coins to their owners, signed. */
  #payments(): Tx[] {
    const value = (coin: number): number => coin - FEE;
    const left = this.#value;
    const txs = this.#coins.slice(0, TXS).map(({ txid: id, index, owner }) => {
      const tx = spend([{ txid: id, index, value: left }], [{ value: value(left), script: this.#owners.script('p2wpkh', owner) }]);
      this.#owners.sign(tx, 'p2wpkh', [{ owner, value: left }]);
      return tx;
    });
    this.#coins = txs.map((tx, i) => ({ txid: txid(tx), index: 0, owner: this.#coins[i]!.owner }));
    this.#value = value(left);
    return txs;
  }
  #value = VALUE;

  async #give(node: Daemon, txs: readonly Tx[]): Promise<void> {
    for (let at = 0; at < txs.length; at += BATCH) {
      const batch = txs
        .slice(at, at + BATCH)
        .map((tx, id) => ({ id, method: 'sendrawtransaction', params: [serializeTx(tx).toString('hex')] }));
      const reply = await node.post(JSON.stringify(batch), { agent: this.#agent });
      const refused = JSON.parse(reply.body).find((one: { error: unknown }) => one.error !== null);
      if (refused) throw new Error(`a payment was refused: ${JSON.stringify(refused)}`);
    }
  }

  /** One block. @param share of its payments that the far node has */
  async round(share: number): Promise<Way> {
    const txs = this.#payments();
    await this.#give(this.near, txs);
    // Every tenth is missing, all over the block.
    await this.#give(
      this.far,
      txs.filter((_, i) => share === 1 || i % 10 !== 0),
    );
    const { longpollid } = await this.far.call('getblocktemplate', { rules: ['segwit'] });
    const block = this.#block(txs, FEE * txs.length);
    const poll = this.far.call('getblocktemplate', { rules: ['segwit'], longpollid }).then((template) => ({ template, at: now() }));
    await sleep(200);
    const begin = now();
    await this.#submit(block);
    const { template, at } = await poll;
    if (template.previousblockhash !== block.hashHex) throw new Error('the long poll came back for something else');
    const hash = block.hashHex;
    const announced = await loggedAt(this.near, `sending header-and-ids ${hash}`);
    const filled = await loggedAt(this.far, `Successfully reconstructed block ${hash}`);
    const tip = await loggedAt(this.far, `UpdateTip: new best=${hash}`);
    await this.#inStep();
    return {
      submitToAnnounce: announced - begin,
      announceToFilled: filled - announced,
      filledToTip: tip - filled,
      tipToTemplate: at - tip,
      total: at - announced,
    };
  }

  async end(): Promise<void> {
    this.#agent.destroy();
    for (const node of [this.far, this.near]) await node.remove();
  }
}

await runBench({
  name: 'net/relay/compact-relay',
  protects: 'miners behind another node from working on an old block: the time of a block from one node to a template at the next',
  run: async () => {
    const pair = await Pair.start();
    const cases: BenchCase[] = [];
    const notes: string[] = [`${TXS} payments of one p2wpkh input each${process.env.OPTIONS ? `, ${process.env.OPTIONS}` : ''}`];
    try {
      for (const [share, name] of [
        [1, 'all payments known'],
        [0.9, 'every tenth asked for'],
      ] as const) {
        const ways: Way[] = [];
        for (let i = 0; i < WARMUP + ROUNDS; i++) {
          const way = await pair.round(share);
          if (i >= WARMUP) ways.push(way);
        }
        const median = (read: (way: Way) => number): string => percentile(ways.map(read), 0.5).toFixed(1);
        notes.push(
          `${name}, ms: submitblock to announcement ${median((way) => way.submitToAnnounce)}; announcement to whole block ${median((way) => way.announceToFilled)}, to tip ${median((way) => way.filledToTip)}, to template ${median((way) => way.tipToTemplate)}`,
        );
        cases.push({ name: `announcement to template, ${name}`, unit: 'ms', better: 'lower', samples: ways.map(({ total }) => total) });
      }
    } finally {
      await pair.end();
    }
    return { cases, notes };
  },
});
