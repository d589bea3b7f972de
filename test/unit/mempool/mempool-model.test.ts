// Compares the mempool with a naive model over random histories. The model is a plain list of transactions, from which
// the test computes everything else again after each step. Also checks that listeners are notified of exactly these
// changes.
import assert from 'node:assert/strict';
import t from 'tap';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import type { PoolSnapshot } from '../../../src/mempool/snapshot.js';
import { entryUsage, hashListUsage } from '../../../src/mempool/usage.js';
import { feeForSize } from '../../../src/policy/fee-rate.js';
import { fc } from '../../framework/fast-check.js';
import { ANYONE, type ModelChain, outpointOf, spend } from '../../framework/model-chain.js';
import { addCommand, prioritiseCommand, replaceCommand } from '../../framework/pool-commands.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const EXPIRY = 300;
/** Memory for two or three records, so that records are moved all the time. */
const SEGMENT_BYTES = 600;
/** Memory for about five transactions. */
const SMALL_USAGE = 4_500;
/** A push, OP_DROP and OP_TRUE: large enough that no transaction is below the minimum size. */
const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);

/** The model's record of a transaction. */
interface Known {
  readonly tx: TxView;
  readonly fee: number;
  readonly size: number;
  readonly time: number;
}

/** The model: a list of transactions, and functions over it. */
class NaivePool {
  txs: Known[] = [];
  readonly deltas = new Map<string, number>();
  listRoom = 0;
  /** Value of every output that ever existed, by outpoint. */
  readonly values = new Map<string, number>();

  find(txid: Uint8Array): Known | undefined {
    return this.txs.find(({ tx }) => hashKey(tx.txid) === hashKey(txid));
  }
  inputs(tx: TxView): string[] {
    return Array.from({ length: tx.inputCount }, (_, i) => hashKey(tx.outpoint(i)));
  }
  parents(of: Known): Known[] {
    return this.txs.filter(({ tx }) =>
      Array.from({ length: of.tx.inputCount }, (_, i) => hashKey(of.tx.prevHash(i))).includes(hashKey(tx.txid)),
    );
  }
  ancestors(of: Known): Set<Known> {
    const found = new Set<Known>();
    const walk = (at: Known): void => {
      for (const parent of this.parents(at)) {
        if (found.has(parent)) continue;
        found.add(parent);
        walk(parent);
      }
    };
    walk(of);
    return found;
  }
  descendants(of: Known): Known[] {
    return this.txs.filter((other) => this.ancestors(other).has(of));
  }
  modified(of: Known): number {
    return of.fee + (this.deltas.get(hashKey(of.tx.txid)) ?? 0);
  }
  drop(gone: ReadonlySet<Known>): void {
    for (const known of gone) {
      if (!this.txs.includes(known)) continue;
      this.txs = this.txs.filter((other) => other !== known);
      const left = this.txs.length;
      if (left > 0 && left * 2 < this.listRoom) this.listRoom = left;
    }
  }
  push(known: Known): void {
    this.txs.push(known);
    if (this.txs.length > this.listRoom) this.listRoom = Math.max(1, this.listRoom * 2);
  }

