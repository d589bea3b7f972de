// Compares replacement in mode live with a naive model: a list of transactions, and the best fee-rate diagram over
// every set that contains the parents of its members. A replacement that the mempool accepts must improve this diagram,
// and one that it refuses because of the diagram would not. Then the single rules are tested.
import assert from 'node:assert/strict';
import t from 'tap';
import { hashKey, hashToHex } from '../../../src/consensus/bytes/hex.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { feeForSize } from '../../../src/policy/fee-rate.js';
import { fc } from '../../framework/fast-check.js';
import { type ModelChain, outpointOf, spend } from '../../framework/model-chain.js';
import { addCommand, prioritiseCommand, replaceCommand } from '../../framework/pool-commands.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const INCREMENTAL = 1000;
const OPTIONS = {
  policy: { ...NO_POLICY, incrementalFeeRate: INCREMENTAL },
  replaceByDiagram: true,
  limitAncestorCount: 1000,
  limitDescendantCount: 1000,
  limitAncestorSize: 1e9,
  limitDescendantSize: 1e9,
};
/** With more transactions, checking all sets would take too long. */
const MOST = 10;

interface Known {
  readonly tx: TxView;
  readonly fee: number;
}
type Point = readonly [weight: number, fee: number];

const inputsOf = (tx: TxView): string[] => Array.from({ length: tx.inputCount }, (_, i) => hashKey(tx.outpoint(i)));

class NaivePool {
  txs: Known[] = [];
  readonly deltas = new Map<string, number>();
  readonly values = new Map<string, number>();

  modified({ tx, fee }: Known): number {
    return fee + (this.deltas.get(hashKey(tx.txid)) ?? 0);
  }
  isParent(parent: Known, of: TxView): boolean {
    return Array.from({ length: of.inputCount }, (_, i) => hashKey(of.prevHash(i))).includes(hashKey(parent.tx.txid));
  }
  /** Returns the transactions with all their descendants. */
  withDescendants(roots: readonly Known[]): Set<Known> {
    const found = new Set(roots);
    for (const known of found) for (const other of this.txs) if (this.isParent(known, other.tx)) found.add(other);
    return found;
  }
  feeOf(tx: TxView): number {
    const income = inputsOf(tx).reduce((sum, key) => sum + (this.values.get(key) as number), 0);
    return Array.from({ length: tx.outputCount }, (_, i) => tx.outputValue(i)).reduce((left, value) => left - value, income);
  }
  learn(tx: TxView): void {
    for (let i = 0; i < tx.outputCount; i++) this.values.set(hashKey(outpointOf(tx, i)), tx.outputValue(i));
  }
  exists(chain: ModelChain, tx: TxView): boolean {
    const here = new Set(
      this.txs.flatMap((known) => Array.from({ length: known.tx.outputCount }, (_, i) => hashKey(outpointOf(known.tx, i)))),
    );
    return inputsOf(tx).every((key) => chain.coinMap.has(key) || here.has(key));
  }
}

/** Returns the corners of the best diagram: the upper hull over every set that contains the parents of all its members. */
function bestDiagram(pool: NaivePool, txs: readonly Known[]): Point[] {
  const parents = txs.map(({ tx }) => txs.reduce((mask, other, i) => (pool.isParent(other, tx) ? mask | (1 << i) : mask), 0));
  const points: Point[] = [];
  for (let set = 0; set < 1 << txs.length; set++) {
    const members = txs.filter((_, i) => (set & (1 << i)) !== 0);
    if (!txs.every((_, i) => (set & (1 << i)) === 0 || (parents[i] & ~set) === 0)) continue;
    points.push([members.reduce((sum, { tx }) => sum + tx.weight, 0), members.reduce((sum, known) => sum + pool.modified(known), 0)]);
  }
  points.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const hull: Point[] = [];
  for (const point of points) {
    if (hull.at(-1)?.[0] === point[0]) continue;
    for (; hull.length >= 2; hull.pop()) {
      const [a, b] = hull.slice(-2);
      if ((b[1] - a[1]) * (point[0] - a[0]) >= (point[1] - a[1]) * (b[0] - a[0])) break;
    }
    hull.push(point);
  }
  return hull;
}

