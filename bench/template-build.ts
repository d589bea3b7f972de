// Building a template of 4,400 transactions (2.9 MB of reply): what stands between a changed mempool, or a new tip, and new work. The
// bare limit of the encoding is the same bytes as hex by Node's own routine; that of an empty template is a promise.
//
//   node build/bench/template-build.js [--json]

import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { chainParams } from '../src/consensus/params/chain-params.js';
import { VersionBitsCache } from '../src/consensus/rules/versionbits.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { silentLogger } from '../src/log/logger.js';
import { InlineAssembler } from '../src/parallel/assembler-inline.js';
import { PooledAssembler } from '../src/parallel/assembler-pooled.js';
import { Assembly } from '../src/template/assembly.js';
import { TemplateService } from '../src/template/service.js';
import type { SourceEntry, SourceListener, TransactionSource } from '../src/template/source.js';
import { tipFacts } from '../src/template/tip-facts.js';
import { HandSlabs } from '../test/framework/hand-slabs.js';
import { ModelChain, outpointOf, spend } from '../test/framework/model-chain.js';
import { HandClock } from '../test/framework/pool-under-test.js';
import { runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const TXS = 4_400;
/** A tenth spend another unconfirmed transaction. */
const CHILD_EVERY = 10;
/** Transactions that come, and leave, between two templates. */
const CHANGED = 200;
const ROUNDS = { warmup: 5, rounds: 25 };
const LIMITS = { maxWeight: 3_996_000, reservedWeight: 4000, minFeeRate: 1000, mode: 'live' } as const;

const crypto = createNativeCrypto();
const chain = new ModelChain(crypto);

/** One input with signature and key, two outputs: the usual payment. */
function makeEntry(i: number, parent: SourceEntry | undefined): SourceEntry {
  const witness = [new Uint8Array(71).fill(i), new Uint8Array(33).fill(i >> 8)];
  const script = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(i));
  const first = parent === undefined ? chain.fund(100_000) : outpointOf(parent.tx, 0);
  const tx = spend(
    crypto,
    [first],
    [
      { value: 1000, script },
      { value: 2000, script },
    ],
    { witness },
  );
  const fee = 400 + ((i * 7919) % 5000);
  const { vsize: size, weight } = tx;
  const sums =
    parent === undefined
      ? { ancestorCount: 1, ancestorSize: size, ancestorFees: fee, ancestorSigops: 2 }
      : { ancestorCount: 2, ancestorSize: size + parent.size, ancestorFees: fee + parent.fee, ancestorSigops: 4 };
  return { tx, fee, modifiedFee: fee, size, weight, sigopCost: 2, ...sums, parents: parent === undefined ? [] : [parent] };
}

/** A set of candidates without a mempool around it. */
class BenchSource implements TransactionSource {
  readonly list: SourceEntry[] = [];
  counter = 0;
  readonly #listeners: SourceListener[] = [];
  get size(): number {
    return this.list.length;
  }
  entries(): Iterable<SourceEntry> {
    return this.list;
  }
  listen(listener: SourceListener): void {
    this.#listeners.push(listener);
  }
  async settled(): Promise<void> {}
  /** Some leave and as many come, as between two templates. */
  move(fresh: readonly SourceEntry[]): void {
    for (const entry of this.list.splice(this.list.length - fresh.length)) for (const listener of this.#listeners) listener.removed(entry);
    for (const entry of fresh) {
      this.counter++;
      this.list.push(entry);
      for (const listener of this.#listeners) listener.added(entry);
    }
  }
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

/** The ring of a node gives back the same memory again and again. */
class OneSlab extends HandSlabs {
  readonly #slab = { index: 0, buffer: new SharedArrayBuffer(16 << 20) };
  override async takeWhenFree(): Promise<{ index: number; buffer: SharedArrayBuffer }> {
    return this.#slab;
  }
}

await runBench({
  name: 'template/service',
  protects: 'How old the mempool in a template is, and how soon after a block there is work with fees in it.',
  async run() {
    const source = new BenchSource();
    for (let i = 0; i < TXS; i++) source.list.push(makeEntry(i, i % CHILD_EVERY === CHILD_EVERY - 1 ? source.list[i - 1] : undefined));
    source.counter = TXS;
    const raw = Buffer.concat(source.list.map(({ tx }) => tx.bytes));
    const output = new SharedArrayBuffer(16 << 20);
    const out = Buffer.from(output);
    const tip = tipFacts(chain.tip, chainParams('regtest'), new VersionBitsCache(), null);
    const inline = new Assembly(new InlineAssembler({ hashes: crypto, now: () => performance.now() }), source, 1);
    const pooled = new PooledAssembler();
    const onThread = service(source, pooled);
    const empty = service(new BenchSource(), pooled);
    const rounds = ROUNDS.warmup + ROUNDS.rounds;
    const changes = Array.from({ length: 2 * rounds }, (_, k) =>
      Array.from({ length: CHANGED }, (__, i) => makeEntry(k * CHANGED + i, undefined)),
    );
    const select: number[] = [];
    const encode: number[] = [];
    let length = 0;
    const runs = {
      inline: async () => {
        // Some of the new ones rank high, so that next to nothing of the last encoding can be copied.
        source.move(changes.pop() as SourceEntry[]);
        const chosen = await inline.choose(tip, LIMITS, output);
        select.push(chosen.selectMs);
        encode.push(chosen.encodeMs);
        length = chosen.encodedLength;
        if (chosen.txs.length !== TXS) throw new Error(`only ${chosen.txs.length} chosen`);
      },
      hex: () => out.write(raw.toString('hex'), 'latin1'),
      thread: async () => {
        source.move(changes.pop() as SourceEntry[]);
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
      ],
    };
  },
});
