// Tests scripts that run in advance: announced transactions get the same verdicts as without it, from work that began
// before they were processed.

import t from 'tap';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import type { Verifier, VerifyBatch } from '../../../src/parallel/verifier.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { ActiveCommands, CallExecutor } from '../../../src/rpc/call-executor.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import { NODE_RUNS } from '../../../src/rpc/node/runs.js';
import { prefetchTxBatch } from '../../../src/rpc/node/tx-batch-prefetch.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { ModelChain, outpointOf, spend } from '../../framework/model-chain.js';
import { crypto, HandClock } from '../../framework/pool-under-test.js';
import { INPUT_VALUE, signedSpend } from '../../framework/signed-spends.js';

const idOf = (tx: TxView): string => Buffer.from(tx.txid).toString('hex');

/** A mempool whose verifier records its requests. While `busy` is set, it refuses them. */
function open() {
  const inner = new InlineVerifier(crypto);
  const asked: { txids: string[]; onlyInput: boolean }[] = [];
  const state = { busy: false };
  const verifier: Verifier = {
    size: 1,
    verifyTxs: (batch: VerifyBatch) => {
      asked.push({
        txids: batch.txs.map(({ tx }) => idOf(tx)),
        onlyInput: batch.txs[0].onlyInput !== undefined,
      });
      return inner.verifyTxs(batch);
    },
    canAcceptWork: (klass) => !state.busy && inner.canAcceptWork(klass),
    stats: () => inner.stats(),
    close: () => inner.close(),
  };
  const chain = new ModelChain(crypto);
  const pool = new Mempool({}, { chain, verifier, clock: new HandClock(), log: silentLogger });
  chain.onTip((tip, change) => pool.onTip(tip, change));
  const fund = (tx: TxView, script: Uint8Array): void => {
    chain.coinMap.set(Buffer.from(tx.outpoint(0)).toString('latin1'), { value: INPUT_VALUE, script, height: 1, coinbase: false });
  };
  let serial = 0;
  /** Makes a signed payment of a coin that is in a block. */
  const payment = (options: { breakInput?: number } = {}): TxView => {
    const { tx, spent } = signedSpend('p2wpkh', { serial: serial++, ...options }, crypto);
    fund(tx, spent[0].script);
    return tx;
  };
  return { chain, pool, asked, state, payment };
}

t.test('runs each script once, and none of a transaction that fails an earlier check', async (t) => {
  const { chain, pool, asked, payment } = open();
  const parent = spend(crypto, [chain.fund(100_000)], [{ value: 90_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20).fill(7)) }]);
  // No key can sign for this output, so the script fails both in advance and in the check.
  const child = spend(crypto, [outpointOf(parent, 0)], [{ value: 80_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)) }]);
  const plain = payment();
  await pool.prefetchTransactions([plain, parent, child]);
  t.same(asked, [{ txids: [idOf(plain)], onlyInput: false }], 'one that fails before its scripts does not run them, nor does its child');
  t.equal((await pool.accept(plain)).reject, null);
  t.equal(asked.length, 1, 'and not asked again');
  t.equal((await pool.accept(parent)).reject?.reason, 'bad-txns-nonstandard-inputs', 'other rules are not passed over');
  t.equal((await pool.accept(child)).reject?.reason, 'bad-txns-inputs-missingorspent');
  t.equal(asked.length, 1);
});

t.test('prefetches the scripts of a parent that is announced with its child', async (t) => {
  const { pool, asked, payment } = open();
  const parent = payment();
  const script = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(9));
  const child = spend(crypto, [outpointOf(parent, 0)], [{ value: parent.outputValue(0) - 5_000, script }]);
  await pool.prefetchTransactions([parent, child]);
  t.same(asked[0]?.txids.slice(0, 1), [idOf(parent)]);
  t.equal((await pool.accept(parent)).reject, null);
});

t.test('runs only the scripts behind a failing one again when a group fails', async (t) => {
  const { pool, asked, payment } = open();
  const txs = Array.from({ length: 12 }, (_, i) => payment(i === 3 || i === 4 || i === 11 ? { breakInput: 0 } : {}));
  await pool.prefetchTransactions(txs);
  const reasons: (string | undefined)[] = [];
  for (const tx of txs) reasons.push((await pool.accept(tx)).reject?.reason);
  t.same(
    reasons.map((reason) => reason === undefined),
    txs.map((_, i) => ![3, 4, 11].includes(i)),
  );
  t.match(reasons[3], /script-verify-flag/);
  t.same([reasons[4], reasons[11]], [reasons[3], reasons[3]]);
  const runs = asked.filter(({ onlyInput }) => !onlyInput).map(({ txids }) => txids.length);
  t.same(runs, [12, ...new Array(8).fill(1)], 'what stood behind a failure runs again, what stood before does not');
});

