// Measures a block of 4,000 inputs that no node has seen, from submitblock to its answer: parse, check, store, read
// coins, verify, apply. Miners wait this long after every block whose transactions were not in the mempool. Figures:
// wall time per input, processor time per input of the node thread and of each other busy thread, and the bare
// signature checks of the same run. Core has not seen the signatures either, so its signature cache does not help.
//
//   node build/bench/connect-block.js [--json]      ROUNDS=n WARMUP=n KIND=p2wpkh,p2tr OPTIONS="more options of adit"
//   KEYS=n: keys of the coins, 64 by default; with 40000 each key is new
//   REHEARSE=0: no warm-up, so nothing is compiled at the first block of the process
//   COMPARE=/path/bitcoind: Core in turns with adit, the same blocks. BEFORE=/path/aditd.cjs: another build, likewise.

import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS, spend } from '../test/framework/chain-builder.js';
import { type Out, type Tx, txid } from '../test/framework/messages.js';
import { SPEND_KINDS, type SpendKind } from '../test/framework/signed-spends.js';
import { BareChecks } from './harness/bare-checks.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { Contender } from './harness/contender.js';
import { Owners } from './harness/owners.js';
import { busyThreads, threadTimes } from './harness/process-figures.js';
import { percentile, timeMs } from './harness/samples.js';

const INPUTS = 4_000;
const INPUTS_PER_TX = 2;
const ROUNDS = Number(process.env.ROUNDS ?? 10);
/**
 * Number of blocks that are not counted. V8 compiles code during these: a tenth of the processor time of the first
 * blocks, a hundredth later.
 */
const WARMUP = Number(process.env.WARMUP ?? 10);
const rehearse = process.env.REHEARSE !== '0';
const kinds = SPEND_KINDS.filter((kind) => (process.env.KIND ?? SPEND_KINDS.join()).split(',').includes(kind));
const threads = os.availableParallelism();
const RIPE = 100;
const VALUE = 100_000;
const FEE = 1_000;
const SPACING = 10;
/** Time after an answer in which the node finishes the work that the block caused. */
const QUIET_MS = 500;

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly owner: number;
  readonly value: number;
}

/** A chain with the coins of one block for each kind. A block spends all coins of its kind and makes as many new ones. */
class Economy {
  tip: BuiltBlock = GENESIS;
  #time = Math.floor(Date.now() / 1000) - 7_000;
  readonly #owners = new Owners();
  /** Number of the owner of the next coin. */
  #owner = INPUTS;
  readonly #coins = new Map<SpendKind, Coin[]>();

