// Measures the time from a full block, whose transactions are all known, until its node has new work. The block has
// 4,400 payments of two inputs (1.6 MB), and another 4,400 stay in the mempool. The block is submitted, sent by a peer
// as a block, and as a compact block; a miner waits on a long poll. Figures: times of the answers, and processor time
// of the node thread and of all other threads, which depends less on other work of the machine.
//
//   node build/bench/block-to-work.js [--json]
//   TXS=n ROUNDS=n WARMUP=n WAYS=submit,block,compact OPTIONS="more options of adit"
//   REHEARSE=0: no warm-up, so nothing is compiled at the first block of the process
//   READERS=n: other clients read the newest block with its transactions and the whole mempool again and again
//   POLLS=n: other clients wait on long polls, and the last byte of the last one's first template counts too
//   COMPARE=/path/bitcoind: Core in turns with adit, the same blocks. BEFORE=/path/aditd.js: another build of adit, likewise.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseTx } from '../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { encodeCompactBlock, ShortIds } from '../src/net/wire/compact-block.js';
import { type BuiltBlock, buildBlock, GENESIS, spend } from '../test/framework/chain-builder.js';
import { type Out, serializeTx, type Tx, txid } from '../test/framework/messages.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { Contender, type TimedReply } from './harness/contender.js';
import { Owners } from './harness/owners.js';
import { nodeThreadMilliseconds } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { type Child, postRequest, runLoop, startLoad } from './http-load/load.js';

const TXS = Number(process.env.TXS ?? 4_400);
const ROUNDS = Number(process.env.ROUNDS ?? 10);
const WARMUP = Number(process.env.WARMUP ?? 2);
const POLLS = Number(process.env.POLLS ?? 0);
const READERS = Number(process.env.READERS ?? 0);
const rehearse = process.env.REHEARSE !== '0';
const WAYS = (process.env.WAYS ?? 'submit,block,compact').split(',') as Way[];
const VALUE = 1_000_000;
const FEE = 2_000;
const BATCH = 200;
const SPLITS = 10;
const RIPE = 100;
const SPACING = 10;
/** Time after an answer in which the node finishes the work that the block caused, such as writing changes. */
const QUIET_MS = 700;
/** Time for which READERS read in each round, from before the block until after the templates. */
const READING_SECONDS = 2;
/** sendcmpct with version 2 (BIP-0152) in low-bandwidth mode: the node sends compact blocks only on request. */
const LOW_BANDWIDTH = Buffer.from('000200000000000000', 'hex');

type Way = 'submit' | 'block' | 'compact';

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly owner: number;
  readonly value: number;
}

/** Cost of one block for one node, in milliseconds. */
interface Figures {
  /** Time until submitblock was answered; NaN for blocks from a peer. */
  readonly answer: number;
  /** Time until the last byte of the first template on the block. */
  readonly first: number;
  /** Time until the last byte of the first template on the block that has transactions. */
  readonly full: number;
  /** Processor time of the node thread until that template (Core: of all threads). */
  readonly mainToFull: number;
  /** Processor time of the node thread until the node was idle again. */
  readonly main: number;
  /** Processor time of all other threads until the node was idle again. */
  readonly others: number;
  /** Time until the last of the other clients got the last byte of its first template; NaN without such clients. */
  readonly last: number;
}

/** A node under test (adit or Core), with the miner that waits for its templates. */
class Miner {
  readonly figures = new Map<Way, Figures[]>();

  /**
   * @param crowd clients that wait in addition to the miner; null for none
   * @param readers process of the clients that read; null for none
   */
  constructor(
    readonly node: Contender,
    readonly crowd: Child | null,
    readonly readers: Child | null,
  ) {}