t.test('checks the coins of a prefetched transaction again after a new tip', async (t) => {
  const { pool, payment, chain } = open();
  const tx = payment();
  await pool.prefetchTransactions([tx]);
  chain.connect([]);
  chain.coinMap.clear();
  t.equal((await pool.accept(tx)).reject?.category, 'missing-inputs', 'its coin was spent by the block');
});

t.test('reports the same failure with and without prefetching', async (t) => {
  const { pool, payment } = open();
  const bad = payment({ breakInput: 0 });
  const twin = parseTx(new Uint8Array(bad.bytes), crypto);
  await pool.prefetchTransactions([bad]);
  const ahead = await pool.accept(bad);
  const alone = await pool.accept(twin);
  t.ok(ahead.reject);
  t.same(ahead.reject, alone.reject);
});

t.test('skips prefetching when the verifier is busy, a coin is unknown, or it was done before', async (t) => {
  const { pool, asked, state, payment, chain } = open();
  const [a, b] = [payment(), payment()];
  state.busy = true;
  await pool.prefetchTransactions([a]);
  t.equal(asked.length, 0);
  state.busy = false;
  t.equal((await pool.accept(a)).reject, null, 'verified by the acceptance');
  const lost = spend(crypto, [outpointOf(b, 5)], [{ value: 10_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)) }]);
  await pool.prefetchTransactions([b, lost, b]);
  await pool.prefetchTransactions([b]);
  t.equal(asked.length, 2);
  chain.connect([]);
  t.equal((await pool.accept(b)).reject, null, 'a block between changes nothing for the scripts');
  t.equal(asked.length, 2);
  t.equal((await pool.accept(lost)).reject?.category, 'missing-inputs');
});

t.test('a batch of RPC calls returns the same results with and without prefetching', async (t) => {
  const hexOf = (tx: TxView): string => Buffer.from(tx.bytes).toString('hex');
  const run = async (split: boolean): Promise<unknown[]> => {
    const { pool, payment, chain, asked } = open();
    const good = Array.from({ length: 300 }, () => payment());
    const bad = payment({ breakInput: 0 });
    const params: [string, unknown[]][] = good.map((tx) => ['sendrawtransaction', [hexOf(tx)]]);
    params.splice(5, 0, ['sendrawtransaction', [hexOf(bad)]], ['testmempoolaccept', [[hexOf(good[6])]]], ['getmempoolinfo', []]);
    params.splice(40, 0, ['sendrawtransaction', ['zz']], ['sendrawtransaction', [hexOf(good[3])]], ['sendrawtransaction', []]);
    const context = {
      compat: COMPATS['0.21.1'],
      mempool: pool,
      network: { privately: () => null },
      crypto,
      clock: new HandClock(),
      chain: { tip: chain.tip },
      coins: { coin: async () => undefined },
    };
    const executor = new CallExecutor(context as unknown as NodeContext, {
      runs: NODE_RUNS,
      prefetchBatch: prefetchTxBatch,
      wallets: false,
      active: new ActiveCommands(),
      warmup: () => null,
    });
    const entries = params.map(([method, args], id) => ({ method, params: args, id }));
    const call = { user: '', uri: '/' };
    const before = asked.length;
    const replies: unknown[] = [];
    if (split) {
      for (const entry of entries)
        replies.push(JSON.parse((await executor.executeBody(Buffer.from(JSON.stringify(entry)), call)).body as string));
    } else replies.push(...JSON.parse((await executor.executeBody(Buffer.from(JSON.stringify(entries)), call)).body as string));
    t.equal(pool.size, 300);
    const ran = asked.slice(before).filter(({ onlyInput }) => !onlyInput);
    const behind = split ? 0 : 58;
    t.equal(ran.flatMap(({ txids }) => txids).length, 302 + behind, 'one for each offer, and those of its group behind a failure');
    return replies;
  };
  t.same(await run(false), await run(true));
});
