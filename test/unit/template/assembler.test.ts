// One suite over both assemblers: what they answer, how their mirror follows, and how it comes back when it was lost.
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import type { AssembleReply, AssembleRequest } from '../../../src/jobs/assemble-messages.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import type { Assembler } from '../../../src/parallel/assembler.js';
import { PooledAssembler } from '../../../src/parallel/assembler-pooled.js';
import { Assembly } from '../../../src/template/assembly.js';
import { MirrorFeed } from '../../../src/template/mirror-feed.js';
import type { TipFacts } from '../../../src/template/tip-facts.js';
import { fc } from '../../framework/fast-check.js';
import { InlineAssembler } from '../../framework/inline-assembler.js';
import { ANYONE, outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const LIMITS = { maxWeight: 3_996_000, reservedWeight: 4000, minFeeRate: 0, mode: 'core' } as const;
/** Only what assembly reads. */
const TIP = { height: 201, lockTimeCutoff: 1_600_000_195, segwitActive: true } as TipFacts;

/** Closes the thread as well. */
function nextToAnother(): Assembler {
  const owner = new PooledAssembler();
  const beside = owner.secondAssembler();
  return { ...beside, close: () => beside.close().finally(() => owner.close()) };
}

const inline = (): Assembler => new InlineAssembler({ hashes: crypto, now: () => performance.now() });

interface TemplateEntry {
  data: string;
  txid: string;
  hash: string;
  depends: number[];
  fee: number;
  sigops: number;
  weight: number;
}

async function assembled(assembly: Assembly): Promise<TemplateEntry[]> {
  const output = new SharedArrayBuffer(assembly.encodedBound(LIMITS));
  const chosen = await assembly.choose(TIP, LIMITS, output);
  const text = Buffer.from(output, 0, chosen.encodedLength).toString('latin1');
  const list = JSON.parse(text) as TemplateEntry[];
  // The exact spelling: parsing and printing must give the same text.
  if (JSON.stringify(list) !== text) throw new Error('not the expected members or spelling');
  if (list.length !== chosen.records.length) throw new Error('encoding and choice differ');
  const txs = chosen.records.txs();
  list.forEach((entry, i) => {
    if (entry.data !== toHex(txs[i].bytes)) throw new Error(`transaction ${i} differs`);
  });
  return list;
}

async function fill(pool: Mempool, chain: ReturnType<typeof createPool>['chain']) {
  const parent = spend(
    crypto,
    [chain.fund(100_000)],
    [
      { value: 40_000, script: PADDED },
      { value: 50_000, script: ANYONE },
    ],
    { witness: [] },
  );
  const child = spend(crypto, [outpointOf(parent, 1), chain.fund(9_000), outpointOf(parent, 0)], [{ value: 60_000, script: PADDED }]);
  const other = spend(crypto, [chain.fund(70_000)], [{ value: 69_000, script: PADDED }]);
  for (const tx of [parent, child, other]) {
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(`${reject.reason} ${reject.debug}`);
  }
  return { parent, child, other };
}

for (const [name, create] of [
  ['inline', inline],
  ['on its own thread', (): Assembler => new PooledAssembler()],
  ["beside another on that one's thread", nextToAnother],
] as const) {
  t.test(`assembler ${name}`, async (t) => {
    const assembler = create();
    t.teardown(() => assembler.close());

    t.test('lists transactions in block order, with depends once per input that spends a parent', async (t) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      const { parent, child, other } = await fill(pool, chain);
      const list = await assembled(new Assembly(assembler, pool, 1));
      t.strictSame(
        list.map(({ txid }) => txid),
        [parent, child, other].map((tx) => hashToHex(tx.txid)),
      );
      t.strictSame(list[1].depends, [1, 1], 'one for each input that spends the parent');
      t.strictSame(list[0], {
        data: toHex(parent.bytes),
        txid: hashToHex(parent.txid),
        hash: hashToHex(parent.wtxid),
        depends: [],
        fee: 10_000,
        sigops: 0,
        weight: parent.weight,
      });
      t.strictSame(Object.keys(list[0]), ['data', 'txid', 'hash', 'depends', 'fee', 'sigops', 'weight']);
      t.equal(list[1].fee, 39_000);
    });

    t.test('sends the whole mempool again when the assembler lost its mirror', async (t) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      await fill(pool, chain);
      const assembly = new Assembly(assembler, pool, 2);
      t.equal((await assembled(assembly)).length, 3);
      // Another user of the same assembler pushes our mirror out.
      const rival = createPool({ policy: NO_POLICY });
      await fill(rival.pool, rival.chain);
      t.equal((await assembled(new Assembly(assembler, rival.pool, 3))).length, 3);
      const late = spend(crypto, [chain.fund(50_000)], [{ value: 30_000, script: PADDED }]);
      await pool.accept(late);
      t.equal((await assembled(assembly)).length, 4);
      t.equal(assembly.resyncs, 1);
      t.equal((await assembled(assembly)).length, 4);
      t.equal(assembly.resyncs, 1, 'and follows again');
    });

    t.test('refuses a delta that is out of order or of an old version, and asks for a full copy', async (t) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      await fill(pool, chain);
      const feed = new MirrorFeed(pool.records, 4, () => {});
      const request = (over: Partial<AssembleRequest>): AssembleRequest => ({
        version: 5,
        delta: feed.delta(false),
        height: 201,
        lockTimeCutoff: 0,
        segwitActive: true,
        maxWeight: LIMITS.maxWeight,
        reservedWeight: 4000,
        mode: 'core',
        branch: false,
        minFeeRate: 0,
        maxSigops: 80_000,
        excluded: new Int32Array(0),
        apart: false,
        output: null,
        ...over,
      });
      const ask = (over: Partial<AssembleRequest> = {}): Promise<AssembleReply> => assembler.assemble(request(over));
      t.equal((await ask()).status, 'done');
      feed.delta(false);
      t.equal((await ask()).status, 'resync', 'one delta was never sent');
      t.equal((await ask()).status, 'resync', 'and nothing is assumed afterwards');
      t.equal((await ask({ delta: feed.delta(true) })).status, 'done');
      t.equal((await ask({ version: 0 })).status, 'invalid');
      t.equal((await ask({ delta: feed.delta(true), output: new SharedArrayBuffer(100) })).status, 'overflow');
      t.equal((await ask({ delta: feed.delta(true), segwitActive: false })).status, 'done');
    });

    t.test('builds correct lists when it reuses the unchanged beginning of the last one', async (t) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      const assembly = new Assembly(assembler, pool, 8);
      const pay = (fee: number): ReturnType<typeof spend> =>
        spend(crypto, [chain.fund(100_000)], [{ value: 100_000 - fee, script: PADDED }]);
      const txs = [9000, 7000, 5000, 3000].map(pay);
      for (const tx of txs) await pool.accept(tx);
      const ids = async (): Promise<string[]> => (await assembled(assembly)).map(({ txid }) => txid);
      const shown = (...list: ReturnType<typeof spend>[]): string[] => list.map((tx) => hashToHex(tx.txid));
      t.strictSame(await ids(), shown(...txs));
      chain.connect([]);
      t.strictSame(await ids(), shown(...txs), 'all of it');
      const middle = pay(6000);
      await pool.accept(middle);
      t.strictSame(await ids(), shown(txs[0], txs[1], middle, txs[2], txs[3]), 'the first two');
      chain.connect([txs[0], middle]);
      t.strictSame(await ids(), shown(txs[1], txs[2], txs[3]), 'nothing');
      // Slots are reused by now.
      const late = [8000, 4000].map(pay);
      for (const tx of late) await pool.accept(tx);
      t.strictSame(await ids(), shown(late[0], txs[1], txs[2], late[1], txs[3]));
      t.strictSame(await ids(), shown(late[0], txs[1], txs[2], late[1], txs[3]));
      t.equal(assembly.resyncs, 0);
    });

    t.test('builds the same list as from a fresh copy over random mempool changes', async (t) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      const assembly = new Assembly(assembler, pool, 5);
      const coins = Array.from({ length: 12 }, () => ({ outpoint: chain.fund(1_000_000), value: 1_000_000 }));
      const steps = fc.sample(
        fc.record({
          kind: fc.integer({ min: 0, max: 9 }),
          picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 3 }),
          fee: fc.integer({ min: 1, max: 40_000 }),
        }),
        160,
      );
      let most = 0;
      for (const { kind, picks, fee } of steps) {
        const entries = [...pool.entries()];
        if (kind < 6 || entries.length < 3) {
          const sources = [...new Set(picks.map((n) => coins[n % coins.length]))];
          const value = sources.reduce((sum, source) => sum + source.value, 0) - fee;
          if (value < 1000) continue;
          const tx = spend(
            crypto,
            sources.map(({ outpoint }) => outpoint),
            [
              { value: value - 500, script: PADDED },
              { value: 500, script: ANYONE },
            ],
          );
          if ((await pool.accept(tx)).reject !== null) continue;
          // One coin lives on in the child; the others are new, or now and then spent twice, which is a replacement.
          for (const n of picks) if (n % 7 !== 0) coins[n % coins.length] = { outpoint: chain.fund(1_000_000), value: 1_000_000 };
          coins[picks[0] % coins.length] = { outpoint: outpointOf(tx, 0), value: value - 500 };
        } else if (kind < 9) pool.prioritise(entries[picks[0] % entries.length].tx.txid, fee - 20_000);
        else
          chain.connect(
            entries
              .filter((entry) => entry.parents.length === 0)
              .slice(0, 4)
              .map((entry) => entry.tx),
          );
        if (picks[0] % 3 === 0) continue;
        const list = await assembled(assembly);
        const fresh = await assembled(new Assembly(inline(), pool, 6));
        t.strictSame(list, fresh);
        most = Math.max(most, list.length);
      }
      t.ok(most >= 5, `up to ${most} transactions`);
      t.equal(assembly.resyncs, 0);
    });
  });
}

