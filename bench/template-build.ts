// Measures how long it takes to build a template of 4,400 transactions (2.9 MB of reply) after the mempool or the tip
// has changed. Then measures mode `live` over mempools of 1,000 to 100,000 transactions: a build from nothing, and a
// build after one new transaction. The limit of the encoding is the conversion of the same bytes to hex by Node.js. The
// limit of an empty template is an awaited promise.
//
//   node build/bench/template-build.js [--json]

import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { chainParams } from '../src/consensus/params/networks.js';
import { VersionBitsCache } from '../src/consensus/rules/versionbits.js';
import type { TxView } from '../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { silentLogger } from '../src/log/logger.js';
import { TxPool } from '../src/mempool/tx-pool.js';
import type { TxRecords } from '../src/mempool/tx-records.js';
import { PooledAssembler } from '../src/parallel/assembler-pooled.js';
import { Assembly, type ChosenTransactions } from '../src/template/assembly.js';
import { TemplateService } from '../src/template/service.js';
import type { TransactionSource } from '../src/template/source.js';
import { tipFacts } from '../src/template/tip-facts.js';
import { HandSlabs } from '../test/framework/hand-slabs.js';
import { InlineAssembler } from '../test/framework/inline-assembler.js';
import { ModelChain, outpointOf, spend } from '../test/framework/model-chain.js';
import { HandClock } from '../test/framework/pool-under-test.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const TXS = 4_400;
/** One in this number of transactions spends another unconfirmed transaction. */
const CHILD_EVERY = 10;
/** Number of transactions that arrive, and number of transactions that leave, between two templates. */
const CHANGED = 200;
const ROUNDS = { warmup: 5, rounds: 25 };
const LIMITS = { maxWeight: 3_996_000, reservedWeight: 4000, minFeeRate: 1000, mode: 'live' } as const;

const crypto = createNativeCrypto();
const chain = new ModelChain(crypto);

/** A transaction and its fee. */
interface Payment {
  readonly tx: TxView;
  readonly fee: number;
}

/** Returns a typical payment: one input with a signature and a key, two outputs. */
function makePayment(i: number, parent: Payment | undefined, extraFee = 0): Payment {
  const witness = [new Uint8Array(71).fill(i), new Uint8Array(33).fill(i >> 8)];
  const script = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(i));
  const first = parent === undefined ? outpoint(i) : outpointOf(parent.tx, 0);
  const tx = spend(
    crypto,
    [first],
    [
      { value: 1000, script },
      { value: 2000, script },
    ],
    { witness },
  );
  return { tx, fee: 400 + extraFee + ((i * 7919) % 5000) };
}

/** Returns an outpoint that no other transaction spends. */
function outpoint(i: number): Uint8Array {
  const bytes = new Uint8Array(36);
  new DataView(bytes.buffer).setUint32(0, i + 1);
  return bytes;
}

/** The candidates of a template without a mempool. */
class BenchSource implements TransactionSource {
  #pool = new TxPool(1 << 20);
  get records(): TxRecords {
    return this.#pool.records;
  }
  /** Payments in order of arrival. Some may have left. */
  readonly list: Payment[] = [];
  readonly returning = false;
  get counter(): number {
    return this.#pool.counter;
  }
  get size(): number {
    return this.#pool.size;
  }
  async settled(): Promise<void> {}
  add(payment: Payment): void {
    const { tx, fee } = payment;
    this.list.push(payment);
    this.#pool.add({ tx, fee, time: 0, height: 1, sigopCost: 2, size: tx.vsize, spendsCoinbase: false, locks: null });
  }
  /** Removes transactions that a block confirms. No remaining transaction of this bench spends them. */
  confirm(txs: readonly TxView[]): void {
    for (const tx of txs) this.#pool.removeRecursive(tx, 'block');
  }
  /** Replaces some transactions by as many new ones, as happens between two templates. */
  move(fresh: readonly Payment[]): void {
    for (const { tx } of this.list.splice(this.list.length - fresh.length)) this.#pool.removeRecursive(tx, 'sizelimit');
    for (const payment of fresh) this.add(payment);
  }
  /** Returns a copy of the set without its followers. */
  copy(): BenchSource {
    const copy = new BenchSource();
    for (const payment of this.list) copy.add(payment);
    return copy;
  }
}

/** Returns a set with this number of payments. Every tenth payment spends the one before it. */
function filled(count: number): BenchSource {
  const source = new BenchSource();
  for (let i = 0; i < count; i++) source.add(makePayment(i, i % CHILD_EVERY === CHILD_EVERY - 1 ? source.list[i - 1] : undefined));
  return source;
}

function service(source: TransactionSource, pooled: PooledAssembler): TemplateService {
  const deps = {
    mempool: source,
    assembler: pooled,
    slabs: new OneSlab(),
    clock: new HandClock(),
    hashes: crypto,
    log: silentLogger,
    epoch: () => 0,
  };
  const view = {
    params: chainParams('regtest'),
    get tip() {
      return chain.tip;
    },
    testBlockValidity: async () => null,
  };
  return new TemplateService({}, { ...deps, chain: view, versionBits: new VersionBitsCache() });
}

/** Returns the same memory for each template, as the ring of a node does. */
class OneSlab extends HandSlabs {
  readonly #slab = { index: 0, buffer: new SharedArrayBuffer(16 << 20) };
  override async takeSlabWhenFree(): Promise<{ index: number; buffer: SharedArrayBuffer }> {
    return this.#slab;
  }
}

const SIZES = [1_000, 10_000, 100_000];
const SIZE_ROUNDS = 10;

interface SizeSamples {
  readonly count: number;
  readonly mirror: number[];
  readonly block: number[];
  readonly one: number[];
}

