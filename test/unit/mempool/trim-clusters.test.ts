// Compares the transactions that leave when transactions of a disconnected block are linked with their children again,
// with a naive model. Random parents return; children spend some of them, and sometimes there is a grandchild. Limits
// apply to the count and to the size.
import t from 'tap';
import { WITNESS_SCALE_FACTOR } from '../../../src/consensus/limits.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { fc } from '../../framework/fast-check.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const SCRIPT = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const COIN = 1_000_000;

interface Member {
  readonly tx: TxView;
  readonly parents: readonly Member[];
  /** Fee and weight of the transaction's chunk. */
  readonly chunk: { readonly fee: number; readonly weight: number };
}

interface Limits {
  readonly count: number;
  readonly weight: number;
}

const rateOf = ({ chunk }: Member): number => chunk.fee / chunk.weight;

/** Adds members by the rate of their chunks, parents first. A member that would make its cluster too large is left out. */
function staying(all: readonly Member[], most: Limits): Set<Member> {
  const kept = new Set<Member>();
  const refused = new Set<Member>();
  const fits = (member: Member): boolean => {
    const together = new Set([member]);
    for (const one of together) {
      for (const other of kept) if (one.parents.includes(other) || other.parents.includes(one)) together.add(other);
    }
    return together.size <= most.count && [...together].reduce((sum, { tx }) => sum + tx.weight, 0) <= most.weight;
  };
  for (;;) {
    const ready = all.filter((one) => !kept.has(one) && !refused.has(one) && one.parents.every((parent) => kept.has(parent)));
    const [best] = ready.sort((a, b) => rateOf(b) - rateOf(a));
    if (best === undefined) return kept;
    (fits(best) ? kept : refused).add(best);
  }
}

const fee = fc.integer({ min: 1, max: 100_000 });
const graphs = fc.record({
  parents: fc.array(fee, { minLength: 1, maxLength: 3 }),
  children: fc.array(fc.record({ fee, of: fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }), below: fc.option(fee) }), {
    minLength: 1,
    maxLength: 6,
  }),
  count: fc.integer({ min: 2, max: 7 }),
  size: fc.option(fc.integer({ min: 500, max: 1500 }), { nil: Number.POSITIVE_INFINITY }),
});

t.test('trims the same transactions as a naive model when transactions return', async (t) => {
  let tried = 0;
  let lost = 0;
  await fc.assert(
    fc.asyncProperty(graphs, async ({ parents, children, count, size }) => {
      const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: count, limitClusterSize: size });
      const confirmed = parents.map((paid): Member => {
        const outputs = children.map(() => ({ value: Math.floor((COIN - paid) / children.length), script: SCRIPT }));
        const tx = spend(crypto, [chain.fund(COIN)], outputs);
        const whole = outputs.reduce((sum, { value }) => sum + value, 0);
        return { tx, parents: [], chunk: { fee: COIN - whole, weight: tx.weight } };
      });
      const unconfirmed: Member[] = [];
      for (const [i, child] of children.entries()) {
        const own = [...new Set(child.of.map((place) => confirmed[place % confirmed.length] as Member))];
        const outpoints = [...own.map(({ tx }) => outpointOf(tx, i)), chain.fund(COIN)];
        const sum = own.reduce((total, { tx }) => total + Number(tx.outputValue(i)), COIN);
        const tx = spend(crypto, outpoints, [{ value: sum - child.fee, script: SCRIPT }]);
        if (child.below === null) {
          unconfirmed.push({ tx, parents: own, chunk: { fee: child.fee, weight: tx.weight } });
          continue;
        }
        const last = spend(crypto, [outpointOf(tx, 0)], [{ value: sum - child.fee - child.below, script: SCRIPT }]);
        // The two form one chunk if the child has the higher rate.
        const one = child.below * tx.weight > child.fee * last.weight;
        const both = { fee: child.fee + child.below, weight: tx.weight + last.weight };
        const upper: Member = { tx, parents: own, chunk: one ? both : { fee: child.fee, weight: tx.weight } };
        unconfirmed.push(upper, { tx: last, parents: [upper], chunk: one ? both : { fee: child.below, weight: last.weight } });
      }
      const all = [...confirmed, ...unconfirmed];
      // Skip cases with equal rates, because their order is not defined.
      const chunks = new Set(all.map(({ chunk }) => chunk));
      fc.pre(new Set([...chunks].map((chunk) => chunk.fee / chunk.weight)).size === chunks.size);
      chain.connect(confirmed.map(({ tx }) => tx));
      for (const { tx } of unconfirmed) {
        // A pair may exceed the limit by itself.
        const { reject } = await pool.accept(tx);
        fc.pre(reject === null);
      }
      chain.reorg(1, [[]]);
      await pool.settled();
      const kept = staying(all, { count, weight: WITNESS_SCALE_FACTOR * size });
      tried++;
      if (kept.size < all.length) lost++;
      const wrong = all.filter((one) => pool.has(one.tx.txid) !== kept.has(one));
      return wrong.length === 0;
    }),
    { numRuns: 200 },
  );
  t.ok(lost > 40 && lost < tried, `${lost} of ${tried} lost some`);
});

t.test('retains a cluster of exactly the size limit, and trims one that is a byte larger', async (t) => {
  for (const less of [0, 1]) {
    const parent = (chain: { fund(value: number): Uint8Array }): TxView =>
      spend(crypto, [chain.fund(COIN)], [{ value: COIN - 500, script: SCRIPT }]);
    const size = (parent(createPool().chain).weight * 2) / WITNESS_SCALE_FACTOR - less;
    const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterSize: size });
    const upper = parent(chain);
    const lower = spend(crypto, [outpointOf(upper, 0)], [{ value: COIN - 1500, script: SCRIPT }]);
    chain.connect([upper]);
    t.equal((await pool.accept(lower)).reject, null);
    chain.reorg(1, [[]]);
    await pool.settled();
    t.same([pool.has(upper.txid), pool.has(lower.txid)], [true, less === 0], `${less} bytes less`);
  }
});
