// Tests verdicts of newer Core versions on single transactions with more than one error, and limits on later changes.
import t from 'tap';
import { hashKey, hashToHex } from '../../../src/consensus/bytes/hex.js';
import { checkChainLimits } from '../../../src/mempool/accept/chain-limits.js';
import { unspentDust } from '../../../src/mempool/accept/ephemeral-dust.js';
import { type AcceptContext, Workspace } from '../../../src/mempool/accept/workspace.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { DEFAULT_POLICY, NEW_RULES } from '../../../src/policy/options.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import type { CallInfo } from '../../../src/rpc/dispatch.js';
import { getmempoolfeeratediagram } from '../../../src/rpc/methods/hidden/getmempoolfeeratediagram.js';
import { getprioritisedtransactions } from '../../../src/rpc/methods/mining/getprioritisedtransactions.js';
import { prioritisetransaction } from '../../../src/rpc/methods/mining/prioritisetransaction.js';
import { sendrawtransaction } from '../../../src/rpc/methods/rawtransactions/sendrawtransaction.js';
import { submitpackage } from '../../../src/rpc/methods/rawtransactions/submitpackage.js';
import { MempoolTexts } from '../../../src/rpc/node/mempool-texts.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { JsonNumber, type JsonResult } from '../../../src/rpc/wire/values.js';
import { TRUE_SCRIPT, TRUE_WITNESS } from '../../framework/messages.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto } from '../../framework/pool-under-test.js';
import { runMethod } from '../../framework/run-method.js';

const policy = { ...DEFAULT_POLICY, ...NEW_RULES, minRelayFeeRate: 100, incrementalFeeRate: 100 };
const ANCHOR = Uint8Array.of(0x51, 2, 0x4e, 0x73);
const options = {
  policy,
  replaceByDiagram: true,
  limitAncestorCount: Number.POSITIVE_INFINITY,
  limitDescendantCount: Number.POSITIVE_INFINITY,
};

const contextOf = (mempool: Mempool, told: string[] = []): NodeContext => {
  mempool.onBroadcast(({ txid }) => told.push(hashToHex(txid)), 'test');
  return {
    compat: COMPATS['31'],
    mempool,
    mempoolTexts: new MempoolTexts(
      mempool,
      { runNamed: () => Promise.reject(new Error('no threads')) },
      { compat: COMPATS['31'], bip125: false, byChunks: true },
    ),
    crypto,
    coins: { coin: async () => null },
    network: { privately: () => null },
  } as unknown as NodeContext;
};