/** Returns the processor time of this process in milliseconds, which other work of the machine does not change. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Measures mode live on this thread: filling the mirror; a full build after a block confirmed the best transactions; a
 * build after one more transaction, which has the highest rate and displaces another one.
 */
async function measureSize(count: number): Promise<SizeSamples> {
  const source = filled(count);
  const output = new SharedArrayBuffer(16 << 20);
  const tip = tipFacts(chain.tip, chainParams('regtest'), new VersionBitsCache(), { blockVersion: null, release: 21 });
  const samples: SizeSamples = { count, mirror: [], block: [], one: [] };
  const timed = async (to: number[], assembly: Assembly): Promise<ChosenTransactions> => {
    const started = cpuMs();
    const chosen = await assembly.choose(tip, LIMITS, output);
    to.push(cpuMs() - started);
    return chosen;
  };
  const create = (from: BenchSource, instance: number) =>
    new Assembly(new InlineAssembler({ hashes: crypto, now: () => performance.now() }), from, instance);
  for (let round = 0; round < SIZE_ROUNDS; round++) await timed(samples.mirror, create(source.copy(), round));
  const assembly = create(source, SIZE_ROUNDS);
  await assembly.choose(tip, LIMITS, output);
  for (let i = 0; i < 40; i++) {
    source.add(makePayment(count + i, undefined, 50_000));
    await timed(samples.one, assembly);
  }
  for (let round = 0; round < SIZE_ROUNDS; round++) {
    const { records } = await assembly.choose(tip, LIMITS, output);
    source.confirm(records.txs().slice(0, Math.floor(count / 30)));
    await timed(samples.block, assembly);
  }
  return { count, mirror: samples.mirror.slice(2), block: samples.block.slice(2), one: samples.one.slice(10) };
}

await runBench({
  name: 'template/service',
  protects: 'How old the mempool in a template is, and how soon after a block there is work with fees in it.',
  async run() {
    const source = filled(TXS);
    // Use a second set, because two followers of one set would both hold the transactions that leave.
    const serviceSource = filled(TXS);
    const raw = Buffer.concat(source.list.map(({ tx }) => tx.bytes));
    const output = new SharedArrayBuffer(16 << 20);
    const out = Buffer.from(output);
    const tip = tipFacts(chain.tip, chainParams('regtest'), new VersionBitsCache(), { blockVersion: null, release: 21 });
    const inline = new Assembly(new InlineAssembler({ hashes: crypto, now: () => performance.now() }), source, 1);
    const pooled = new PooledAssembler();
    const onThread = service(serviceSource, pooled);
    const empty = service(new BenchSource(), pooled);
    const rounds = ROUNDS.warmup + ROUNDS.rounds;
    const changes = Array.from({ length: 2 * rounds }, (_, k) =>
      Array.from({ length: CHANGED }, (__, i) => makePayment(TXS + k * CHANGED + i, undefined)),
    );
    const select: number[] = [];
    const encode: number[] = [];
    let length = 0;
    const runs = {
      inline: async () => {
        // Some of the new transactions have high rates, so almost nothing of the last encoding can be copied.
        source.move(changes.pop() as Payment[]);
        const chosen = await inline.choose(tip, LIMITS, output);
        select.push(chosen.selectMs);
        encode.push(chosen.encodeMs);
        length = chosen.encodedLength;
        if (chosen.records.length !== TXS) throw new Error(`only ${chosen.records.length} chosen`);
      },
      hex: () => out.write(raw.toString('hex'), 'latin1'),
      thread: async () => {
        serviceSource.move(changes.pop() as Payment[]);
        chain.connect([]);
        await onThread.refresh();
      },
      same: async () => {
        chain.connect([]);
        await onThread.refresh();
      },
      empty: async () => {
        chain.connect([]);
        await empty.refresh();
      },
    };
    const samples = await timeInTurn(runs, ROUNDS);
    await pooled.close();
    const sizes: SizeSamples[] = [];
    for (const count of SIZES) sizes.push(await measureSize(count));
    const hex = { name: 'the same bytes to hex by Buffer', samples: samples.hex };
    return {
      cases: [
        { name: `select and check ${TXS} txs`, unit: 'ms', samples: select.slice(ROUNDS.warmup), better: 'lower' },
        {
          name: `encode ${(length / 1e6).toFixed(1)} MB, witness root`,
          unit: 'ms',
          samples: encode.slice(ROUNDS.warmup),
          better: 'lower',
          limit: hex,
          goal: { text: '<= 25 ms', reached: (p50) => p50 <= 25 },
        },
        { name: `template after a new tip, ${CHANGED} txs changed, on its thread`, unit: 'ms', samples: samples.thread, better: 'lower' },
        { name: `template after an empty block, its ${TXS} txs unchanged`, unit: 'ms', samples: samples.same, better: 'lower' },
        {
          name: 'empty template after a new tip',
          unit: 'ms',
          samples: samples.empty,
          better: 'lower',
          goal: { text: '<= 2 ms', reached: (p50) => p50 <= 2 },
        },
        ...sizes.flatMap(({ count, mirror, block, one }): BenchCase[] => [
          { name: `live, ${count} in the mempool, mirror from nothing`, unit: 'CPU ms', samples: mirror, better: 'lower' },
          {
            name: `live, ${count} in the mempool, after a block`,
            unit: 'CPU ms',
            samples: block,
            better: 'lower',
            ...(count === 100_000 ? { goal: { text: '<= 100 ms', reached: (p50) => p50 <= 100 } } : {}),
          },
          {
            name: `live, ${count} in the mempool, one more`,
            unit: 'CPU ms',
            samples: one,
            better: 'lower',
            ...(count === 100_000 ? { goal: { text: '<= 5 ms', reached: (p50) => p50 <= 5 } } : {}),
          },
        ]),
      ],
    };
  },
});