t.test('two assemblers on one thread have separate mirrors, and closing one removes its mirror', async (t) => {
  const assembler = new PooledAssembler();
  t.teardown(() => assembler.close());
  let beside = assembler.secondAssembler();
  const present: Assembler = {
    assemble: (request) => beside.assemble(request),
    improve: (ms) => beside.improve(ms),
    close: async () => {},
  };
  const [own, other] = await Promise.all(
    [assembler, present].map(async (one, i) => {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      await fill(pool, chain);
      return { pool, chain, assembly: new Assembly(one, pool, i) };
    }),
  );
  for (let i = 0; i < 3; i++) {
    for (const { pool, chain, assembly } of [own!, other!]) {
      if (i > 0) await pool.accept(spend(crypto, [chain.fund(50_000)], [{ value: 30_000, script: PADDED }]));
      t.equal((await assembled(assembly)).length, 3 + i);
      t.equal(assembly.resyncs, 0);
    }
  }
  await beside.close();
  beside = assembler.secondAssembler();
  t.equal((await assembled(own!.assembly)).length, 5);
  t.equal(own!.assembly.resyncs, 0);
  t.equal((await assembled(other!.assembly)).length, 5);
  t.equal(other!.assembly.resyncs, 1, 'it was forgotten');
});

t.test('replaces a thread that died, and sends the mirror again', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  await fill(pool, chain);
  const filename = new URL('./dying-assembler.js', import.meta.url).href;
  const assembler = new PooledAssembler({ filename });
  t.teardown(() => assembler.close());
  const assembly = new Assembly(assembler, pool, 7);
  t.equal((await assembled(assembly)).length, 3);
  // This worker ends its thread when it sees a maximum weight of 1.
  await t.rejects(assembly.choose(TIP, { ...LIMITS, maxWeight: 1 }, null));
  t.equal((await assembled(assembly)).length, 3);
  t.equal(assembly.resyncs, 1);
});

t.test('fails a request when a dead thread cannot be replaced at once, and works at a later one', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  await fill(pool, chain);
  const filename = new URL('./dying-assembler.js', import.meta.url).href;
  const assembler = new PooledAssembler({ filename });
  t.teardown(() => assembler.close());
  const assembly = new Assembly(assembler, pool, 8);
  t.equal((await assembled(assembly)).length, 3);
  process.env.ADIT_TEST_BROKEN_WORKER = '1';
  try {
    await t.rejects(assembly.choose(TIP, { ...LIMITS, maxWeight: 1 }, null));
    await t.rejects(assembly.choose(TIP, LIMITS, null));
    await t.rejects(assembler.improve(1));
  } finally {
    delete process.env.ADIT_TEST_BROKEN_WORKER;
  }
  // One that was started meanwhile may be under way to its end.
  const slots = await assembled(assembly).catch(() => assembled(assembly));
  t.equal(slots.length, 3);
});