  /**
   * Computes Core's measure of memory again: nodes, links from both ends, prioritisations, and a list of hashes that
   * grows by doubling.
   */
  usage(): number {
    let sum = this.deltas.size * 96 + hashListUsage(this.listRoom);
    for (const known of this.txs) sum += entryUsage(known.tx) + this.parents(known).length * 2 * 64;
    return sum;
  }
  /**
   * Returns the transactions that may be evicted first: the ones with the lowest rate, where the higher of a
   * transaction's own rate and its descendants' rate counts. Among equal ones it is the newest.
   */
  worst(): Known[] {
    const rate = (known: Known): number => {
      const below = [known, ...this.descendants(known)];
      const fees = below.reduce((sum, one) => sum + this.modified(one), 0);
      const size = below.reduce((sum, one) => sum + one.size, 0);
      return Math.max(this.modified(known) / known.size, fees / size);
    };
    const least = Math.min(...this.txs.map(rate));
    const lowest = this.txs.filter((known) => rate(known) === least);
    const newest = Math.max(...lowest.map(({ time }) => time));
    return lowest.filter(({ time }) => time === newest);
  }
  dropWithDescendants(root: Known): void {
    this.drop(new Set([root, ...this.descendants(root)]));
  }
  exists(chain: ModelChain, tx: TxView): boolean {
    return this.inputs(tx).every(
      (key) =>
        chain.coinMap.has(key) ||
        this.txs.some((other) => Array.from({ length: other.tx.outputCount }, (_, i) => hashKey(outpointOf(other.tx, i))).includes(key)),
    );
  }
  feeOf(tx: TxView): number {
    let fee = 0;
    for (const key of this.inputs(tx)) fee += this.values.get(key) ?? 0;
    for (let i = 0; i < tx.outputCount; i++) fee -= tx.outputValue(i);
    return fee;
  }
  learn(tx: TxView): void {
    for (let i = 0; i < tx.outputCount; i++) this.values.set(hashKey(outpointOf(tx, i)), tx.outputValue(i));
  }

  /** Applies BIP-0125 and checks that the inputs exist. No limits are set in these tests. */
  accept(chain: ModelChain, tx: TxView, time: number): boolean {
    if (this.find(tx.txid) !== undefined || !this.exists(chain, tx)) return false;
    const fee = this.feeOf(tx);
    if (fee < 0) return false;
    const known: Known = { tx, fee, size: tx.vsize, time };
    const mine = this.inputs(tx);
    const rivals = this.txs.filter((other) => this.inputs(other.tx).some((key) => mine.includes(key)));
    const modified = fee + (this.deltas.get(hashKey(tx.txid)) ?? 0);
    const gone = new Set<Known>(rivals);
    for (const rival of rivals) {
      if (!Array.from({ length: rival.tx.inputCount }, (_, i) => rival.tx.sequence(i)).some((sequence) => sequence <= 0xfffffffd))
        return false;
      if (Math.trunc((modified * 1000) / known.size) <= Math.trunc((this.modified(rival) * 1000) / rival.size)) return false;
      for (const below of this.descendants(rival)) gone.add(below);
    }
    if (rivals.length > 0) {
      const ancestors = this.ancestors(known);
      if (rivals.some((rival) => ancestors.has(rival))) return false;
      const oldParents = new Set(
        rivals.flatMap((rival) => Array.from({ length: rival.tx.inputCount }, (_, i) => hashKey(rival.tx.prevHash(i)))),
      );
      if (this.parents(known).some((parent) => !oldParents.has(hashKey(parent.tx.txid)))) return false;
      let oldFees = 0;
      for (const rival of gone) oldFees += this.modified(rival);
      if (modified < oldFees) return false;
    }
    this.drop(gone);
    this.push(known);
    this.learn(tx);
    return true;
  }

  confirm(txs: readonly TxView[]): void {
    for (const tx of txs) {
      const known = this.find(tx.txid);
      if (known !== undefined) this.drop(new Set([known]));
      const mine = this.inputs(tx);
      for (;;) {
        const rival = this.txs.find((other) => this.inputs(other.tx).some((key) => mine.includes(key)));
        if (rival === undefined) break;
        this.deltas.delete(hashKey(rival.tx.txid));
        this.dropWithDescendants(rival);
      }
      this.deltas.delete(hashKey(tx.txid));
    }
  }

  /** After a reorganisation: removes transactions whose inputs do not exist, until all inputs exist. */
  prune(chain: ModelChain): void {
    for (;;) {
      const lost = this.txs.find(({ tx }) => !this.exists(chain, tx));
      if (lost === undefined) return;
      this.dropWithDescendants(lost);
    }
  }
}