t.test('names the parent with the lower txid when two parents are both at fault', async (t) => {
  for (const turned of [false, true]) {
    const { pool, chain } = createPool(options);
    const parents = [60_000, 60_001].map((value) =>
      spend(crypto, [chain.fund(value + 1000, TRUE_SCRIPT)], [{ value, script: TRUE_SCRIPT }], { version: 3, witness: TRUE_WITNESS }),
    );
    for (const tx of parents) t.equal((await pool.accept(tx)).reject, null);
    const first = [...parents].sort((a, b) => Buffer.compare(a.txid, b.txid))[0]!;
    const spent = turned ? [...parents].reverse() : parents;
    const outpoints = spent.map((tx) => outpointOf(tx, 0));
    const child = spend(crypto, outpoints, [{ value: 100_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
    const { reject } = await pool.accept(child);
    t.equal(reject?.reason, 'TRUC-violation');
    t.ok(reject?.debug.includes(`cannot spend from version=3 tx ${hashToHex(first.txid)} `));
  }
});

t.test('rejects fees and priorities for a transaction with dust outputs', async (t) => {
  const { pool, chain } = createPool(options);
  const outputs = [
    { value: 50_000, script: TRUE_SCRIPT },
    { value: 0, script: ANCHOR },
  ];
  const parent = spend(crypto, [chain.fund(50_000, TRUE_SCRIPT)], outputs, { witness: TRUE_WITNESS });
  const outpoints = [outpointOf(parent, 0), outpointOf(parent, 1)];
  const child = spend(crypto, outpoints.slice(0, 1), [{ value: 40_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
  const both = await pool.acceptPackage([parent, child]);
  t.equal(both.fault?.reason, 'unspent-dust');
  const clean = createPool({ ...options, policy: { ...policy, minRelayFeeRate: 0 } });
  const dusty = spend(crypto, [clean.chain.fund(50_000, TRUE_SCRIPT)], outputs, { witness: TRUE_WITNESS });
  t.equal((await clean.pool.accept(dusty)).reject, null);
  const plain = spend(crypto, [clean.chain.fund(50_000, TRUE_SCRIPT)], [{ value: 40_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
  t.equal((await clean.pool.accept(plain)).reject, null);
  const ctx = contextOf(clean.pool);
  const call = (txid: string) => runMethod(prioritisetransaction, ctx, [txid, null, new JsonNumber('500')], {} as CallInfo);
  t.throws(() => call(hashToHex(dusty.txid)), { code: -8, message: 'Priority is not supported for transactions with dust outputs.' });
  t.equal(clean.pool.feeDelta(dusty.txid), 0);
  t.equal(call(hashToHex(plain.txid)), true);
  t.equal(call('11'.repeat(32)), true, 'nothing is known of it');
  const free = createPool({ ...options, policy: { ...policy, requireStandard: false, minRelayFeeRate: 0 } });
  const same = spend(crypto, [free.chain.fund(50_000, TRUE_SCRIPT)], outputs, { witness: TRUE_WITNESS });
  t.equal((await free.pool.accept(same)).reject, null);
  t.equal(
    runMethod(prioritisetransaction, contextOf(free.pool), [hashToHex(same.txid), null, new JsonNumber('500')], {} as CallInfo),
    true,
  );
});

t.test('marks a transaction as unbroadcast only when sendrawtransaction added it', async (t) => {
  const { pool, chain } = createPool(options);
  const received: string[] = [];
  const ctx = contextOf(pool, received);
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const one = spend(crypto, [chain.fund(50_000, TRUE_SCRIPT)], [{ value: 40_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
  const other = spend(crypto, [chain.fund(50_000, TRUE_SCRIPT)], [{ value: 41_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
  await runMethod(submitpackage, ctx, [[hex(one.bytes)], new JsonNumber('0')], {} as CallInfo);
  await runMethod(sendrawtransaction, ctx, [hex(one.bytes), new JsonNumber('0')], {} as CallInfo);
  t.same(received, [hashToHex(one.txid), hashToHex(one.txid)], 'announced each time');
  t.equal(pool.get(one.txid)?.unbroadcast, false);
  await runMethod(sendrawtransaction, ctx, [hex(other.bytes), new JsonNumber('0')], {} as CallInfo);
  t.equal(pool.get(other.txid)?.unbroadcast, true);
});

t.test('checks the dust of a parent once, however many of its outputs are spent', async (t) => {
  const { chain, pool } = createPool(options);
  const many = Array.from({ length: 300 }, () => ({ value: 1_000, script: TRUE_SCRIPT }));
  const parent = spend(crypto, [chain.fund(1_000_000)], many);
  const child = spend(
    crypto,
    many.map((_, i) => outpointOf(parent, i)),
    [{ value: 1_000, script: TRUE_SCRIPT }],
  );
  let looked = 0;
  const counting = {
    outputCount: parent.outputCount,
    outputScript: (i: number) => parent.outputScript(i),
    outputScriptLength: (i: number) => parent.outputScriptLength(i),
    outputValue: (i: number) => {
      looked++;
      return i === 299 ? 1 : parent.outputValue(i);
    },
  };
  const context = { pool: { records: { find: () => -1 } }, options: pool.options } as unknown as AcceptContext;
  const others = new Map([[hashKey(parent.txid), counting as never]]);
  t.equal(unspentDust(child, others, context), null, 'it is spent');
  t.equal(looked, 300);
  const rest = spend(crypto, [outpointOf(parent, 0), outpointOf(parent, 1)], [{ value: 1_000, script: TRUE_SCRIPT }]);
  t.equal(unspentDust(rest, others, context)?.reason, 'missing-ephemeral-spends');
});

t.test('does not sort thousands of parents when there are no ancestor limits', async (t) => {
  const coins = Array.from({ length: 500 }, (_, n) => Buffer.concat([Buffer.alloc(32, n % 251), Buffer.of(n, n >> 8, 0, 0)]));
  const work = new Workspace(spend(crypto, coins, [{ value: 1_000, script: TRUE_SCRIPT }]), {});
  let compared = 0;
  let row = 0;
  const pool = {
    records: {
      find: () => row++ % 500,
      compareIds: (a: number, b: number) => {
        compared++;
        return a - b;
      },
    },
    rows: { size: new Float64Array(500), descendantSize: new Float64Array(500), descendantCount: new Float64Array(500) },
    links: { parents: () => [], children: () => [] },
  };
  const endless = Number.POSITIVE_INFINITY;
  const limits = { limitAncestorCount: endless, limitAncestorSize: endless, limitDescendantCount: endless, limitDescendantSize: endless };
  t.equal(checkChainLimits(work, { pool, options: limits } as unknown as AcceptContext), null);
  t.equal(work.ancestors.size, 500);
  t.equal(compared, 0);
});

t.test('forgets a prioritisation whose sum is zero', async (t) => {
  const { pool, chain } = createPool(options);
  const tx = spend(crypto, [chain.fund(50_000, TRUE_SCRIPT)], [{ value: 40_000, script: TRUE_SCRIPT }], { witness: TRUE_WITNESS });
  const ctx = contextOf(pool);
  const listed = () => runMethod(getprioritisedtransactions, ctx, [], {} as CallInfo);
  const id = hashToHex(tx.txid);
  pool.prioritise(tx.txid, 500);
  t.strictSame(listed(), { [id]: { fee_delta: 500, in_mempool: false, modified_fee: undefined } });
  t.equal((await pool.accept(tx)).reject, null);
  const { usageBytes } = pool.stats();
  pool.prioritise(tx.txid, -500);
  t.strictSame(listed(), {});
  t.equal(pool.get(tx.txid)?.modifiedFee, 10_000);
  t.ok(pool.stats().usageBytes < usageBytes, 'the entry is removed');
});

t.test('orders the smaller of two chunks with equal rates first in the fee rate diagram', async (t) => {
  const { pool, chain } = createPool(options);
  const pay = (outpoint: Uint8Array, ...values: number[]) =>
    spend(
      crypto,
      [outpoint],
      values.map((value) => ({ value, script: TRUE_SCRIPT })),
      { witness: TRUE_WITNESS },
    );
  const parent = pay(chain.fund(100_000, TRUE_SCRIPT), 96_190);
  const child = pay(outpointOf(parent, 0), 90_000, 3_425);
  const alone = pay(chain.fund(100_000, TRUE_SCRIPT), 98_095);
  for (const tx of [parent, child, alone]) t.equal((await pool.accept(tx)).reject, null);
  t.strictSame([parent.weight, child.weight, alone.weight], [381, 553, 381]);
  const diagram = await runMethod(getmempoolfeeratediagram, contextOf(pool), [], {} as CallInfo);
  t.equal(
    encodeJson(diagram as JsonResult),
    // The rates are 10 satoshis per weight unit, then 5 and 5.
    '[{"weight":0,"fee":0.00000000},{"weight":381,"fee":0.00003810},{"weight":762,"fee":0.00005715},{"weight":1315,"fee":0.00008480}]',
  );
});