/**
 * Returns the fees at a weight as numerator and denominator. Fees are never negative here, so the diagram is flat
 * beyond its end.
 */
function at(hull: readonly Point[], weight: number): [number, number] {
  const next = hull.findIndex(([end]) => end >= weight);
  if (next < 0) return [(hull.at(-1) as Point)[1], 1];
  if (hull[next][0] === weight) return [hull[next][1], 1];
  const [[w0, f0], [w1, f1]] = [hull[next - 1], hull[next]];
  return [f0 * (w1 - w0) + (f1 - f0) * (weight - w0), w1 - w0];
}

function compare(a: readonly Point[], b: readonly Point[]): { above: boolean; below: boolean } {
  let [above, below] = [false, false];
  for (const [weight] of [...a, ...b]) {
    const [[n, d], [m, e]] = [at(a, weight), at(b, weight)];
    if (n * e > m * d) above = true;
    if (n * e < m * d) below = true;
  }
  return { above, below };
}

const commands = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: addCommand({ picks: 2, outputs: 8, fee: 4000 }, fc.nat(9)) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(replaceCommand({ picks: 2, fee: 9000 }), fc.integer({ min: 1, max: 8 }))
        .map(([command, outputs]) => ({ ...command, outputs })),
    },
    { weight: 1, arbitrary: prioritiseCommand(1, 3000) },
  ),
  { minLength: 10, maxLength: 40 },
);
type Command = typeof commands extends fc.Arbitrary<(infer C)[]> ? C : never;

async function run(list: readonly Command[], counts: Record<string, number>): Promise<void> {
  const { chain, pool } = createPool(OPTIONS);
  const naive = new NaivePool();
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const received = new Set<string>();
  pool.listen({
    added: ({ txid }) => received.add(hashToHex(txid)),
    removed: ({ txid }) => received.delete(hashToHex(txid)),
    changed: () => {},
  });
  for (let i = 0; i < 5; i++) naive.values.set(hashKey(chain.fund(100_000)), 100_000);

  /** Returns the model's verdict: null if it accepts the transaction. */
  const judge = (tx: TxView): string | null => {
    if (naive.txs.some((known) => hashKey(known.tx.txid) === hashKey(tx.txid))) return 'txn-already-in-mempool';
    const mine = inputsOf(tx);
    const rivals = naive.txs.filter((known) => inputsOf(known.tx).some((key) => mine.includes(key)));
    if (
      rivals.some(({ tx: rival }) => Array.from({ length: rival.inputCount }, (_, i) => rival.sequence(i)).every((n) => n === 0xffffffff))
    )
      return 'txn-mempool-conflict';
    if (!naive.exists(chain, tx)) return 'bad-txns-inputs-missingorspent';
    const known: Known = { tx, fee: naive.feeOf(tx) };
    const gone = naive.withDescendants(rivals);
    if ([...gone].some((other) => naive.isParent(other, tx))) return 'bad-txns-spends-conflicting-tx';
    if (rivals.length > 0) {
      const oldFees = [...gone].reduce((sum, other) => sum + naive.modified(other), 0);
      if (naive.modified(known) - oldFees < feeForSize(INCREMENTAL, tx.vsize)) return 'insufficient fee';
      const before = bestDiagram(naive, naive.txs);
      const after = bestDiagram(naive, [...naive.txs.filter((other) => !gone.has(other)), known]);
      const { above, below } = compare(after, before);
      if (!above || below) return 'replacement-failed';
      const oldParents = naive.txs.filter((other) => rivals.some((rival) => naive.isParent(other, rival.tx)));
      if (naive.txs.some((other) => naive.isParent(other, tx) && !oldParents.includes(other))) count('taken with new unconfirmed inputs');
      count('replaced');
    }
    naive.txs = [...naive.txs.filter((other) => !gone.has(other)), known];
    naive.learn(tx);
    return null;
  };
  const make = (keys: readonly string[], outputs: number, wanted: number, final: boolean): TxView => {
    const total = keys.reduce((sum, key) => sum + (naive.values.get(key) as number), 0);
    const share = Math.floor((total - Math.min(wanted, total)) / outputs);
    return spend(
      crypto,
      keys.map((key) => Uint8Array.from(key, (c) => c.charCodeAt(0))),
      Array.from({ length: outputs }, () => ({ value: share, script: PADDED })),
      { sequence: final ? 0xffffffff : 0xfffffffd },
    );
  };
  const unspent = (): string[] => {
    const spent = new Set(naive.txs.flatMap(({ tx }) => inputsOf(tx)));
    const here = naive.txs.flatMap(({ tx }) => Array.from({ length: tx.outputCount }, (_, i) => hashKey(outpointOf(tx, i))));
    return [...chain.coinMap.keys(), ...here].filter((key) => !spent.has(key));
  };
  for (const command of list) {
    const coins = unspent();
    let tx: TxView | null = null;
    if (command.kind === 'add' && naive.txs.length < MOST && coins.length > 0)
      tx = make([...new Set(command.picks.map((n) => coins[n % coins.length]))], command.outputs, command.fee, command.final === 0);
    if (command.kind === 'replace' && naive.txs.length > 0) {
      const victim = naive.txs[command.pick % naive.txs.length].tx;
      const extra = command.extra.filter(() => coins.length > 0).map((n) => coins[n % coins.length]);
      tx = make([...new Set([hashKey(victim.outpoint(0)), ...extra])], command.outputs, command.fee, false);
    }
    if (command.kind === 'prioritise' && naive.txs.length > 0) {
      const { txid } = naive.txs[command.pick % naive.txs.length].tx;
      pool.prioritise(txid, command.delta);
      naive.deltas.set(hashKey(txid), (naive.deltas.get(hashKey(txid)) ?? 0) + command.delta);
    }
    if (tx === null) continue;
    const expected = judge(tx);
    const { reject } = await pool.accept(tx);
    assert.equal(reject?.reason ?? null, expected, reject?.debug);
    if (expected !== null) count(expected);
    assert.deepEqual([...received].sort(), naive.txs.map(({ tx: known }) => hashToHex(known.txid)).sort());
  }
}