  #block(txs: readonly Tx[], fees: number): BuiltBlock {
    this.#time += SPACING;
    this.tip = buildBlock(this.tip, { txs, fees, time: this.#time });
    return this.tip;
  }

  *funding(): Generator<BuiltBlock> {
    const sources: BuiltBlock[] = [];
    for (let i = 0; i < RIPE + kinds.length; i++) {
      const block = this.#block([], 0);
      sources.push(block);
      yield block;
    }
    const splits = kinds.map((kind, k) => {
      const coin = { txid: sources[k]!.txids[0]!, index: 0, value: sources[k]!.txs[0]!.outs[0]!.value };
      const outs: Out[] = Array.from({ length: INPUTS }, (_, i) => ({ value: VALUE, script: this.#owners.script(kind, i) }));
      const tx = spend([coin], outs);
      const id = txid(tx);
      const coins = outs.map((_, index) => ({ txid: id, index, owner: index, value: VALUE }));
      this.#coins.set(kind, coins);
      return tx;
    });
    yield this.#block(splits, 0);
  }

  /** Returns the next block, which spends all coins of this kind, two per transaction. */
  next(kind: SpendKind): BuiltBlock {
    const coins = this.#coins.get(kind)!;
    const made: Coin[] = [];
    const txs: Tx[] = [];
    for (let first = 0; first < INPUTS; first += INPUTS_PER_TX) {
      const taken = coins.slice(first, first + INPUTS_PER_TX);
      const value = Math.floor((taken.reduce((sum, coin) => sum + coin.value, 0) - FEE) / INPUTS_PER_TX);
      const owners = taken.map(() => this.#owner++);
      const outs = owners.map((owner) => ({ value, script: this.#owners.script(kind, owner) }));
      const tx = spend(taken, outs);
      this.#owners.sign(tx, kind, taken);
      const id = txid(tx);
      for (const [index, owner] of owners.entries()) made.push({ txid: id, index, owner, value });
      txs.push(tx);
    }
    this.#coins.set(kind, made);
    return this.#block(txs, 0);
  }
}

/** Cost of one block for one node, in microseconds per input. */
interface Figures {
  readonly answer: number;
  /** Processor time of the node thread (Core: of the first thread), and of all threads. */
  readonly main: number;
  readonly all: number;
  /** Processor time of each thread, the busiest first. */
  readonly each: readonly number[];
}

const perInput = (ms: number): number => (ms * 1_000) / INPUTS;

async function measure(node: Contender, block: BuiltBlock): Promise<Figures> {
  const body = JSON.stringify({ id: 1, method: 'submitblock', params: [block.bytes.toString('hex')] });
  const early = threadTimes(node.pid);
  await sleep(QUIET_MS);
  const before = threadTimes(node.pid);
  const begin = performance.now();
  const reply = await node.post(body);
  const answer = reply.at - begin;
  if (JSON.parse(reply.text).result !== null) throw new Error(`${node.name} refused a block: ${reply.text.slice(0, 200)}`);
  await sleep(QUIET_MS);
  // Subtract the processor time of an idle node.
  const share = (performance.now() - begin) / QUIET_MS;
  const busy = busyThreads(node.pid, before).map(({ tid, ms }) => {
    return { tid, ms: ms - ((before.get(tid) ?? 0) - (early.get(tid) ?? 0)) * share };
  });
  const ms = (list: typeof busy): number => list.reduce((sum, thread) => sum + thread.ms, 0);
  return {
    answer: perInput(answer),
    main: perInput(ms(busy.filter(({ tid }) => tid === node.pid))),
    all: perInput(ms(busy)),
    each: busy.map((thread) => perInput(thread.ms)),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

await runBench({
  name: 'chain/connect/connect-block',
  protects: `time from a block of ${INPUTS} unseen inputs to the answer, and what it costs the machine`,
  run: async () => {
    // Activate BIP-0034 from the first block on, as Core's master does on regtest. Then no node checks for duplicate
    // coinbases (BIP-0030).
    const nodes = await Contender.all(
      '-disablewallet',
      '-checktemplates=0',
      '-testactivationheight=bip34@1',
      `-rehearse=${Number(rehearse)}`,
      ...(process.env.OPTIONS?.split(' ') ?? []),
    );
    const bare = new BareChecks(INPUTS, { threads, prefer: 'system' });
    await bare.start();
    const cases: BenchCase[] = [];
    const notes: string[] = [];
    // Times of the first blocks of the process, for which only the warm-up has compiled code.
    const early = new Map<Contender, number[]>(nodes.map((node) => [node, []]));
    try {
      const economy = new Economy();
      for (const block of economy.funding()) for (const node of nodes) await node.submit(block);
      if (rehearse) for (const node of nodes) await node.rehearse();
      for (const kind of kinds) {
        const figures = new Map<Contender, Figures[]>(nodes.map((node) => [node, []]));
        const limit: number[] = [];
        for (let i = 0; i < WARMUP + ROUNDS; i++) {
          const block = economy.next(kind);
          // Rotate the order, so that each node goes first equally often.
          const order = [...nodes.slice(i % nodes.length), ...nodes.slice(0, i % nodes.length)];
          for (const node of order) {
            const one = await measure(node, block);
            if (i >= WARMUP) figures.get(node)!.push(one);
            if (i < 3 && kind === kinds[0]) early.get(node)!.push(one.answer);
          }
          const ms = await timeMs(() => bare.run(kind === 'p2tr' ? 'schnorr' : 'ecdsa'));
          if (i >= WARMUP) limit.push(perInput(ms));
        }
        for (const [node, list] of figures) {
          const of = (name: string, samples: number[]): BenchCase => ({
            name: `${kind}: ${name}, ${node.name}`,
            unit: name === 'answer' ? 'us per input' : 'processor us per input',
            better: 'lower',
            samples,
            ...(name === 'answer' ? { limit: { name: bare.name, samples: limit } } : {}),
          });
          cases.push(
            of(
              'answer',
              list.map(({ answer }) => answer),
            ),
          );
          if (node.single)
            cases.push(
              of(
                'node thread',
                list.map(({ main }) => main),
              ),
            );
          cases.push(
            of(
              'all threads',
              list.map(({ all }) => all),
            ),
          );
          const each = Array.from({ length: 8 }, (_, t) => mean(list.map((one) => one.each[t] ?? 0)));
          notes.push(`${kind}, ${node.name}: busiest threads ${each.map((us) => us.toFixed(1)).join(', ')} processor us per input`);
        }
      }
      for (const [node, answers] of early) {
        const warm = cases.find(({ name }) => name === `${kinds[0]}: answer, ${node.name}`)?.samples ?? [];
        const us = answers.map((answer) => answer.toFixed(1)).join(', ');
        const ratio = (answers[0]! / percentile(warm, 0.5)).toFixed(2);
        notes.push(`${node.name}: the first blocks of the process, ${kinds[0]}: ${us} us per input; the first ${ratio} of a warm one`);
      }
    } finally {
      for (const node of nodes) await node.close();
      await bare.close();
    }
    return { cases, notes };
  },
});
