// The deltas for the assembler's mirror: written ahead in pieces while the pool changes, and given up when nobody asks.
// After each delta the mirror must hold what a fresh copy of the pool holds.
import t from 'tap';
import { toHex } from '../../../src/consensus/bytes/hex.js';
import { AssembleMirror } from '../../../src/jobs/assemble-mirror.js';
import { LinkTable } from '../../../src/mempool/link-table.js';
import { FLAG, Rows } from '../../../src/mempool/rows.js';
import type { TxRecords } from '../../../src/mempool/tx-records.js';
import { MirrorFeed } from '../../../src/template/mirror-feed.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);

/** Everything that a mirror knows, slot by slot. */
function contents(mirror: AssembleMirror): unknown {
  const c = mirror.candidates;
  const slots = Array.from({ length: c.capacity }, (_, slot) => slot).filter((slot) => c.used[slot] === 1);
  return {
    ranking: [...mirror.ranking],
    rows: slots.map((slot) => ({
      slot,
      figures: [c.fee, c.modifiedFee, c.size, c.weight, c.sigops, c.lockTime].map((column) => column[slot]),
      ancestors: [c.ancestorCount, c.ancestorSize, c.ancestorFees, c.ancestorSigops].map((column) => column[slot]),
      parents: [...c.parents[slot]].sort(),
      children: [...c.children[slot]].sort(),
      record: toHex(mirror.segmentOf(slot).subarray(c.offset[slot], c.offset[slot] + c.length[slot])),
      txid: toHex(c.txids.subarray(slot * 32, slot * 32 + 32)),
    })),
  };
}

/** A pool that changes at random. */
function changingPool(seed: number) {
  const random = pseudoRandom(seed);
  const { pool, chain } = createPool({ policy: NO_POLICY, segmentBytes: 600 });
  let coins = Array.from({ length: 8 }, () => ({ outpoint: chain.fund(1_000_000), value: 1_000_000 }));
  const next = (below: number): number => Math.floor(random() * below);
  const change = async (): Promise<void> => {
    const kind = next(20);
    const entries = [...pool.entries()];
    if (kind < 15 || entries.length === 0) {
      const sources = [...new Set([coins[next(coins.length)], coins[next(coins.length)]])];
      const value = sources.reduce((sum, source) => sum + source.value, 0) - 1000 - next(40_000);
      if (value < 2000) return;
      const outputs = [value - 1000, 1000].map((each) => ({ value: each, script: PADDED }));
      const tx = spend(
        crypto,
        sources.map(({ outpoint }) => outpoint),
        outputs,
        { sequence: 0xfffffffd },
      );
      if ((await pool.accept(tx)).reject !== null) {
        // Maybe one of them is long spent.
        coins = [...coins.filter((coin) => !sources.includes(coin)), { outpoint: chain.fund(1_000_000), value: 1_000_000 }];
        return;
      }
      // Now and then its coins stay on the list, so that they are spent again: a replacement.
      if (next(4) > 0) coins = coins.filter((coin) => !sources.includes(coin));
      coins.push({ outpoint: outpointOf(tx, 0), value: value - 1000 }, { outpoint: chain.fund(1_000_000), value: 1_000_000 });
    } else if (kind < 18) pool.prioritise(entries[next(entries.length)].tx.txid, next(9000));
    else {
      const free = entries.filter((entry) => entry.parents.length === 0).map((entry) => entry.tx);
      chain.connect(free.slice(0, 1 + next(3)));
    }
  };
  return { pool, change, next };
}

