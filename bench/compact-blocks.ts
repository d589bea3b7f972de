// Measures a block of 4,000 payments that is submitted to one of two connected nodes: the time until a miner at the
// other node has the first full template on top of the block. The mempool of the other node lacks 0.1, 1 or 10 percent
// of the payments, either alone, or both nodes lack them (payments that only the miner of the block has). Counts the
// blocks that the other node reconstructs without a request, and the bytes that the nodes exchange for the block.
//
//   node build/bench/compact-blocks.js [--json]      TXS=n ROUNDS=n OPTIONS="more options of adit"
//   COMPARE=/path/bitcoind: Core in the place of either, and of both

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS, spend } from '../test/framework/chain-builder.js';
import { Daemon } from '../test/framework/daemon.js';
import { type Out, serializeTx, type Tx, txid } from '../test/framework/messages.js';
import { freePort } from '../test/framework/ports.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { Owners } from './harness/owners.js';
import { percentile } from './harness/samples.js';

const TXS = Number(process.env.TXS ?? 4_000);
const ROUNDS = Number(process.env.ROUNDS ?? 8);
/** Number of blocks after which the far node has asked the near node to send compact blocks without a request. */
const WARMUP = 2;
/** Payments that stay in both mempools, so that the next template has transactions. */
const STANDING = 200;
const VALUE = 400_000;
const FEE = 1_000;
const STANDING_FEE = 500;
const BATCH = 200;
const SPLITS = 10;
const RIPE = 100;
const SPACING = 10;
/** Differences of the mempools, in percent of the block. */
const PERCENTS = [0.1, 1, 10];
const WHERE = ['at the second', 'at both'] as const;
/** Messages that transfer a block, and messages that request one. */
const TO_FAR = ['cmpctblock', 'blocktxn', 'block'];
const FROM_FAR = ['getblocktxn', 'getdata'];

const now = (): number => performance.timeOrigin + performance.now();

type Kind = 'adit' | 'Core';

/** Operations that both kinds of daemons support. */
interface Node {
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  call(method: string, ...params: unknown[]): Promise<any>;
  post(body: string): Promise<{ body: string }>;
  end(): Promise<void>;
}

/** @param port port on which the node listens for peers; null: it does not listen */
async function startNode(kind: Kind, bitcoind: string | null, port: number | null): Promise<Node> {
  const peers =
    port === null ? ['-listen=0', '-connect=0'] : [`-port=${port}`, '-bind=127.0.0.1', '-connect=0', '-whitelist=noban@127.0.0.1'];
  const options = ['-disablewallet', '-v2transport=0', ...peers];
  if (kind === 'Core') return CoreDaemon.start(bitcoind as string, ...options);
  const own = ['-compat=31', '-checktemplates=0', '-fronts=1', ...(process.env.OPTIONS?.split(' ') ?? [])];
  const daemon = await Daemon.start(...own, ...options);
  const agent = new http.Agent({ keepAlive: true });
  return {
    call: (method, ...params) => daemon.call(method, ...params),
    post: (body) => daemon.post(body, { agent }),
    end: async () => {
      agent.destroy();
      await daemon.remove();
    },
  };
}

/** Figures of one block: time, bytes, and how it was reconstructed. */
interface Way {
  readonly ms: number;
  readonly bytes: number;
  /** True if the far node requested no transactions. */
  readonly whole: boolean;
}

/** Two nodes and a chain with coins. The far node is connected to the near one as a block-relay-only peer. */
class Pair {
  #tip: BuiltBlock = GENESIS;
  #time = Math.floor(Date.now() / 1000) - 7_000;
  readonly #owners = new Owners();
  #coins: { txid: Buffer; index: number; owner: number }[] = [];
  #value = VALUE;

  private constructor(
    readonly near: Node,
    readonly far: Node,
  ) {}

  static async start(near: Kind, far: Kind, bitcoind: string | null): Promise<Pair> {
    const port = await freePort();
    const first = await startNode(near, bitcoind, port);
    const pair = new Pair(first, await startNode(far, bitcoind, null));
    await pair.#submit(pair.#block([], 0));
    // The nodes relay no transactions to each other, so that the bench decides which node has which payment.
    await pair.far.call('addconnection', `127.0.0.1:${port}`, 'block-relay-only', false);
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
    const each = Math.ceil((TXS + STANDING) / SPLITS);
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
    const standing = this.#payments(this.#coins.splice(TXS, STANDING), STANDING_FEE);
    for (const node of [this.near, this.far]) await this.#give(node, standing);
  }

  async #inStep(): Promise<void> {
    while ((await this.far.call('getbestblockhash')) !== this.#tip.hashHex) await sleep(10);
  }