t.test('replaces only when the fee rate diagram of the whole mempool improves', async (t) => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(commands, (list) => run(list, counts)),
    { numRuns: 80, seed: 20_240_801 },
  );
  for (const name of ['replaced', 'replacement-failed', 'insufficient fee', 'txn-mempool-conflict', 'bad-txns-spends-conflicting-tx'])
    t.ok(counts[name] > 0, `${name}: ${counts[name]}`);
  t.ok(counts['taken with new unconfirmed inputs'] > 0, 'which BIP-0125 does not allow');
});

/** Makes a mempool in mode live, with coins of 1,000,000 and transactions of one output each. */
function stage(options: Partial<typeof OPTIONS> = {}) {
  const { chain, pool } = createPool({ ...OPTIONS, ...options });
  const values = new Map<string, number>();
  const coin = (): Uint8Array => {
    const outpoint = chain.fund(1_000_000);
    values.set(hashKey(outpoint), 1_000_000);
    return outpoint;
  };
  const tx = (from: readonly Uint8Array[], fee: number, outputs = 1): TxView => {
    const total = from.reduce((sum, outpoint) => sum + (values.get(hashKey(outpoint)) as number), -fee);
    const made = spend(
      crypto,
      from,
      Array.from({ length: outputs }, (_, i) => ({ value: i === 0 ? total - outputs + 1 : 1, script: PADDED })),
      {
        sequence: 0xfffffffd,
      },
    );
    for (let i = 0; i < outputs; i++) values.set(hashKey(outpointOf(made, i)), made.outputValue(i));
    return made;
  };
  const offer = async (one: TxView): Promise<string | null> => {
    const { reject } = await pool.accept(one);
    return reject === null ? null : `${reject.reason}, ${reject.debug}`;
  };
  return { coin, tx, offer, pool };
}