t.test('writes a consistent delta in pieces while the mempool changes', async (t) => {
  const counts = { rewritten: 0, interrupted: 0, transactions: 0 };
  for (let seed = 1; seed <= 6; seed++) {
    const { pool, change, next } = changingPool(seed);
    const feed = new MirrorFeed(pool.records, 1, () => t.fail('nothing is given up here'), { rowsAtOnce: 2 });
    const mirror = new AssembleMirror();
    for (let turn = 0; turn < 25; turn++) {
      for (let i = next(12); i > 0; i--) await change();
      let pauses = 0;
      const stopAt = next(3) === 0 ? 1 + next(4) : 0;
      let delta = null;
      await feed.prepare(async () => {
        if (next(2) === 0) {
          await change();
          counts.rewritten++;
        }
        if (++pauses !== stopAt) return;
        counts.interrupted++;
        delta = feed.delta(false);
      });
      if (next(3) === 0) await change();
      if (delta !== null && !mirror.apply(delta)) t.fail('a delta did not continue the one before');
      delta = feed.delta(turn % 9 === 8);
      t.ok(mirror.apply(delta));
      feed.acknowledge(mirror.sequence);
      t.equal(feed.heldRows, 0);
      const fresh = new AssembleMirror();
      fresh.apply(new MirrorFeed(pool.records, 2, () => {}).delta(false));
      t.strictSame(contents(mirror), contents(fresh));
      counts.transactions = Math.max(counts.transactions, pool.size);
    }
  }
  t.ok(counts.rewritten > 20 && counts.interrupted > 3 && counts.transactions > 5, JSON.stringify(counts));
});

t.test('empties the mirror when too many removed rows are held between requests', async (t) => {
  const { pool, change } = changingPool(5);
  const mirror = new AssembleMirror();
  let emptied = 0;
  const empty = (delta: Parameters<AssembleMirror['apply']>[0]): void => {
    emptied++;
    t.ok(mirror.apply(delta));
  };
  const feed = new MirrorFeed(pool.records, 1, empty, { heldRows: 3 });
  let most = 0;
  for (let turn = 0; turn < 8; turn++) {
    while (pool.size < 5) await change();
    feed.requestStarted();
    const delta = feed.delta(false);
    t.ok(mirror.apply(delta));
    const before = emptied;
    const received = contents(mirror);
    if (turn % 2 === 0) {
      // The reply is under way, and may name anything that the mirror has.
      for (let i = 0; i < 30; i++) await change();
      t.equal(emptied, before, 'not before the reply has been read');
      t.strictSame(contents(mirror), received, 'records of what left are where they were');
    }
    feed.acknowledge(mirror.sequence);
    feed.requestEnded();
    for (let i = 0; i < 30; i++) {
      await change();
      most = Math.max(most, feed.heldRows);
    }
    t.strictSame([...mirror.ranking].length === 0, emptied > before);
    t.ok(mirror.apply(feed.delta(false)), 'goes on from the empty mirror');
    feed.acknowledge(mirror.sequence);
    const fresh = new AssembleMirror();
    fresh.apply(new MirrorFeed(pool.records, 2, () => {}).delta(false));
    t.strictSame(contents(mirror), contents(fresh));
  }
  t.ok(emptied > 3, `emptied ${emptied} times`);
  t.ok(most <= 3 + 5, `${most} held at most after a change`);
});

t.test('retains the mirror when the largest possible block arrives during a build', async (t) => {
  const rows = new Rows();
  const arena = { segmentCount: 0, segment: () => null };
  const records = { rows, links: new LinkTable(rows), arena, hold() {}, release() {}, follow() {} } as unknown as TxRecords;
  // Four million units of weight by 240 of the smallest.
  for (let n = 0; n < 16_600; n++) {
    const row = rows.allocate();
    rows.flags[row] = FLAG.here;
    rows.length[row] = 60;
  }
  let emptied = 0;
  const feed = new MirrorFeed(records, 1, () => emptied++);
  feed.delta(false);
  feed.requestStarted();
  for (const row of rows.here()) feed.removed(row);
  feed.requestEnded();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(emptied, 0);
  t.equal(feed.heldRows, 16_600);
});

t.test('asks for a full copy after a delta that failed partway', async (t) => {
  const mirror = new AssembleMirror();
  const delta = { instance: 7, segments: [], removed: new Int32Array(0), changed: new Int32Array(0), rows: new Float64Array(0) };
  const parents = new Int32Array(0);
  t.equal(mirror.apply({ ...delta, parents, base: -1, sequence: 1 }), true);
  const broken = { ...delta, parents, base: 1, sequence: 2, changed: Int32Array.of(0), rows: null as unknown as Float64Array };
  t.throws(() => mirror.apply(broken));
  t.equal(mirror.apply({ ...delta, parents, base: 2, sequence: 3 }), false, 'a full copy is asked for');
  t.equal(mirror.apply({ ...delta, parents, base: -1, sequence: 4 }), true);
  t.equal(mirror.sequence, 4);
});