const commands = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: addCommand({ picks: 3, outputs: 3, fee: 3000 }, fc.boolean()) },
    { weight: 4, arbitrary: replaceCommand({ picks: 1, fee: 12_000 }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('package' as const),
        picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 2 }),
        low: fc.integer({ min: 0, max: 600 }),
        high: fc.integer({ min: 0, max: 9000 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('mine' as const), share: fc.integer({ min: 0, max: 100 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('mineRival' as const), pick: fc.nat(1000) }) },
    { weight: 3, arbitrary: prioritiseCommand(-2000, 5000) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 3 }),
        again: fc.integer({ min: 0, max: 100 }),
        blocks: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 700 }) }) },
  ),
  { minLength: 5, maxLength: 45 },
);

type Command = typeof commands extends fc.Arbitrary<(infer C)[]> ? C : never;

/** @param small the mempool is full with a few transactions, and no block is disconnected */
async function run(list: readonly Command[], small: boolean): Promise<Record<string, number>> {
  const { chain, clock, pool } = createPool({
    policy: NO_POLICY,
    expirySeconds: EXPIRY,
    ...(small ? { maxUsageBytes: SMALL_USAGE } : {}),
    segmentBytes: SEGMENT_BYTES,
    limitAncestorCount: 1000,
    limitDescendantCount: 1000,
    limitAncestorSize: 1e9,
    limitDescendantSize: 1e9,
  });
  const naive = new NaivePool();
  const received = new Set<string>();
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  let moves = 0;
  pool.listen({
    added: (entry) => {
      assert(!received.has(hashKey(entry.txid)));
      received.add(hashKey(entry.txid));
      moves++;
    },
    removed: (entry, reason) => {
      assert(received.delete(hashKey(entry.tx.txid)));
      count(`removed: ${reason}`);
      moves++;
    },
    changed: (entry) => assert(received.has(hashKey(entry.txid)), 'only what is here changes'),
  });
  for (let i = 0; i < 6; i++) {
    const outpoint = chain.fund(100_000);
    naive.values.set(hashKey(outpoint), 100_000);
  }
  let tipMoves = 0;
  let prioritised = 0;
  const expire = (): void => {
    for (;;) {
      const old = naive.txs.find(({ time }) => time < clock.nowSeconds() - EXPIRY);
      if (old === undefined) break;
      naive.dropWithDescendants(old);
    }
  };
  const offer = async (tx: TxView): Promise<void> => {
    const before = [...naive.txs];
    const floor = feeForSize(pool.stats().minFeeRate, tx.vsize);
    const pays = naive.feeOf(tx) + (naive.deltas.get(hashKey(tx.txid)) ?? 0) >= floor;
    const expected = pays && naive.accept(chain, tx, clock.nowSeconds());
    const { reject } = await pool.accept(tx);
    if (expected) {
      expire();
      while (small && naive.txs.length > 0 && naive.usage() > SMALL_USAGE) {
        // Among equal transactions the mempool may choose.
        const gone = naive.worst().find(({ tx: worst }) => pool.get(worst.txid) === undefined);
        assert(gone !== undefined, 'one of the worst was evicted');
        naive.dropWithDescendants(gone);
        count('evicted');
      }
      // The transaction left at once, either with an ancestor that was too old or because it was the worst one. Core
      // reports "mempool full" in both cases.
      if (naive.find(tx.txid) === undefined) {
        assert.equal(reject?.reason, 'mempool full');
        count(small ? 'full' : 'expired at once');
        return;
      }
    }
    assert.equal(reject === null, expected, `expected ${expected}, got ${reject?.reason} ${reject?.debug}`);
    count(expected ? (before.every((known) => naive.txs.includes(known)) ? 'accepted' : 'replaced') : 'refused');
  };
  /**
   * Offers a parent that spends these coins and a child of it. Neither conflicts with other transactions, so only their
   * fees decide.
   */
  const offerPackage = async (parent: TxView, child: TxView): Promise<void> => {
    const rate = pool.stats().minFeeRate;
    const pays = (fee: number, size: number): boolean => fee >= feeForSize(rate, size);
    const before = new Set(naive.txs);
    const parentAlone = pays(naive.feeOf(parent), parent.vsize);
    naive.learn(parent);
    const childFee = naive.feeOf(child);
    const together = !parentAlone && pays(naive.feeOf(parent) + childFee, parent.vsize + child.vsize);
    if (parentAlone || together) assert(naive.accept(chain, parent, clock.nowSeconds()));
    if ((parentAlone && pays(childFee, child.vsize)) || together) assert(naive.accept(chain, child, clock.nowSeconds()));
    const { results } = await pool.acceptPackage([parent, child]);
    expire();
    while (small && naive.txs.length > 0 && naive.usage() > SMALL_USAGE) {
      const gone = naive.worst().find(({ tx }) => pool.get(tx.txid) === undefined);
      assert(gone !== undefined, 'one of the worst was evicted');
      naive.dropWithDescendants(gone);
    }
    for (const tx of [parent, child]) {
      assert.equal(results.get(hashKey(tx.wtxid))?.kind, naive.find(tx.txid) === undefined ? 'invalid' : 'valid');
    }
    if (together) count('paid for by its child');
    if (naive.txs.some((known) => !before.has(known))) count('package taken');
  };
  const unspent = (): { outpoint: Uint8Array; value: number }[] => {
    const spent = new Set(naive.txs.flatMap(({ tx }) => naive.inputs(tx)));
    const here = naive.txs.flatMap(({ tx }) => Array.from({ length: tx.outputCount }, (_, i) => hashKey(outpointOf(tx, i))));
    return [...chain.coinMap.keys(), ...here]
      .filter((key) => !spent.has(key) && (naive.values.get(key) ?? 0) > 0)
      .map((key) => ({ outpoint: Uint8Array.from(key, (c) => c.charCodeAt(0)), value: naive.values.get(key) as number }));
  };
  const make = (sources: readonly { outpoint: Uint8Array; value: number }[], outputs: number, fee: number, final: boolean): TxView => {
    const total = Math.max(0, sources.reduce((sum, { value }) => sum + value, 0) - fee);
    const share = Math.floor(total / outputs);
    const rest = Array.from({ length: outputs - 1 }, () => ({ value: share, script: ANYONE }));
    return spend(
      crypto,
      sources.map(({ outpoint }) => outpoint),
      [{ value: total - share * (outputs - 1), script: PADDED }, ...rest],
      { sequence: final ? 0xffffffff : 0xfffffffd },
    );
  };
  const closed = (share: number): TxView[] => {
    // After a block was disconnected, parents may be later than their children in the order of arrival. So sort by
    // depth.
    const order = [...naive.txs].sort((a, b) => naive.ancestors(a).size - naive.ancestors(b).size);
    const chosen: Known[] = [];
    for (let i = 0; i < order.length; i++) {
      if ((i * 37 + 11) % 100 < share && naive.parents(order[i]).every((parent) => chosen.includes(parent))) chosen.push(order[i]);
    }
    return chosen.map(({ tx }) => tx);
  };
  const mined: TxView[][] = [];
  let snapshot: { list: PoolSnapshot; before: readonly object[] } | null = null;
  const figures = (list: PoolSnapshot): object[] =>
    Array.from(list, ({ tx, txid, wtxid, fee, time, size }) => ({ bytes: tx.bytes, txid, wtxid, fee, time, size }));
  pool.records.follow({ added() {}, removed() {}, changed() {}, moved: () => count('moved'), failed() {} });

  for (const command of list) {
    const moved = moves;
    const counter = pool.counter;
    tipMoves = 0;
    prioritised = 0;
    switch (command.kind) {
      case 'add': {
        const coins = unspent();
        if (coins.length === 0) break;
        const sources = [...new Set(command.picks.map((n) => coins[n % coins.length]))];
        await offer(make(sources, command.outputs, command.fee, command.final));
        break;
      }
      case 'package': {
        const coins = unspent();
        if (coins.length === 0) break;
        const sources = [...new Set(command.picks.map((n) => coins[n % coins.length]))];
        const parent = make(sources, 2, command.low, false);
        if (naive.find(parent.txid) !== undefined || parent.outputValue(0) === 0) break;
        const child = make(
          [{ outpoint: outpointOf(parent, 0), value: parent.outputValue(0) }],
          1,
          Math.min(command.high, parent.outputValue(0)),
          false,
        );
        await offerPackage(parent, child);
        break;
      }
      case 'replace': {
        if (naive.txs.length === 0) break;
        const victim = naive.txs[command.pick % naive.txs.length].tx;
        const first = hashKey(victim.outpoint(0));
        const coins = unspent();
        const sources = [
          { outpoint: victim.outpoint(0), value: naive.values.get(first) as number },
          ...command.extra.filter(() => coins.length > 0).map((n) => coins[n % coins.length]),
        ];
        await offer(make(sources, 1, command.fee, false));
        break;
      }
      case 'mine': {
        const txs = closed(command.share);
        mined.push(txs);
        chain.connect(txs);
        naive.confirm(txs);
        tipMoves = 1;
        break;
      }
      case 'mineRival': {
        const confirmedOnly = naive.txs.filter(({ tx }) => naive.inputs(tx).every((key) => chain.coinMap.has(key)));
        if (confirmedOnly.length === 0) break;
        const victim = confirmedOnly[command.pick % confirmedOnly.length].tx;
        const rival = make(
          [{ outpoint: victim.outpoint(0), value: naive.values.get(hashKey(victim.outpoint(0))) as number }],
          2,
          1234,
          false,
        );
        naive.learn(rival);
        mined.push([rival]);
        chain.connect([rival]);
        naive.confirm([rival]);
        tipMoves = 1;
        break;
      }
      case 'prioritise': {
        if (naive.txs.length === 0) break;
        const { tx } = naive.txs[command.pick % naive.txs.length];
        const total = (naive.deltas.get(hashKey(tx.txid)) ?? 0) + command.delta;
        // A prioritisation that adds up to zero is not stored.
        if (total === 0) naive.deltas.delete(hashKey(tx.txid));
        else naive.deltas.set(hashKey(tx.txid), total);
        pool.prioritise(tx.txid, command.delta);
        prioritised = 1;
        break;
      }
      case 'reorg': {
        const depth = small ? 0 : Math.min(command.depth, mined.length);
        if (depth === 0) break;
        const back = mined.splice(mined.length - depth).flat();
        // Some of the confirmed transactions are confirmed again; the others return to the mempool or are lost.
        const spentAgain = new Set<string>();
        const again: TxView[] = [];
        const kept = new Set<string>();
        for (let i = 0; i < back.length; i++) {
          const parentsBack = back.filter((other) =>
            Array.from({ length: back[i].inputCount }, (_, k) => hashKey(back[i].prevHash(k))).includes(hashKey(other.txid)),
          );
          if ((i * 53) % 100 < command.again && parentsBack.every((parent) => kept.has(hashKey(parent.txid)))) {
            again.push(back[i]);
            kept.add(hashKey(back[i].txid));
            for (const key of naive.inputs(back[i])) spentAgain.add(key);
          }
        }
        const blocks = Array.from({ length: command.blocks }, (_, i) => (i === 0 ? again : []));
        mined.push(...blocks);
        chain.reorg(depth, blocks);
        tipMoves = depth + blocks.length;
        naive.confirm(again);
        for (const tx of back) if (!kept.has(hashKey(tx.txid))) naive.accept(chain, tx, clock.nowSeconds());
        naive.prune(chain);
        await pool.settled();
        expire();
        break;
      }
      case 'snapshot':
        // A snapshot must not change, whatever has left the mempool since.
        if (snapshot !== null) {
          assert.deepEqual(figures(snapshot.list), snapshot.before);
          snapshot.list.release();
        }
        snapshot = null;
        {
          const list = await pool.snapshot();
          snapshot = { list, before: figures(list) };
        }
        break;
      case 'wait':
        clock.seconds += command.seconds;
        break;
    }
    count(command.kind);
    assert.equal(
      (pool.counter - counter) >>> 0,
      moves - moved + tipMoves + prioritised,
      'the counter counts entries, tips and prioritisations',
    );
    compare(naive, [...pool.entries()], pool, received, small);
  }
  if (snapshot !== null) {
    assert.deepEqual(figures(snapshot.list), snapshot.before);
    snapshot.list.release();
  }
  // Except for two or three segments, no memory may be kept for transactions that have left.
  const live = naive.txs.reduce((sum, { tx }) => sum + 64 + tx.totalSize, 0);
  assert(pool.records.arena.reservedBytes <= 1.5 * live + 3 * SEGMENT_BYTES + 1_000, `${pool.records.arena.reservedBytes} for ${live}`);
  return counts;
}