  /** Returns signed payments that spend coins and pay to their owners. */
  #payments(coins: readonly { txid: Buffer; index: number; owner: number }[], fee: number): Tx[] {
    const value = this.#value;
    return coins.map(({ txid: id, index, owner }) => {
      const tx = spend([{ txid: id, index, value }], [{ value: value - fee, script: this.#owners.script('p2wpkh', owner) }]);
      this.#owners.sign(tx, 'p2wpkh', [{ owner, value }]);
      return tx;
    });
  }

  async #give(node: Node, txs: readonly Tx[]): Promise<void> {
    for (let at = 0; at < txs.length; at += BATCH) {
      const batch = txs
        .slice(at, at + BATCH)
        .map((tx, id) => ({ id, method: 'sendrawtransaction', params: [serializeTx(tx).toString('hex')] }));
      const reply = await node.post(JSON.stringify(batch));
      const refused = JSON.parse(reply.body).find((one: { error: unknown }) => one.error);
      if (refused) throw new Error(`a payment was refused: ${JSON.stringify(refused)}`);
    }
  }

  /**
   * Returns the bytes of all messages about blocks that the far node has exchanged, and the bytes of its requests among
   * them.
   */
  async #traffic(): Promise<{ bytes: number; asked: number }> {
    const [peer] = await this.far.call('getpeerinfo');
    const sum = (of: Record<string, number>, names: readonly string[]): number => names.reduce((total, name) => total + (of[name] ?? 0), 0);
    const [received, sent] = [peer.bytesrecv_per_msg, peer.bytessent_per_msg];
    return { bytes: sum(received, TO_FAR) + sum(sent, FROM_FAR), asked: sum(sent, FROM_FAR) };
  }

  /**
   * Returns the time of the first template with transactions on top of the new tip. @param longpollid of the previous
   * template
   */
  async #fullTemplate(longpollid: string, hash: string): Promise<number> {
    for (let id = longpollid; ; ) {
      const template = await this.far.call('getblocktemplate', { rules: ['segwit'], longpollid: id });
      if (template.previousblockhash === hash && template.transactions.length > 0) return now();
      id = template.longpollid;
    }
  }

  /** Measures one block. @param percent percentage of its payments that a mempool lacks */
  async round(percent: number, where: (typeof WHERE)[number]): Promise<Way> {
    const txs = this.#payments(this.#coins, FEE);
    this.#coins = txs.map((tx, i) => ({ txid: txid(tx), index: 0, owner: this.#coins[i]!.owner }));
    this.#value -= FEE;
    // Spread the missing payments evenly over the block.
    const every = Math.round(100 / percent);
    const known = txs.filter((_, i) => i % every !== 1);
    await this.#give(this.near, where === 'at both' ? known : txs);
    await this.#give(this.far, known);
    const { longpollid } = await this.far.call('getblocktemplate', { rules: ['segwit'] });
    const block = this.#block(txs, FEE * txs.length);
    const before = await this.#traffic();
    const template = this.#fullTemplate(longpollid, block.hashHex);
    await sleep(200);
    const begin = now();
    const [at] = await Promise.all([template, this.#submit(block)]);
    await this.#inStep();
    const after = await this.#traffic();
    return { ms: at - begin, bytes: after.bytes - before.bytes, whole: after.asked === before.asked };
  }

  async end(): Promise<void> {
    for (const node of [this.far, this.near]) await node.end();
  }
}

await runBench({
  name: 'net/relay/compact-blocks',
  protects: 'miners behind another node from working on an old block: the time of a block from one node to a full template at the next',
  run: async () => {
    const bitcoind = bitcoindToCompare();
    const kinds: readonly Kind[] = bitcoind === null ? ['adit'] : ['adit', 'Core'];
    const cases: BenchCase[] = [];
    const notes: string[] = [`${TXS} payments of one p2wpkh input each${process.env.OPTIONS ? `, ${process.env.OPTIONS}` : ''}`];
    for (const near of kinds) {
      for (const far of kinds) {
        const pair = await Pair.start(near, far, bitcoind);
        try {
          for (let i = 0; i < WARMUP; i++) await pair.round(1, 'at the second');
          for (const where of WHERE) {
            for (const percent of PERCENTS) {
              const ways: Way[] = [];
              for (let i = 0; i < ROUNDS; i++) ways.push(await pair.round(percent, where));
              const name = `${near} to ${far}, ${percent} % missing ${where}`;
              const whole = ways.filter((way) => way.whole).length;
              const bytes = percentile(
                ways.map((way) => way.bytes),
                0.5,
              );
              notes.push(`${name}: ${whole} of ${ROUNDS} whole without a question, ${Math.round(bytes)} bytes`);
              cases.push({ name, unit: 'ms to a full template', better: 'lower', samples: ways.map(({ ms }) => ms) });
            }
          }
        } finally {
          await pair.end();
        }
      }
    }
    return { cases, notes };
  },
});