  /**
   * Connects a peer whose compact blocks the node accepts: the peer supports them, and the node got a valid block from
   * it.
   */
  async befriend(block: BuiltBlock): Promise<void> {
    const peer = await this.node.peer();
    peer.send('sendcmpct', LOW_BANDWIDTH);
    peer.send('block', block.bytes);
    while ((await this.node.call('getbestblockhash')) !== block.hashHex) await sleep(10);
    // Core accepts unrequested compact blocks only from peers that it has asked for them (high-bandwidth mode).
    while ((await peer.next('sendcmpct'))[0] !== 1);
  }

  /**
   * Gives a block to the node and measures the time until the node has new work. @param left payments that stay in the
   * mempool
   */
  async round(way: Way, block: BuiltBlock, message: Buffer, left: number): Promise<void> {
    const call = (id: string): string =>
      JSON.stringify({ id: 1, method: 'getblocktemplate', params: [{ rules: ['segwit'], longpollid: id }] });
    const ask = (id: string): Promise<TimedReply> => this.node.post(call(id));
    const longpollid = await this.#ready();
    const peer = way === 'submit' ? null : await this.node.peer();
    const text = way === 'submit' ? JSON.stringify({ id: 1, method: 'submitblock', params: [message.toString('hex')] }) : '';
    await peer?.sync();
    const poll = ask(longpollid);
    const { port, auth } = this.node;
    this.crowd?.send({ kind: 'park', port, request: postRequest(auth, call(longpollid)), connections: POLLS });
    await this.crowd?.next('parked');
    const reading = this.readers === null ? null : this.#read(this.readers);
    // Wait until the long poll is parked and other work has ended.
    await sleep(QUIET_MS);
    const cpu = nodeThreadMilliseconds(this.node.pid);
    const begin = performance.now();
    const beginAt = performance.timeOrigin + begin;
    let answer = Number.NaN;
    const sent = peer === null ? this.node.post(text) : null;
    peer?.send(way === 'block' ? 'block' : 'cmpctblock', message);
    const answered = sent?.then((reply) => {
      answer = reply.at - begin;
      if (JSON.parse(reply.text).result !== null) throw new Error(`${this.node.name} refused a block: ${reply.text.slice(0, 200)}`);
    });
    const first = await poll;
    const full = isEmpty(first.text) ? await ask(idOf(first.text)) : first;
    const atFull = nodeThreadMilliseconds(this.node.pid);
    await answered;
    const woken = await this.crowd?.next('woken');
    await reading;
    const template = JSON.parse(full.text).result;
    if (template.previousblockhash !== block.hashHex) throw new Error(`${this.node.name}: the long poll came back for something else`);
    if (template.transactions.length !== left)
      throw new Error(`${this.node.name}: ${template.transactions.length} of ${left} in the template`);
    await sleep(QUIET_MS);
    const end = nodeThreadMilliseconds(this.node.pid);
    const main = (of: { main: number; others: number }): number => of.main + (this.node.single ? 0 : of.others);
    const list = this.figures.get(way) ?? [];
    this.figures.set(way, list);
    list.push({
      answer,
      first: first.at - begin,
      full: full.at - begin,
      mainToFull: main(atFull) - main(cpu),
      main: main(end) - main(cpu),
      others: this.node.single ? end.others - cpu.others : Number.NaN,
      last: woken === undefined ? Number.NaN : Math.max(...woken.atMs) - beginAt,
    });
  }

  async #read(readers: Child): Promise<void> {
    const { port, auth } = this.node;
    const calls = [
      ['getblock', await this.node.call('getbestblockhash'), 2],
      ['getrawmempool', true],
    ];
    const request = calls.map(([method, ...params]) => postRequest(auth, JSON.stringify({ id: 1, method, params })));
    const { calls: replies } = await runLoop(readers, { port, request, connections: READERS, seconds: READING_SECONDS });
    if (replies === 0) throw new Error(`${this.node.name} answered no reader`);
  }

  /**
   * Returns the long poll id of a template with transactions. In mode live such a template follows a change of the
   * mempool after a short time.
   */
  async #ready(): Promise<string> {
    const { size } = await this.node.call('getmempoolinfo');
    for (;;) {
      const { longpollid, transactions } = await this.node.call('getblocktemplate', { rules: ['segwit'] });
      // Only a part of the mempool fits into a block.
      if (!this.node.single || transactions.length > 0.4 * size) return longpollid;
      await sleep(50);
    }
  }
}