function compare(
  naive: NaivePool,
  entries: MempoolEntry[],
  pool: ReturnType<typeof createPool>['pool'],
  heard: ReadonlySet<string>,
  exactUsage: boolean,
): void {
  const keys = (list: Iterable<{ tx: TxView }>): string[] => [...list].map(({ tx }) => hashKey(tx.txid)).sort();
  assert.deepEqual(keys(entries), keys(naive.txs), 'the same transactions');
  assert.deepEqual([...heard].sort(), keys(naive.txs), 'and listeners know them');
  assert.equal(pool.size, naive.txs.length);
  if (exactUsage) assert.equal(pool.stats().usageBytes, naive.usage(), 'memory equals a fresh sum');
  assert.equal(
    pool.stats().bytes,
    naive.txs.reduce((sum, { size }) => sum + size, 0),
  );
  assert.equal(
    pool.stats().totalFees,
    naive.txs.reduce((sum, { fee }) => sum + fee, 0),
  );
  const spenders = new Map<string, string>();
  for (const known of naive.txs) {
    const entry = pool.get(known.tx.txid) as MempoolEntry;
    const above = naive.ancestors(known);
    const below = naive.descendants(known);
    const total = (list: Iterable<Known>, of: (item: Known) => number): number => [...list].reduce((sum, item) => sum + of(item), 0);
    const size = (item: Known): number => item.size;
    const fee = (item: Known): number => naive.modified(item);
    assert.deepEqual(entry.tx.bytes, new Uint8Array(known.tx.bytes));
    assert.deepEqual(entry.txid, known.tx.txid);
    assert.equal(pool.getByWtxid(known.tx.wtxid)?.row, entry.row);
    assert.equal(entry.fee, known.fee);
    assert.equal(entry.time, known.time);
    assert.equal(entry.modifiedFee, naive.modified(known));
    assert.equal(entry.ancestorCount, above.size + 1);
    assert.equal(entry.ancestorSize, total([known, ...above], size));
    assert.equal(entry.ancestorFees, total([known, ...above], fee));
    assert.equal(entry.descendantCount, below.length + 1);
    assert.equal(entry.descendantSize, total([known, ...below], size));
    assert.equal(entry.descendantFees, total([known, ...below], fee));
    assert.equal(
      entry.ancestorSigops,
      total([known, ...above], (item) => (pool.get(item.tx.txid) as MempoolEntry).sigopCost),
    );
    assert.deepEqual(keys(entry.parents), keys(naive.parents(known)));
    assert.deepEqual(keys(pool.ancestors(entry)), keys(above));
    assert.deepEqual(keys(pool.descendants(entry)), keys(below));
    for (const key of naive.inputs(known.tx)) {
      assert(!spenders.has(key), 'no output is spent twice');
      spenders.set(key, hashKey(entry.txid));
    }
    for (let i = 0; i < known.tx.inputCount; i++) assert.equal(pool.spender(known.tx.outpoint(i))?.row, entry.row);
  }
}

t.test('behaves like a naive model over random additions, replacements, blocks and evictions', async (t) => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(commands, fc.boolean(), async (list, small) => {
      for (const [name, n] of Object.entries(await run(list, small))) seen[name] = (seen[name] ?? 0) + n;
    }),
    { numRuns: 350 },
  );
  for (const name of [
    'accepted',
    'replaced',
    'refused',
    'reorg',
    'removed: block',
    'removed: conflict',
    'removed: replaced',
    'removed: expiry',
    'removed: sizelimit',
    'evicted',
    'full',
    'snapshot',
    'moved',
    'package taken',
    'paid for by its child',
  ]) {
    t.ok((seen[name] ?? 0) >= 5, `${name}: ${seen[name]}`);
  }
});