t.test('keeps a small transaction when a larger one at a lower rate pays more in total', async (t) => {
  for (const replaceByDiagram of [true, false]) {
    const s = stage({ replaceByDiagram });
    const coin = s.coin();
    const small = s.tx([coin], 5_000);
    t.equal(await s.offer(small), null);
    const large = s.tx([coin], 9_000, 30);
    const said = await s.offer(large);
    if (replaceByDiagram) t.equal(said, 'replacement-failed, insufficient feerate: does not improve feerate diagram');
    else t.match(said, /^insufficient fee, rejecting replacement [0-9a-f]{64}; new feerate /, 'BIP-0125 as in mode core');
    t.ok(s.pool.has(small.txid));
  }
});

t.test('keeps a transaction whose child raises its rate above that of the replacement', async (t) => {
  for (const replaceByDiagram of [true, false]) {
    const s = stage({ replaceByDiagram });
    const coin = s.coin();
    const parent = s.tx([coin], 100, 40);
    const child = s.tx([outpointOf(parent, 0)], 50_000);
    t.equal(await s.offer(parent), null);
    t.equal(await s.offer(child), null);
    // The replacement pays more than both in total and has a higher rate than the parent alone, but a far lower rate
    // than parent and child together.
    const rival = s.tx([coin], 56_000, 120);
    t.equal(
      await s.offer(rival),
      replaceByDiagram ? 'replacement-failed, insufficient feerate: does not improve feerate diagram' : null,
      'BIP-0125 takes it',
    );
  }
});

t.test('replaces a child by one at a lower rate that pays more for their common parent', async (t) => {
  for (const replaceByDiagram of [true, false]) {
    const s = stage({ replaceByDiagram });
    const parent = s.tx([s.coin()], 0, 40);
    t.equal(await s.offer(parent), null);
    t.equal(await s.offer(s.tx([outpointOf(parent, 0)], 1_500)), null);
    const said = await s.offer(s.tx([outpointOf(parent, 0)], 2_600, 3));
    if (replaceByDiagram) t.equal(said, null);
    else t.match(said, /^insufficient fee, .* new feerate 0\.0001/);
  }
});

t.test('rejects a replacement that spends an output of the transaction it conflicts with', async (t) => {
  // Newer releases check the diagram before they check that a replacement spends an output of what it replaces.
  const s = stage({ policy: { ...OPTIONS.policy, clusters: true } });
  const coin = s.coin();
  const below = s.tx([s.coin()], 100, 10);
  const rival = s.tx([coin, outpointOf(below, 0)], 10_000);
  for (const tx of [below, rival]) t.equal(await s.offer(tx), null);
  // Together with the transaction `below` it would have a lower rate than the two transactions have now.
  const said = await s.offer(s.tx([coin, outpointOf(rival, 0)], 10_500, 2));
  t.match(said, /^bad-txns-spends-conflicting-tx, /);
});

t.test('rejects a replacement that conflicts with more than 100 clusters', async (t) => {
  const s = stage();
  const coins = Array.from({ length: 101 }, () => s.coin());
  for (const coin of coins) t.equal(await s.offer(s.tx([coin], 200)), null);
  const all = s.tx(coins, 500_000);
  t.equal(
    await s.offer(all),
    `too many potential replacements, rejecting replacement ${hashToHex(all.txid)}; too many conflicting clusters (101 > 100)`,
  );
  t.equal(await s.offer(s.tx(coins.slice(1), 500_000)), null);
  t.equal(s.pool.size, 2);
});

t.test('counts a conflicting cluster once, however many of its transactions are replaced', async (t) => {
  for (const replaceByDiagram of [true, false]) {
    const s = stage({ replaceByDiagram });
    const coin = s.coin();
    const root = s.tx([coin], 1_000, 110);
    t.equal(await s.offer(root), null);
    for (let i = 0; i < 110; i++) t.equal(await s.offer(s.tx([outpointOf(root, i)], i === 0 ? 900 : 1)), null);
    const said = await s.offer(s.tx([coin], 500_000));
    if (replaceByDiagram) t.equal(said, null);
    else t.match(said, /^too many potential replacements/);
    t.equal(s.pool.size, replaceByDiagram ? 1 : 111);
  }
});