const isEmpty = (reply: string): boolean => /"transactions": ?\[\]/.test(reply);
const idOf = (reply: string): string => /"longpollid": ?"([^"]+)"/.exec(reply)![1]!;

/** A chain with coins, and payments that spend these coins again and again. */
class Economy {
  tip: BuiltBlock = GENESIS;
  #time = Math.floor(Date.now() / 1000) - 7_000;
  readonly #owners = new Owners();
  /** Two sets of coins. The payments of one set go into the block, those of the other set stay in the mempool. */
  readonly #stocks: Coin[][] = [[], []];

  block(txs: readonly Tx[], fees: number): BuiltBlock {
    this.#time += SPACING;
    this.tip = buildBlock(this.tip, { txs, fees, time: this.#time });
    return this.tip;
  }

  /** Blocks that make the coins. */
  *funding(): Generator<BuiltBlock> {
    const sources: { txid: Buffer; index: number; value: number }[] = [];
    for (let i = 0; i < SPLITS + RIPE; i++) {
      const block = this.block([], 0);
      sources.push({ txid: block.txids[0]!, index: 0, value: block.txs[0]!.outs[0]!.value });
      yield block;
    }
    const each = Math.ceil((TXS * 4) / SPLITS);
    const splits = sources.slice(0, SPLITS).map((coin, s) => {
      const outs: Out[] = Array.from({ length: each }, (_, i) => ({ value: VALUE, script: this.#owners.script('p2wpkh', s * each + i) }));
      return spend([coin], outs);
    });
    for (const [s, split] of splits.entries()) {
      const id = txid(split);
      for (let index = 0; index < each; index++) {
        this.#stocks[(s + index) % 2]!.push({ txid: id, index, owner: s * each + index, value: VALUE });
      }
    }
    yield this.block(splits, 0);
  }

  /** Returns payments that spend all coins of a set, two coins each, and pay to the owners of these coins. */
  payments(stock: number): Tx[] {
    const coins = this.#stocks[stock]!;
    const next: Coin[] = [];
    const txs: Tx[] = [];
    for (let i = 0; i < TXS; i++) {
      const pair = [coins[2 * i]!, coins[2 * i + 1]!] as const;
      const value = (pair[0].value + pair[1].value - FEE) / 2;
      const tx = spend(
        pair,
        pair.map(({ owner }) => ({ value, script: this.#owners.script('p2wpkh', owner) })),
      );
      this.#owners.sign(tx, 'p2wpkh', pair);
      const id = txid(tx);
      for (const [index, { owner }] of pair.entries()) next.push({ txid: id, index, owner, value });
      txs.push(tx);
    }
    this.#stocks[stock] = next;
    return txs;
  }
}

const crypto = createNativeCrypto();

function compactMessage(block: BuiltBlock): Buffer {
  const nonce = 7n;
  const ids = new ShortIds(block.header, nonce, crypto);
  const views = block.txs.map((tx) => parseTx(new Uint8Array(serializeTx(tx)), crypto));
  const shortIds = views.slice(1).map((tx) => ids.of(tx.wtxid));
  return Buffer.from(encodeCompactBlock({ header: block.header, nonce, shortIds, prefilled: [{ index: 0, tx: views[0]! }] }));
}

const WAY_NAMES: Record<Way, string> = { submit: 'submitted', block: 'from a peer', compact: 'compact from a peer' };

const FIGURES: readonly (readonly [string, (of: Figures) => number])[] = [
  ['answer', ({ answer }) => answer],
  ['first template', ({ first }) => first],
  ['full template', ({ full }) => full],
  ['node thread to the full template', ({ mainToFull }) => mainToFull],
  ['node thread in all', ({ main }) => main],
  ['all other threads', ({ others }) => others],
  [`last of ${POLLS} polls`, ({ last }) => last],
];

await runBench({
  name: 'chain/block-to-work',
  protects: 'miners from working on an old block, and on an empty one: the time from a full block to the next templates',
  run: async () => {
    // Activate BIP-0034 from the first block on, as Core's master does on regtest. Then no node checks for duplicate
    // coinbases (BIP-0030).
    const own = [
      '-disablewallet',
      '-checktemplates=0',
      '-templatemode=live',
      '-maxmempool=300',
      '-testactivationheight=bip34@1',
      `-rehearse=${Number(rehearse)}`,
    ];
    const nodes = await Contender.all(...own, ...(process.env.OPTIONS?.split(' ') ?? []));
    const crowd = POLLS === 0 ? null : await startLoad();
    const readers = READERS === 0 ? null : await startLoad();
    const miners = nodes.map((node) => new Miner(node, crowd, readers));
    const cases: BenchCase[] = [];
    const notes = [`${TXS} payments in the block, ${TXS} left; node thread's share of Core: all its threads`];
    try {
      const economy = new Economy();
      for (const block of economy.funding()) for (const node of nodes) await node.submit(block);
      if (rehearse) for (const node of nodes) await node.rehearse();
      const first = economy.block([], 0);
      // Core 0.21 gives no templates to a node without peers.
      for (const miner of miners) await miner.befriend(first);
      let stock = 0;
      const give = async (txs: readonly Tx[]): Promise<void> => {
        const raw = txs.map((tx) => serializeTx(tx).toString('hex'));
        await Promise.all(nodes.map((node) => node.give(raw, BATCH)));
      };
      let due = economy.payments(stock);
      await give(due);
      for (let i = 0; i < WARMUP + ROUNDS; i++) {
        for (const way of WAYS) {
          stock = 1 - stock;
          const next = economy.payments(stock);
          await give(next);
          const block = economy.block(due, FEE * due.length);
          const message = way === 'compact' ? compactMessage(block) : block.bytes;
          // Rotate the order, so that each node goes first equally often.
          const order = [...miners.slice(i % miners.length), ...miners.slice(0, i % miners.length)];
          for (const miner of order) await miner.round(way, block, message, next.length);
          due = next;
        }
      }
      for (const miner of miners) {
        const [first, ...others] = WAYS.map((way) => Math.round(miner.figures.get(way)![0]!.mainToFull));
        const earliest = miner.figures.get(WAYS[0]!)![0]!;
        const warm = miner.figures.get(WAYS[0]!)!.slice(WARMUP);
        const ofWarm = (read: (of: Figures) => number): string =>
          `${Math.round(read(earliest))} ms (${(read(earliest) / percentile(warm.map(read), 0.5)).toFixed(2)} of a warm one)`;
        notes.push(
          `${miner.node.name}, the first block of the process: first template after ${ofWarm(({ first }) => first)}, ` +
            `full template after ${ofWarm(({ full }) => full)}`,
          `${miner.node.name}, before anything is warm: node thread to the full template ${first} ms for the first block of the process` +
            `${others.length === 0 ? '' : `, ${others.join(' and ')} ms for the first of each other way`}`,
        );
      }
      for (const way of WAYS) {
        for (const [name, read] of FIGURES) {
          for (const miner of miners) {
            const samples = miner.figures.get(way)!.slice(WARMUP).map(read);
            if (samples.some(Number.isNaN)) continue;
            cases.push({ name: `${WAY_NAMES[way]}: ${name}, ${miner.node.name}`, unit: 'ms', better: 'lower', samples });
          }
        }
      }
    } finally {
      for (const node of nodes) await node.close();
      crowd?.end();
      readers?.end();
    }
    return { cases, notes };
  },
});
