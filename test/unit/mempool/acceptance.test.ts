// Tests the acceptance of a transaction step by step: the order in which errors are found, the reasons and debug texts,
// chain limits with the carve-out, and changes of the chain or the mempool while scripts run. The recorded
// conversations cover each policy reason once more, through the whole node.
import t from 'tap';
import { hashToHex } from '../../../src/consensus/bytes/hex.js';
import { rejectText } from '../../../src/consensus/state.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { AcceptOptions } from '../../../src/mempool/accept/workspace.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import { CachedVerifier } from '../../../src/parallel/cached-verifier.js';
import { ScriptCache } from '../../../src/parallel/script-cache.js';
import { DEFAULT_POLICY } from '../../../src/policy/options.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { ANYONE, ModelChain, outpointOf, type SpendOptions, spend } from '../../framework/model-chain.js';
import { createPool, crypto, HandClock, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const P2WPKH = Uint8Array.of(0, 20, ...new Uint8Array(20));
const NEVER_SPENT = new Uint8Array(36).fill(9);

type Setup = ReturnType<typeof createPool>;

async function offer({ pool }: Setup, tx: TxView, options: AcceptOptions = {}): Promise<string> {
  const { reject } = await pool.accept(tx, options);
  return reject === null ? 'ok' : rejectText(reject);
}

const pay = (outpoints: Uint8Array[], value: number, options: SpendOptions = {}, script = PADDED): TxView =>
  spend(crypto, outpoints, [{ value, script }], options);

t.test('reports the first failing check of a transaction that breaks several rules', async (t) => {
  const all = createPool();
  const coin = all.chain.fund(10_000);
  // Each line corrects the first error of the line before.
  const wrong = { version: 3, scriptSig: Uint8Array.of(0x61), locktime: 999, sequence: 0 };
  t.equal(await offer(all, spend(crypto, [coin, coin], [{ value: 1, script: ANYONE }], wrong)), 'bad-txns-inputs-duplicate');
  t.equal(await offer(all, pay([NEVER_SPENT], 1, wrong, ANYONE)), 'version');
  t.equal(await offer(all, pay([NEVER_SPENT], 1, { ...wrong, version: 2 }, ANYONE)), 'scriptsig-not-pushonly');
  t.equal(await offer(all, pay([NEVER_SPENT], 1, { locktime: 999 }, ANYONE)), 'scriptpubkey');
  t.equal(await offer(all, pay([NEVER_SPENT], 1, { locktime: 999 }, P2WPKH)), 'dust');
  t.equal(await offer(all, pay([NEVER_SPENT], 294, { locktime: 999 }, P2WPKH)), 'non-final');
  t.equal(await offer(all, pay([NEVER_SPENT], 294, {}, P2WPKH)), 'bad-txns-inputs-missingorspent');
  t.equal(await offer(all, pay([coin], 20_000, { sequence: 300 }, P2WPKH)), 'non-BIP68-final');
  t.equal(await offer(all, pay([coin], 20_000, {}, P2WPKH)), 'bad-txns-in-belowout, value in (0.0001) < value out (0.0002)');
  t.equal(await offer(all, pay([coin], 9_990, {}, P2WPKH)), 'bad-txns-nonstandard-inputs', 'a bare OP_TRUE is spent');
});

t.test('rejects a copy of a mempool transaction with another witness', async (t) => {
  for (const detailed of [false, true]) {
    const setup = createPool({ policy: { ...NO_POLICY, detailed } });
    const coin = setup.chain.fund(10_000);
    const [tx, copy] = [{}, { witness: [Uint8Array.of(1)] }].map((options) => pay([coin], 9_000, options)) as [TxView, TxView];
    t.equal(await offer(setup, tx), 'ok');
    t.equal(await offer(setup, tx), 'txn-already-in-mempool');
    t.equal(await offer(setup, copy), detailed ? 'txn-same-nonwitness-data-in-mempool' : 'txn-already-in-mempool');
  }
});

t.test('rejects inputs with more than 2,500 legacy sigops (BIP-0054), even when standardness is off', async (t) => {
  const heavy = new Uint8Array(2_501).fill(0xac);
  const spending = async (script: Uint8Array, options: Parameters<typeof createPool>[0]) => {
    const { chain, pool } = createPool(options);
    const tx = spend(crypto, [chain.fund(100_000, script)], [{ value: 90_000, script: P2WPKH }]);
    const { reject } = await pool.accept(tx);
    return [reject?.reason, reject?.debug];
  };
  const refused = ['bad-txns-nonstandard-inputs', 'non-witness sigops exceed bip54 limit'];
  t.same(await spending(heavy, { policy: NO_POLICY }), refused);
  const others = await spending(heavy.subarray(1), { policy: NO_POLICY });
  t.not(others[1], refused[1], '2,500 are allowed: what fails is the script itself');
  t.not((await spending(heavy, { policy: NO_POLICY, limitLegacySigops: false }))[1], refused[1]);
});

t.test('rejects low fees, immature coinbases, and transactions that are known already', async (t) => {
  const setup = createPool({ policy: { ...DEFAULT_POLICY, requireStandard: false } });
  const { chain, pool } = setup;
  const coin = chain.fund(10_000);
  const young = chain.fund(10_000, ANYONE, { height: 150, coinbase: true });
  const cheap = pay([coin], 9_990);
  t.equal(await offer(setup, cheap), 'min relay fee not met, 10 < 91');
  pool.prioritise(cheap.txid, 100);
  t.equal(await offer(setup, cheap, { testOnly: true }), 'ok', 'prioritised over the limit');
  t.equal(pool.size, 0, 'a test adds nothing');
  t.equal(await offer(setup, cheap), 'ok');
  t.equal(pool.get(cheap.txid)?.modifiedFee, 110);
  t.equal(await offer(setup, cheap), 'txn-already-in-mempool');
  t.equal(await offer(setup, pay([young], 9_000)), 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 51');
  chain.connect([cheap]);
  t.equal(pool.size, 0);
  t.equal(await offer(setup, cheap), 'txn-already-known');
  t.equal(await offer(setup, pay([coin], 5_000)), 'bad-txns-inputs-missingorspent');
  t.equal(await offer(setup, spend(crypto, [outpointOf(cheap, 0)], [{ value: 1, script: Uint8Array.of(0x51) }])), 'tx-size-small');
  t.equal(await offer(setup, spend(crypto, [], [{ value: 1, script: PADDED }])), 'coinbase');
});

t.test('counts signature operations as virtual bytes when it checks the minimum fee', async (t) => {
  for (const [bytesPerSigop, least] of [
    [20, 400],
    [50, 1_000],
  ] as const) {
    const setup = createPool({ policy: { ...DEFAULT_POLICY, requireStandard: false, bytesPerSigop } });
    const coin = setup.chain.fund(10_000);
    // One bare CHECKMULTISIG counts as twenty operations, each with a cost of four.
    const checks = Uint8Array.of(...PADDED, 0xae);
    t.equal(await offer(setup, pay([coin], 10_001 - least, {}, checks)), `min relay fee not met, ${least - 1} < ${least}`);
    const tx = pay([coin], 10_000 - least, {}, checks);
    t.equal(await offer(setup, tx), 'ok');
    t.equal(setup.pool.get(tx.txid)?.size, least);
  }
});

t.test('names a script failure as mandatory or non-mandatory, with the script error', async (t) => {
  const setup = createPool({ policy: NO_POLICY });
  const { chain } = setup;
  t.equal(
    await offer(setup, pay([chain.fund(5_000, Uint8Array.of(0x00))], 4_000)),
    'mandatory-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element)',
  );
  t.equal(
    await offer(setup, pay([chain.fund(5_000, Uint8Array.of(0x51, 0x51))], 4_000)),
    'non-mandatory-script-verify-flag (Stack size must be exactly one after execution)',
  );
});

t.test('tells a stripped witness from a failing script, and runs the scripts once', async (t) => {
  const { chain, pool } = createPool({ policy: { ...NO_POLICY, detailed: true } });
  const { verifyTxs } = InlineVerifier.prototype;
  let runs = 0;
  InlineVerifier.prototype.verifyTxs = function (batch) {
    runs++;
    return verifyTxs.call(this, batch);
  };
  t.teardown(() => {
    InlineVerifier.prototype.verifyTxs = verifyTxs;
  });
  const scriptHash = (redeem: Uint8Array): Uint8Array => Uint8Array.of(0xa9, 20, ...crypto.hash160(redeem), 0x87);
  const program = Uint8Array.of(0, 32, ...crypto.sha256(Uint8Array.of(0x51)));
  const never = Uint8Array.of(0x00);
  const nothing = new Uint8Array(0);
  for (const [script, scriptSig, category] of [
    [program, nothing, 'witness-stripped'],
    [scriptHash(program), Uint8Array.of(program.length, ...program), 'witness-stripped'],
    [never, nothing, 'not-standard'],
    [scriptHash(never), Uint8Array.of(1, 0x00), 'not-standard'],
  ] as const) {
    runs = 0;
    const { reject } = await pool.accept(pay([chain.fund(5_000, script)], 4_000, { scriptSig }));
    t.equal(reject?.category, category);
    t.equal(runs, 1);
  }
});

t.test('answers without a promise if the scripts passed before', async (t) => {
  const chain = new ModelChain(crypto);
  const verifier = new CachedVerifier(new InlineVerifier(crypto), new ScriptCache(1 << 20, 1));
  const pool = new Mempool({ policy: NO_POLICY }, { chain, verifier, clock: new HandClock(), log: silentLogger });
  const tx = pay([chain.fund(5_000)], 4_000);
  const first = await pool.accept(tx, { testOnly: true });
  t.equal(first.reject, null);
  const again = pool.accept(tx, { testOnly: true });
  t.notOk(again instanceof Promise);
  t.same(again, first);
  t.notOk(pool.accept(tx) instanceof Promise);
  t.ok(pool.has(tx.txid));
  const failing = pay([chain.fund(5_000, Uint8Array.of(0x00))], 4_000);
  for (let i = 0; i < 2; i++) t.match((await pool.accept(failing, { testOnly: true })).reject, { category: 'consensus' });
});

t.test('enforces ancestor and descendant counts, and lets one small child through (carve-out)', async (t) => {
  const setup = createPool({ policy: NO_POLICY, limitAncestorCount: 4, limitDescendantCount: 4 });
  const { chain } = setup;
  const two = (outpoints: Uint8Array[], value: number): TxView =>
    spend(crypto, outpoints, [
      { value, script: PADDED },
      { value, script: ANYONE },
    ]);
  const chainOf: TxView[] = [two([chain.fund(80_000)], 39_000)];
  t.equal(await offer(setup, chainOf[0]), 'ok');
  for (let i = 1; i < 4; i++) {
    chainOf.push(pay([outpointOf(chainOf[i - 1], 0)], 39_000 - i * 1000));
    t.equal(await offer(setup, chainOf[i]), 'ok');
  }
  t.equal(
    await offer(setup, pay([outpointOf(chainOf[3], 0)], 30_000)),
    'too-long-mempool-chain, too many unconfirmed ancestors [limit: 4]',
  );
  const fifth = pay([outpointOf(chainOf[0], 1)], 20_000);
  t.equal(await offer(setup, fifth), 'ok', 'small, one ancestor: one more than the limit');
  t.equal(setup.pool.get(chainOf[0].txid)?.descendantCount, 5);
  const parents = Array.from({ length: 4 }, () => pay([chain.fund(9_000)], 8_000));
  for (const tx of parents) t.equal(await offer(setup, tx), 'ok');
  t.equal(
    await offer(
      setup,
      pay(
        parents.map((tx) => outpointOf(tx, 0)),
        20_000,
      ),
    ),
    'too-long-mempool-chain, too many unconfirmed parents [limit: 4]',
  );
});

t.test('accepts ancestors and descendants up to the exact size limit, and rejects one byte more', async (t) => {
  const chain = (funds: Uint8Array): [TxView, TxView, TxView] => {
    const first = pay([funds], 30_000);
    const second = pay([outpointOf(first, 0)], 20_000);
    return [first, second, pay([outpointOf(second, 0)], 10_000)];
  };
  const whole = chain(createPool().chain.fund(40_000)).reduce((sum, { vsize }) => sum + vsize, 0);
  for (const [name, text] of [
    ['limitAncestorSize', 'exceeds ancestor size limit'],
    ['limitDescendantSize', 'exceeds descendant size limit for tx FIRST'],
  ] as const) {
    for (const less of [0, 1]) {
      // The descendant limit is exceeded by more than the carve-out allows, which is one small descendant.
      const setup = createPool({ policy: NO_POLICY, [name]: whole - less });
      const [first, second, third] = chain(setup.chain.fund(40_000));
      for (const tx of [first, second]) t.equal(await offer(setup, tx), 'ok');
      const refused = `too-long-mempool-chain, ${text.replace('FIRST', hashToHex(first.txid))} [limit: ${whole - less}]`;
      t.equal(await offer(setup, third), less === 0 ? 'ok' : refused, `${name}, ${less} bytes less`);
    }
  }
});

t.test('remembers a rejected transaction, but not one that was only tested', async (t) => {
  const setup = createPool({ policy: { ...DEFAULT_POLICY, requireStandard: false } });
  const cheap = pay([setup.chain.fund(10_000)], 9_990);
  await offer(setup, cheap, { testOnly: true });
  t.equal(setup.pool.recentOutcome(cheap.txid), undefined);
  await offer(setup, cheap);
  t.match(setup.pool.recentOutcome(cheap.txid), { kind: 'refused', reason: 'min relay fee not met' });
});

t.test('rejects a transaction that makes its cluster too large, in count or size', async (t) => {
  const two = (outpoints: Uint8Array[], value: number): TxView =>
    spend(crypto, outpoints, [
      { value, script: PADDED },
      { value, script: ANYONE },
    ]);
  const setup = createPool({ policy: NO_POLICY, limitClusterCount: 4 });
  const { chain } = setup;
  // Two clusters. A child of both would make one cluster of five transactions.
  const left = two([chain.fund(80_000)], 39_000);
  const right = two([chain.fund(80_000)], 39_000);
  const leftChild = pay([outpointOf(left, 0)], 30_000);
  const rightChild = pay([outpointOf(right, 0)], 30_000);
  for (const tx of [left, right, leftChild]) t.equal(await offer(setup, tx), 'ok');
  const joint = pay([outpointOf(left, 1), outpointOf(right, 1)], 50_000);
  t.equal(await offer(setup, joint), 'ok', 'four');
  t.equal(await offer(setup, rightChild), 'too-large-cluster', 'no ancestor of its has more than four relatives by descent');
  t.equal(await offer(setup, pay([chain.fund(9_000)], 8_000)), 'ok', 'unrelated transactions are not limited');
  // Replaced transactions do not count against the limit.
  const instead = pay([outpointOf(left, 1), outpointOf(right, 1)], 40_000);
  t.equal(await offer(setup, instead), 'ok');

  const one = pay([chain.fund(50_000)], 49_000);
  const next = pay([outpointOf(one, 0)], 48_000);
  const sized = createPool({ policy: NO_POLICY, limitClusterSize: one.vsize + next.vsize - 1 });
  const first = pay([sized.chain.fund(50_000)], 49_000);
  t.equal(await offer(sized, first), 'ok');
  t.equal(await offer(sized, pay([outpointOf(first, 0)], 48_000)), 'too-large-cluster');
  const enough = createPool({ policy: NO_POLICY, limitClusterSize: one.vsize + next.vsize });
  const again = pay([enough.chain.fund(50_000)], 49_000);
  t.equal(await offer(enough, again), 'ok');
  t.equal(await offer(enough, pay([outpointOf(again, 0)], 48_000)), 'ok');
});

t.test('replaces a transaction by the rules of BIP-0125, and rejects replacements that break them', async (t) => {
  const setup = createPool({ policy: { ...DEFAULT_POLICY, requireStandard: false } });
  const { chain, pool } = setup;
  const coin = chain.fund(100_000);
  const first = pay([coin], 99_000);
  const child = pay([outpointOf(first, 0)], 98_000);
  t.equal(await offer(setup, first), 'ok');
  t.equal(await offer(setup, child), 'ok');
  const id = (tx: TxView): string => hashToHex(tx.txid);
  const same = pay([coin], 99_000, { sequence: 1 << 31 });
  t.equal(
    await offer(setup, same),
    `insufficient fee, rejecting replacement ${id(same)}; new feerate 0.00010989 BTC/kvB <= old feerate 0.00010989 BTC/kvB`,
  );
  const little = pay([coin], 98_500);
  t.equal(
    await offer(setup, little),
    `insufficient fee, rejecting replacement ${id(little)}, less fees than conflicting txs; 0.000015 < 0.00002`,
  );
  const equal = pay([coin], 98_000);
  t.equal(
    await offer(setup, equal),
    `insufficient fee, rejecting replacement ${id(equal)}, not enough additional fees to relay; 0.00 < 0.00000091`,
  );
  const foreign = pay([chain.fund(50_000)], 49_000);
  t.equal(await offer(setup, foreign), 'ok');
  const mixed = pay([coin, outpointOf(foreign, 0)], 100_000);
  t.equal(await offer(setup, mixed), `replacement-adds-unconfirmed, replacement ${id(mixed)} adds unconfirmed input, idx 1`);
  const own = pay([coin, outpointOf(child, 0)], 100_000);
  t.equal(await offer(setup, own), `bad-txns-spends-conflicting-tx, ${id(own)} spends conflicting transaction ${id(first)}`);
  const better = pay([coin], 97_900, { sequence: 0xffffffff });
  t.equal(await offer(setup, better), 'ok');
  t.equal(pool.size, 2, 'the old one and its child are gone');
  t.equal(await offer(setup, pay([coin], 50_000)), 'txn-mempool-conflict', 'the new one did not opt in');
});

t.test('rejects a transaction whose coin is spent by another or by a block while its scripts run', async (t) => {
  const setup = createPool({ policy: NO_POLICY });
  const { chain, pool } = setup;
  const coin = chain.fund(10_000);
  const a = pay([coin], 9_000, { sequence: 0xffffffff });
  const b = pay([coin], 5_000, { sequence: 0xffffffff });
  t.strictSame(await Promise.all([offer(setup, a), offer(setup, b)]), ['ok', 'txn-mempool-conflict']);
  const other = chain.fund(10_000);
  const late = pay([other], 9_000);
  const rival = pay([other], 8_000);
  const pending = offer(setup, late);
  chain.connect([rival]);
  t.equal(await pending, 'bad-txns-inputs-missingorspent');
  t.equal(pool.size, 1);
});

t.test('lists transactions in the order of getrawmempool', async (t) => {
  const setup = createPool({ policy: NO_POLICY });
  const { chain, pool } = setup;
  const low = pay([chain.fund(50_000)], 49_900);
  const high = pay([chain.fund(50_000)], 40_000);
  const twins = [pay([chain.fund(50_000)], 49_000), pay([chain.fund(50_000)], 49_000)];
  const child = pay([outpointOf(low, 0)], 10_000);
  for (const tx of [low, child, ...twins, high]) t.equal(await offer(setup, tx), 'ok');
  twins.sort((a, b) => Buffer.compare(b.txid, a.txid));
  t.strictSame(
    [...(await pool.snapshot())].map(({ tx }) => hashToHex(tx.txid)),
    [high, ...twins, low, child].map((tx) => hashToHex(tx.txid)),
    'fewer ancestors, then fee rate, then the larger txid',
  );
});