t.test('replaces twelve full clusters at once, by a transaction or by a package', async (t) => {
  const filled = async () => {
    const s = stage({ policy: { ...OPTIONS.policy, clusters: true } });
    const coins = Array.from({ length: 12 }, () => s.coin());
    for (const coin of coins) {
      for (let i = 0, from = coin; i < 64; i++) {
        const tx = s.tx([from], 200);
        if ((await s.offer(tx)) !== null) t.fail('a member of a chain was refused');
        from = outpointOf(tx, 0);
      }
    }
    return { s, coins };
  };
  const one = await filled();
  // 768 transactions with a fee of 200 each, and one satoshi for each virtual byte of the replacement.
  const { vsize } = one.s.tx(one.coins, 0);
  t.match(await one.s.offer(one.s.tx(one.coins, 153_600 + vsize - 1)), /^insufficient fee, .*, not enough additional fees to relay/);
  t.equal(await one.s.offer(one.s.tx(one.coins, 153_600 + vsize)), null);
  t.equal(one.s.pool.size, 1);
  const two = await filled();
  const parent = two.s.tx(two.coins, 0);
  const { fault } = await two.s.pool.acceptPackage([parent, two.s.tx([outpointOf(parent, 0)], 200_000)]);
  t.equal(fault, null);
  t.equal(two.s.pool.size, 2);
});

t.test('applies BIP-0125 to clusters that are too large to be compared', async (t) => {
  const s = stage();
  const coin = s.coin();
  const root = s.tx([coin], 50_000, 260);
  t.equal(await s.offer(root), null);
  const children = Array.from({ length: 260 }, (_, i) => s.tx([outpointOf(root, i)], i === 0 ? 2_000 : 1));
  for (const child of children) if ((await s.offer(child)) !== null) t.fail('a child was refused');
  t.match(await s.offer(s.tx([coin], 900_000)), /^too many potential replacements, .* \(261 > 100\)/);
  t.match(await s.offer(s.tx([outpointOf(root, 0)], 2_000, 2)), /^insufficient fee, rejecting replacement .* new feerate/);
  t.equal(await s.offer(s.tx([outpointOf(root, 0)], 4_000)), null);
  t.equal(s.pool.size, 261);
});

t.test('rejects package replacement in a cluster that is too large to be compared', async (t) => {
  for (const [count, fault] of [
    [250, null],
    [260, 'package RBF failed: clusters are too large to be compared'],
  ] as const) {
    const s = stage();
    const coin = s.coin();
    const root = s.tx([s.coin()], 50_000, count);
    t.equal(await s.offer(root), null);
    // Only the second child (i = 1) also spends a confirmed coin.
    for (let i = 0; i < count; i++) {
      const from = [outpointOf(root, i), ...(i === 1 ? [coin] : [])];
      if ((await s.offer(s.tx(from, i < 2 ? 1_000 : 1))) !== null) t.fail('a child was refused');
    }
    const parent = s.tx([coin], 0);
    const child = s.tx([outpointOf(parent, 0)], 9_000);
    const { fault: said } = await s.pool.acceptPackage([parent, child]);
    t.equal(said?.reason ?? null, fault, `${count} children`);
    t.same(
      [s.pool.has(parent.txid), s.pool.has(child.txid), s.pool.size],
      fault === null ? [true, true, count + 2] : [false, false, count + 1],
    );
  }
});

t.test('treats a cluster with too many links as too large to be compared', async (t) => {
  for (const [count, compared] of [
    [100, true],
    [120, false],
  ] as const) {
    const s = stage();
    const txs: TxView[] = [];
    const coin = s.coin();
    let inputs: Uint8Array[] = [];
    for (let i = 0; i < count; i++) {
      // Outputs of the ten transactions before it.
      inputs = txs.slice(-10).map((parent, k, { length }) => outpointOf(parent, length - 1 - k));
      const tx = s.tx(i === 0 ? [coin] : inputs, i === count - 1 ? 5_000 : 8_000, 10);
      t.equal(await s.offer(tx), null);
      txs.push(tx);
    }
    t.match(
      await s.offer(s.tx(inputs, 12_000, 100)),
      compared ? /does not improve feerate diagram/ : /^insufficient fee, rejecting replacement .* new feerate/,
      `${count} of ten parents each`,
    );
  }
});
