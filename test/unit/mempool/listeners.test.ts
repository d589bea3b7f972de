// Tests exceptions in listeners of the mempool: the mempool, its answers and its figures are as without the exceptions.
import t from 'tap';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import { MirrorFeed } from '../../../src/template/mirror-feed.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { ModelChain, spend } from '../../framework/model-chain.js';
import { crypto, HandClock, NO_POLICY } from '../../framework/pool-under-test.js';

/** Long enough for the minimum size of a transaction. */
const LONG = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const broken = (): never => {
  throw new Error('broken');
};

function createPool() {
  const chain = new ModelChain(crypto);
  const guard = new ListenerGuard(silentLogger);
  const deps = { chain, verifier: new InlineVerifier(crypto), clock: new HandClock(), log: silentLogger, guard };
  const pool = new Mempool({ policy: NO_POLICY } as never, deps);
  chain.onTip((tip, change) => pool.onTip(tip, change));
  return { chain, pool, guard };
}

t.test('accepts, replaces, prioritises and confirms while every listener and the fee estimator throw', async (t) => {
  const { chain, pool, guard } = createPool();
  pool.listen({ added: broken, removed: broken, changed: broken }, 'bad');
  const received: string[] = [];
  pool.listen(
    { added: () => received.push('added'), removed: (_, reason) => received.push(reason), changed: () => received.push('changed') },
    'good',
  );
  for (const name of ['enter', 'leave', 'block'] as const) pool.fees[name] = broken;
  pool.onCounter(broken);
  const coin = chain.fund(100_000);
  const first = spend(crypto, [coin], [{ value: 90_000, script: LONG }]);
  const second = spend(crypto, [coin], [{ value: 50_000, script: LONG }]);
  t.equal((await pool.accept(first)).reject, null);
  t.equal((await pool.accept(second)).reject, null);
  t.notOk(pool.has(first.txid));
  pool.prioritise(second.txid, 1_000);
  t.equal(pool.get(second.txid)?.modifiedFee, 51_000);
  chain.connect([second]);
  t.equal(pool.size, 0);
  t.equal(pool.stats().bytes, 0);
  chain.reorg(1, [[], []]);
  await pool.settled();
  t.ok(pool.has(second.txid), 'it is back after a reorganisation');
  t.same(received, ['added', 'replaced', 'added', 'changed', 'block', 'added']);
  t.equal(guard.failures.get('bad'), received.length);
  t.ok((guard.failures.get('fee estimator') as number) >= 5);
  t.ok((guard.failures.get('mempool counter') as number) >= 5);
  t.equal(guard.failures.get('good'), 0);
});

t.test('sends all rows to the assembler again after its feed failed', async (t) => {
  const { chain, pool, guard } = createPool();
  const feed = new MirrorFeed(pool.records as never, 1, () => {});
  const pay = async (): Promise<void> => {
    const tx = spend(crypto, [chain.fund(100_000)], [{ value: 90_000, script: LONG }]);
    t.equal((await pool.accept(tx)).reject, null);
  };
  await pay();
  t.equal(feed.delta(false).changed.length, 1);
  const { added } = feed;
  feed.added = broken;
  await pay();
  feed.added = added;
  t.equal(guard.failures.get('mempool rows'), 1);
  await pay();
  const delta = feed.delta(false);
  t.equal(delta.base, -1, 'nothing of before counts');
  t.equal(delta.changed.length, 3);
  t.equal(feed.delta(false).changed.length, 0);
});
