// Tests packages with the verdicts of Core's master: a table of scenarios, each with the whole reply of submitpackage
// or testmempoolaccept written out. Every transaction pays 1,000,000 satoshis per input less its fee; sizes are 91 (one
// input, one output) and so on, as printed.

import t from 'tap';
import { hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import type { MempoolOptions } from '../../../src/mempool/options.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { NEW_RULES } from '../../../src/policy/options.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import type { Run } from '../../../src/rpc/dispatch.js';
import { submitpackage } from '../../../src/rpc/methods/rawtransactions/submitpackage.js';
import { testmempoolaccept } from '../../../src/rpc/methods/rawtransactions/testmempoolaccept.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { JsonNumber, type JsonValue } from '../../../src/rpc/wire/values.js';
import { type ModelChain, outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';
import { runMethod } from '../../framework/run-method.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
/** A witness script that accepts any one element: OP_DROP and OP_TRUE. */
const DROP = Uint8Array.of(0x75, 0x51);
const COIN = 1_000_000;
const policy = { ...NO_POLICY, minRelayFeeRate: 1000, incrementalFeeRate: 1000 };

/** A mempool with short helper functions. In replies, transactions are called by letters. */
class Stage {
  readonly pool: Mempool;
  readonly chain: ModelChain;
  readonly #names = new Map<string, string>();
  readonly #value = new Map<string, number>();

  constructor(options: Partial<MempoolOptions> = {}) {
    const { pool, chain } = createPool({ policy, ...options });
    this.pool = pool;
    this.chain = chain;
  }

  coin(): Uint8Array {
    return this.chain.fund(COIN);
  }

  /** @param from outpoints to spend, or transactions of which the first output is spent */
  tx(
    name: string,
    from: readonly (Uint8Array | TxView)[],
    fee: number,
    options: { outputs?: number; witness?: number; final?: boolean; version?: number; size?: number } = {},
  ): TxView {
    const { outputs = 1, witness, final = false, version = 2, size } = options;
    let total = -fee;
    const outpoints = from.map((source) => {
      total += source instanceof Uint8Array ? COIN : (this.#value.get(hashToHex(source.txid)) as number);
      return source instanceof Uint8Array ? source : outpointOf(source, 0);
    });
    const rest = Array.from({ length: outputs - 1 }, () => ({ value: 0, script: PADDED }));
    // One input and two outputs take 102 bytes without the script of the second.
    if (size !== undefined) rest.push({ value: 0, script: new Uint8Array(size - 102).fill(0x51) });
    const tx = spend(crypto, outpoints, [{ value: total, script: PADDED }, ...rest], {
      version,
      sequence: final ? 0xffffffff : 0xfffffffd,
      ...(witness === undefined ? {} : { witness: [Uint8Array.of(witness), DROP] }),
    });
    this.#value.set(hashToHex(tx.txid), total);
    this.#names.set(hashToHex(tx.txid), name);
    if (hashToHex(tx.wtxid) !== hashToHex(tx.txid)) this.#names.set(hashToHex(tx.wtxid), `w${name}`);
    return tx;
  }

  async keep(...txs: readonly TxView[]): Promise<void> {
    for (const tx of txs) {
      const { reject } = await this.pool.accept(tx);
      if (reject !== null) throw new Error(`${reject.reason} ${reject.debug}`);
    }
  }

  /** Returns the reply with letters instead of hashes, or the error's code and text. */
  async #call(run: Run<NodeContext, never>, args: readonly JsonValue[]): Promise<unknown> {
    const ctx = { compat: COMPATS.default, mempool: this.pool, crypto, coins: { coin: async () => null } } as unknown as NodeContext;
    try {
      let text = encodeJson(await runMethod(run, ctx, args));
      // No transaction here has more signature operations than bytes, so all three sizes are equal.
      text = text.replaceAll(/"vsize_adjusted":(\d+),"vsize":\1,"vsize_bip141":\1/g, '"vsize":$1');
      for (const [hash, name] of this.#names) text = text.replaceAll(hash, name);
      return JSON.parse(text);
    } catch (error) {
      const { code, message } = error as { code?: number; message: string };
      if (code === undefined) throw error;
      let shown = message;
      for (const [hash, name] of this.#names) shown = shown.replaceAll(hash, name);
      return `${code} ${shown}`;
    }
  }
  submit(txs: readonly TxView[], maxFeeRate?: string, maxBurn?: string): Promise<unknown> {
    const number = (text: string | undefined) => (text === undefined ? null : new JsonNumber(text));
    return this.#call(submitpackage, [txs.map((tx) => toHex(tx.bytes)), number(maxFeeRate), number(maxBurn)]);
  }
  test(txs: readonly TxView[], maxFeeRate?: string): Promise<unknown> {
    return this.#call(testmempoolaccept, [
      txs.map((tx) => toHex(tx.bytes)),
      ...(maxFeeRate === undefined ? [] : [new JsonNumber(maxFeeRate)]),
    ]);
  }
  has(...txs: readonly TxView[]): boolean[] {
    return txs.map((tx) => this.pool.has(tx.txid));
  }
}

t.test('accepts a parent below the minimum fee when its child pays for both', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 0);
  const child = s.tx('C', [parent], 500);
  t.equal((await s.pool.accept(parent)).reject?.reason, 'min relay fee not met', 'alone it pays too little');
  t.same(await s.submit([parent, child]), {
    package_msg: 'success',
    'tx-results': {
      P: { txid: 'P', vsize: 91, fees: { base: 0, 'effective-feerate': 0.00002747, 'effective-includes': ['P', 'C'] } },
      C: { txid: 'C', vsize: 91, fees: { base: 0.000005, 'effective-feerate': 0.00002747, 'effective-includes': ['P', 'C'] } },
    },
    'replaced-transactions': [],
  });
  t.same(s.has(parent, child), [true, true]);
  t.equal(s.pool.stats().unbroadcast, 0, 'announced once');
  t.same(
    await s.submit([parent, child]),
    {
      package_msg: 'success',
      'tx-results': { P: { txid: 'P', vsize: 91, fees: { base: 0 } }, C: { txid: 'C', vsize: 91, fees: { base: 0.000005 } } },
      'replaced-transactions': [],
    },
    'once more: both are there',
  );
});

t.test('rejects a child without fee although its parent pays enough for both', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 5_000);
  const child = s.tx('C', [parent], 0);
  t.same(await s.submit([parent, child]), {
    package_msg: 'transaction failed',
    'tx-results': {
      P: { txid: 'P', vsize: 91, fees: { base: 0.00005, 'effective-feerate': 0.00054945, 'effective-includes': ['P'] } },
      C: { txid: 'C', error: 'min relay fee not met, 0 < 91' },
    },
    'replaced-transactions': [],
  });
  t.same(s.has(parent, child), [true, false]);
});

t.test('accepts several parents, of which one is in the mempool and one pays for itself', async (t) => {
  const s = new Stage();
  const [a, b, c] = [s.tx('A', [s.coin()], 0), s.tx('B', [s.coin()], 1_000), s.tx('D', [s.coin()], 2_000)];
  await s.keep(c);
  const child = s.tx('C', [a, b, c], 1_000);
  t.same(await s.submit([a, b, c, child]), {
    package_msg: 'success',
    'tx-results': {
      A: { txid: 'A', vsize: 91, fees: { base: 0, 'effective-feerate': 0.00003787, 'effective-includes': ['A', 'C'] } },
      B: { txid: 'B', vsize: 91, fees: { base: 0.00001, 'effective-feerate': 0.00010989, 'effective-includes': ['B'] } },
      D: { txid: 'D', vsize: 91, fees: { base: 0.00002 } },
      C: { txid: 'C', vsize: 173, fees: { base: 0.00001, 'effective-feerate': 0.00003787, 'effective-includes': ['A', 'C'] } },
    },
    'replaced-transactions': [],
  });
});

t.test('rejects a package that pays too little in total, or whose parent is invalid', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 0);
  const poor = s.tx('C', [parent], 100);
  t.same(await s.submit([parent, poor]), {
    package_msg: 'transaction failed',
    'tx-results': {
      P: { txid: 'P', error: 'min relay fee not met, 0 < 91' },
      C: { txid: 'C', error: 'min relay fee not met, 100 < 182' },
    },
    'replaced-transactions': [],
  });
  const greedy = s.tx('G', [s.coin()], -5);
  const child = s.tx('H', [greedy], 50_000);
  t.same(await s.submit([greedy, child]), {
    package_msg: 'transaction failed',
    'tx-results': {
      G: { txid: 'G', error: 'bad-txns-in-belowout, value in (0.01) < value out (0.01000005)' },
      H: { txid: 'H', error: 'bad-txns-inputs-missingorspent' },
    },
    'replaced-transactions': [],
  });
  t.same(s.has(parent, poor, greedy, child), [false, false, false, false]);
});

t.test('rejects packages with a disallowed topology, duplicates, conflicts or too much weight', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 0);
  const child = s.tx('C', [parent], 500);
  const topology = '-25 package topology disallowed. not child-with-parents or parents depend on each other.';
  t.equal(await s.submit([]), '-8 Array must contain between 1 and 25 transactions.');
  t.equal(await s.submit(new Array(26).fill(parent)), '-8 Array must contain between 1 and 25 transactions.');
  t.equal(await s.submit([child, parent]), topology);
  t.equal(await s.submit([parent, s.tx('X', [s.coin()], 500)]), topology, 'unrelated transactions');
  const middle = s.tx('M', [parent], 0, { outputs: 2 });
  const last = s.tx('L', [parent, middle], 900);
  t.equal(await s.submit([parent, middle, last]), topology, 'a parent that spends another parent');
  const refused = (message: string, ...names: string[]) => ({
    package_msg: message,
    'tx-results': Object.fromEntries(names.map((name) => [name, { txid: name, error: 'package-not-validated' }])),
    'replaced-transactions': [],
  });
  t.same(await s.submit([parent, parent, child]), refused('package-contains-duplicates', 'P', 'C'));
  const coin = s.coin();
  const [one, two] = [s.tx('Y', [coin], 0), s.tx('Z', [coin], 1)];
  t.same(await s.submit([one, two, s.tx('W', [one, two], 900)]), refused('conflict-in-package', 'Y', 'Z', 'W'));
  const fat = s.tx('F', [s.coin()], 0, { outputs: 2_600 });
  t.same(await s.submit([fat, s.tx('E', [fat], 900_000)]), refused('package-too-large', 'F', 'E'));
  t.equal(s.pool.size, 0);
  t.same(
    await s.submit([s.tx('S', [s.coin()], 700)]),
    {
      package_msg: 'success',
      'tx-results': { S: { txid: 'S', vsize: 91, fees: { base: 0.000007, 'effective-feerate': 0.00007692, 'effective-includes': ['S'] } } },
      'replaced-transactions': [],
    },
    'one alone',
  );
  t.same(await s.submit([s.tx('U', [s.coin()], 5)]), {
    package_msg: 'transaction failed',
    'tx-results': { U: { txid: 'U', error: 'min relay fee not met, 5 < 91' } },
    'replaced-transactions': [],
  });
});

t.test('enforces maxfeerate and maxburnamount', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 0);
  const child = s.tx('C', [parent], 95_000);
  t.same(await s.submit([parent, child], '0.005'), {
    package_msg: 'transaction failed',
    'tx-results': { P: { txid: 'P', error: 'min relay fee not met, 0 < 91' }, C: { txid: 'C', error: 'max feerate exceeded' } },
    'replaced-transactions': [],
  });
  t.equal(await s.submit([parent, child], '1'), '-8 Fee rates larger than or equal to 1BTC/kvB are not accepted');
  const burning = spend(crypto, [s.coin()], [{ value: 900_000, script: Uint8Array.of(0x6a, ...PADDED) }]);
  t.equal(await s.submit([burning]), '-25 Unspendable output exceeds maximum configured by user (maxburnamount)');
  t.match(await s.submit([burning], '0', '0.009'), { package_msg: 'success' });
  t.match(await s.submit([parent, child], '0'), { package_msg: 'success' });
});

t.test('compares fee rates as fractions, and names the first transaction above maxfeerate', async (t) => {
  const s = new Stage({ policy: { ...policy, ...NEW_RULES }, replaceByDiagram: true });
  const parent = s.tx('P', [s.coin()], 0);
  // 45,501 satoshis for 91 bytes, which are 500,010.99 satoshis per 1,000 bytes.
  const child = s.tx('C', [parent], 45_501);
  t.match(await s.submit([parent, child], '0.0050001'), { 'tx-results': { C: { error: 'max feerate exceeded' } } });
  t.match(await s.submit([parent, child], '0.00500011'), { package_msg: 'success' });
  const coin = s.coin();
  await s.keep(s.tx('O', [coin], 60_000));
  const rival = s.tx('R', [coin], 45_501);
  const greedy = s.tx('G', [rival], -5);
  t.match(await s.submit([rival, greedy], '0.005'), {
    'tx-results': { R: { error: 'max feerate exceeded' }, G: { error: 'bad-txns-inputs-missingorspent' } },
  });
  // The rate of both together exceeds the rate of the first by less than one satoshi per 1,000 bytes: 10,989.26 against
  // 10,989.01.
  const low = s.coin();
  await s.keep(s.tx('L', [low], 1_000));
  const first = s.tx('F', [low], 1_000);
  const second = s.tx('S', [first], 22_539, { outputs: 50 });
  t.equal(second.vsize, 2_051);
  t.match(await s.submit([first, second]), { package_msg: 'success' });
});

t.test('reports the first fault of the list, whether decoding or maxburnamount', async (t) => {
  const s = new Stage();
  const burning = spend(crypto, [s.coin()], [{ value: 900_000, script: Uint8Array.of(0x6a, ...PADDED) }]);
  const broken = { bytes: Uint8Array.of(1) } as TxView;
  t.equal(await s.submit([burning, broken]), '-25 Unspendable output exceeds maximum configured by user (maxburnamount)');
  t.equal(await s.submit([broken, burning]), '-22 TX decode failed: 01 Make sure the tx has at least one input.');
});

t.test('rounds the fee that maxfeerate allows up', async (t) => {
  const s = new Stage();
  // 91 bytes at 10,001 satoshis per 1,000 bytes are 910.091 satoshis.
  for (const [fee, allowed] of [
    [911, true],
    [912, false],
  ] as const) {
    const [tx, other] = [s.tx('A', [s.coin()], fee), s.tx('B', [s.coin()], 500)];
    t.match(await s.test([tx], '0.00010001'), [{ allowed }]);
    t.match(await s.test([tx, other], '0.00010001'), [{ allowed }, {}]);
  }
});

t.test('uses the mempool transaction when a package has it with another witness', async (t) => {
  const s = new Stage();
  const source = s.chain.fund(COIN, Uint8Array.of(0, 32, ...crypto.sha256(DROP)));
  const parent = s.tx('P', [source], 500, { witness: 1 });
  const twin = s.tx('T', [source], 500, { witness: 2 });
  await s.keep(parent);
  t.equal(hashToHex(parent.txid), hashToHex(twin.txid));
  const child = s.tx('C', [parent], 500);
  t.match(await s.submit([twin, child]), {
    package_msg: 'success',
    'tx-results': { wT: { 'other-wtxid': 'wP' }, C: { vsize: 91 } },
  });
});

t.test('enforces ancestor and descendant limits for a package', async (t) => {
  const s = new Stage({ limitAncestorCount: 4, limitDescendantCount: 4 });
  const grand = s.tx('A', [s.coin()], 500);
  const middle = s.tx('B', [grand], 500);
  await s.keep(grand, middle);
  const parent = s.tx('P', [middle], 0);
  const child = s.tx('C', [parent], 900);
  t.match(await s.submit([parent, child]), { package_msg: 'success' }, 'four in a row');
  const more = new Stage({ limitAncestorCount: 4, limitDescendantCount: 4 });
  const tops = ['A', 'B', 'D'].map((name) => more.tx(name, [more.coin()], 500));
  await more.keep(...tops);
  const low = more.tx('P', tops, 0);
  const last = more.tx('C', [low], 2_000);
  t.same(await more.submit([low, last]), {
    package_msg: 'package-mempool-limits, too many unconfirmed parents [limit: 4]',
    'tx-results': { P: { txid: 'P', error: 'min relay fee not met, 0 < 173' }, C: { txid: 'C', error: 'bad-txns-inputs-missingorspent' } },
    'replaced-transactions': [],
  });
  const long = new Stage({ limitAncestorCount: 4, limitDescendantCount: 4 });
  const chain = [long.tx('A', [long.coin()], 500)];
  for (const name of ['B', 'D']) chain.push(long.tx(name, [chain[chain.length - 1]], 500));
  await long.keep(...chain);
  const end = long.tx('P', [chain[2]], 0);
  t.match(
    await long.submit([end, long.tx('C', [end], 900)]),
    {
      package_msg: 'package-mempool-limits, possibly too many unconfirmed ancestors [limit: 4]',
    },
    'both count for all',
  );
});

t.test('rejects a package that would make a cluster too large', async (t) => {
  const s = new Stage({ limitClusterCount: 3 });
  const tops = ['A', 'B'].map((name) => s.tx(name, [s.coin()], 500));
  await s.keep(...tops);
  const parent = s.tx('P', [s.coin()], 0);
  t.match(await s.submit([parent, s.tx('C', [parent, ...tops], 900)]), { package_msg: 'package-mempool-limits, too-large-cluster' });
  t.match(await s.submit([parent, s.tx('D', [parent, tops[0]], 900)]), { package_msg: 'success' });
});

t.test('replaces a transaction and its child by a parent and its child that pay more', async (t) => {
  const s = new Stage();
  const coin = s.coin();
  const old = s.tx('O', [coin], 1_000);
  const oldChild = s.tx('Q', [old], 1_000);
  await s.keep(old, oldChild);
  const parent = s.tx('P', [coin], 200);
  const poor = s.tx('C', [parent], 1_700);
  t.match(await s.submit([parent, poor]), {
    package_msg:
      'package RBF failed: insufficient anti-DoS fees, rejecting replacement C, less fees than conflicting txs; 0.000019 < 0.00002',
    'tx-results': { P: { error: /^insufficient fee, rejecting replacement P/ }, C: { error: 'bad-txns-inputs-missingorspent' } },
  });
  t.match(await s.submit([parent, s.tx('D', [parent], 1_900)]), {
    package_msg:
      'package RBF failed: insufficient anti-DoS fees, rejecting replacement D, not enough additional fees to relay; 0.000001 < 0.00000182',
  });
  const child = s.tx('E', [parent], 3_000);
  t.same(await s.submit([parent, child]), {
    package_msg: 'success',
    'tx-results': {
      P: { txid: 'P', vsize: 91, fees: { base: 0.000002, 'effective-feerate': 0.00017582, 'effective-includes': ['P', 'E'] } },
      E: { txid: 'E', vsize: 91, fees: { base: 0.00003, 'effective-feerate': 0.00017582, 'effective-includes': ['P', 'E'] } },
    },
    'replaced-transactions': ['O', 'Q']
      .map((name) => name)
      .sort((a, b) => Buffer.compare((a === 'O' ? old : oldChild).txid, (b === 'O' ? old : oldChild).txid)),
  });
  t.same(s.has(old, oldChild, parent, child), [false, false, true, true]);
  t.equal(s.pool.stats().replaced, 2);
});

t.test('rejects a package replacement that is not one parent and one child without ancestors', async (t) => {
  const s = new Stage();
  const coins = [s.coin(), s.coin()];
  const old = s.tx('O', [coins[0]], 1_000);
  const above = s.tx('A', [s.coin()], 1_000);
  await s.keep(old, above);
  const [one, two] = [s.tx('P', [coins[0]], 0), s.tx('R', [coins[1]], 0)];
  t.match(await s.submit([one, two, s.tx('C', [one, two], 9_000)]), {
    package_msg: 'package RBF failed: package must be 1-parent-1-child',
  });
  t.match(await s.submit([one, s.tx('D', [one, above], 9_000)]), {
    package_msg: 'package RBF failed: new transaction cannot have mempool ancestors',
  });
  const rich = s.tx('S', [coins[0]], 1_050);
  t.match(await s.submit([rich, s.tx('E', [rich], 300)]), {
    package_msg:
      'package RBF failed: package feerate is less than or equal to parent feerate, package feerate 0.00007417 BTC/kvB <= parent feerate is 0.00011538 BTC/kvB',
  });
  t.ok(s.pool.has(old.txid));
  const final = s.tx('F', [s.coin()], 1_000, { final: true });
  await s.keep(final);
});

t.test('rejects a package that pays more in total but worsens the fee rate diagram', async (t) => {
  const s = new Stage();
  const coin = s.coin();
  // The replaced transaction is small and has a high rate, the package is large: it pays more in all, but at a lower
  // rate than the first.
  const old = s.tx('O', [coin], 9_000);
  await s.keep(old);
  const parent = s.tx('P', [coin], 0, { outputs: 30 });
  const child = s.tx('C', [parent], 12_000);
  t.match(await s.submit([parent, child]), {
    package_msg: 'package RBF failed: insufficient feerate: does not improve feerate diagram',
  });
  t.ok(s.pool.has(old.txid));
});

t.test('accepts a package into a full mempool only when it pays enough', async (t) => {
  const probe = new Stage();
  await probe.keep(probe.tx('X', [probe.coin()], 500));
  const one = probe.pool.stats().usageBytes;
  const s = new Stage({ maxUsageBytes: Math.floor(one * 4.5) });
  const best = ['A', 'B', 'D'].map((name) => s.tx(name, [s.coin()], 9_000));
  await s.keep(...best);
  const parent = s.tx('P', [s.coin()], 0);
  const child = s.tx('C', [parent], 1_000);
  t.same(await s.submit([parent, child]), {
    package_msg: 'transaction failed',
    'tx-results': { P: { txid: 'P', error: 'mempool full' }, C: { txid: 'C', error: 'mempool full' } },
    'replaced-transactions': [],
  });
  t.same(s.has(...best), [true, true, true]);
  const rich = s.tx('R', [parent], 40_000);
  t.match(await s.submit([parent, rich]), { package_msg: 'success' });
  t.same(s.has(parent, rich), [true, true]);
});

t.test('testmempoolaccept checks several transactions together, and stops at the first failure', async (t) => {
  const s = new Stage();
  const parent = s.tx('P', [s.coin()], 300);
  const child = s.tx('C', [parent], 400);
  t.same(await s.test([parent, child]), [
    {
      txid: 'P',
      wtxid: 'P',
      allowed: true,
      vsize: 91,
      fees: { base: 0.000003, 'effective-feerate': 0.00003296, 'effective-includes': ['P'] },
    },
    {
      txid: 'C',
      wtxid: 'C',
      allowed: true,
      vsize: 91,
      fees: { base: 0.000004, 'effective-feerate': 0.00004395, 'effective-includes': ['C'] },
    },
  ]);
  t.equal(s.pool.size, 0);
  const fees = { base: 0.000003, 'effective-feerate': 0.00003296, 'effective-includes': ['P'] };
  t.same(await s.test([parent]), [{ txid: 'P', wtxid: 'P', allowed: true, vsize: 91, fees }], 'one as any');
  const free = s.tx('F', [s.coin()], 0);
  t.same(
    await s.test([parent, free, child]),
    [
      { txid: 'P', wtxid: 'P' },
      {
        txid: 'F',
        wtxid: 'F',
        allowed: false,
        'reject-reason': 'min relay fee not met',
        'reject-details': 'min relay fee not met, 0 < 91',
      },
      { txid: 'C', wtxid: 'C' },
    ],
    'the first fault, and nothing of the others',
  );
  t.same(
    await s.test([child, parent]),
    ['C', 'P'].map((name) => ({ txid: name, wtxid: name, 'package-error': 'package-not-sorted' })),
  );
  t.same(await s.test([parent, child], '0.000035'), [
    {
      txid: 'P',
      wtxid: 'P',
      allowed: true,
      vsize: 91,
      fees: { base: 0.000003, 'effective-feerate': 0.00003296, 'effective-includes': ['P'] },
    },
    { txid: 'C', wtxid: 'C', allowed: false, 'reject-reason': 'max-fee-exceeded' },
  ]);
  const most = (await s.test(Array.from({ length: 25 }, (_, i) => s.tx('', [s.coin()], 1000 + i)))) as { allowed?: boolean }[];
  t.same(
    most.map(({ allowed }) => allowed),
    new Array<boolean>(25).fill(true),
    'as many as a package may have',
  );
  t.same(await s.test([parent, parent]), [
    { txid: 'P', wtxid: 'P', 'package-error': 'package-contains-duplicates' },
    { txid: 'P', wtxid: 'P', 'package-error': 'package-contains-duplicates' },
  ]);
  t.equal(await s.test([]), '-8 Array must contain between 1 and 25 transactions.');
  const lost = s.tx('L', [new Uint8Array(36).fill(3)], 500);
  t.same(await s.test([lost, parent]), [
    { txid: 'L', wtxid: 'L', allowed: false, 'reject-reason': 'missing-inputs' },
    { txid: 'P', wtxid: 'P' },
  ]);
  const coin = s.coin();
  await s.keep(s.tx('O', [coin], 500));
  const rival = s.tx('R', [coin], 5_000);
  t.match(await s.test([rival, s.tx('N', [rival], 500)]), [{ 'reject-reason': 'bip125-replacement-disallowed' }, {}]);
});

t.test('reports the transactions before the one with an invalid signature as allowed', async (t) => {
  const s = new Stage();
  const good = s.tx('G', [s.coin()], 300);
  const wrong = spend(crypto, [s.coin()], [{ value: 1_000, script: PADDED }], { witness: [Uint8Array.of(0)] });
  const after = s.tx('A', [s.coin()], 300);
  const replies = (await s.test([good, wrong, after])) as { allowed?: boolean; 'reject-reason'?: string }[];
  t.same(
    replies.map(({ allowed }) => allowed),
    [true, false, undefined],
  );
  t.match(replies[1]?.['reject-reason'], /script-verify-flag/);
});

t.test('restricts the topology and size of version 3 transactions (BIP-0431)', async (t) => {
  const v3 = { version: 3 };
  const begin = (): Stage => new Stage({ policy: { ...policy, ...NEW_RULES }, replaceByDiagram: true });
  /** Returns the reasons of the reply, without repetitions. */
  const faults = async (s: Stage, ...txs: TxView[]): Promise<string> => {
    const replies = (await s.test(txs)) as { 'package-error'?: string; 'reject-reason'?: string; 'reject-details'?: string }[];
    const texts = replies.map((one) => one['package-error'] ?? one['reject-details'] ?? one['reject-reason'] ?? '');
    return [...new Set(texts)].join('').replaceAll(/ \(wtxid=\w\)/g, '');
  };

  // Each pair is checked with the parent in the mempool, and as a package.
  for (const inPool of [true, false]) {
    const check = async (name: string, parent: object, child: object, wanted: string): Promise<void> => {
      const s = begin();
      const p = s.tx('P', [s.coin()], 20_000, parent);
      const c = s.tx('C', [p], 20_000, child);
      if (inPool) await s.keep(p);
      t.equal(await faults(s, ...(inPool ? [c] : [p, c])), wanted, `${name}, ${inPool}`);
    };
    await check('a large parent and a child of 1000', { ...v3, size: 10_000 }, { ...v3, size: 1000 }, '');
    await check('a larger child', v3, { ...v3, size: 1001 }, 'TRUC-violation, version=3 child tx C is too big: 1001 > 1000 virtual bytes');
    await check('a child of version 2', v3, {}, 'TRUC-violation, non-version=3 tx C cannot spend from version=3 tx P');
    await check('a parent of version 2', {}, v3, 'TRUC-violation, version=3 tx C cannot spend from non-version=3 tx P');
    await check('two of version 2', {}, { size: 1001 }, '');

    const s = begin();
    const [p, q] = ['P', 'Q'].map((name) => s.tx(name, [s.coin()], 1000, { ...v3, outputs: 2 })) as [TxView, TxView];
    const both = s.tx('B', [p, q], 1000, v3);
    const child = s.tx('C', [p], 1000, v3);
    const grandchild = s.tx('G', [child], 1000, v3);
    // Spends the second output of P, whose value is 0.
    const sibling = s.tx('S', [outpointOf(p, 1), s.coin()], COIN + 5000, v3);
    const other = s.tx('O', [s.coin()], 1000, v3);
    if (inPool) {
      await s.keep(p, q, child);
      t.equal(await faults(s, both), 'TRUC-violation, tx B would have too many ancestors');
      t.equal(await faults(s, grandchild), 'TRUC-violation, tx G would have too many ancestors');
      t.equal(await faults(s, sibling), '', 'may replace its sibling');
      t.equal(await faults(s, sibling, other), 'TRUC-violation, tx P would exceed descendant count limit', 'not within a list');
      await s.keep(sibling);
      t.same(s.has(p, child, sibling), [true, false, true]);
    } else {
      t.equal(await faults(s, p, other), '', 'unrelated ones');
      t.equal(await faults(s, p, q, both), 'TRUC-violation, tx B would have too many ancestors');
      t.equal(await faults(s, p, child, grandchild), 'TRUC-violation, tx G would have too many ancestors');
      t.equal(await faults(s, p, child, sibling), 'TRUC-violation, tx P would exceed descendant count limit');
      await s.keep(p);
      t.equal(await faults(s, child, other), '');
      t.equal(await faults(s, q, both), 'TRUC-violation, tx B would have too many ancestors', 'one parent in each');
      t.equal(await faults(s, child, sibling), 'TRUC-violation, tx P would exceed descendant count limit');
      const huge = s.tx('H', [s.coin()], 20_000, { ...v3, size: 10_001 });
      t.equal(await faults(s, huge), 'TRUC-violation, version=3 tx H is too big: 10001 > 10000 virtual bytes');
    }
  }
});

t.test('lets a package replace many transactions of few clusters by the rules of newer releases', async (t) => {
  for (const [rules, message] of [
    [{ ...policy, ...NEW_RULES }, 'success'],
    [policy, /too many potential replacements \(\d+ > 100\)/],
  ] as const) {
    const s = new Stage({ policy: { ...rules, requireStandard: false }, replaceByDiagram: true, limitDescendantCount: 100 });
    const coins = [s.coin(), s.coin()];
    for (const coin of coins) {
      const fan = spend(
        crypto,
        [coin],
        Array.from({ length: 55 }, () => ({ value: 18_000, script: PADDED })),
      );
      await s.keep(fan);
      for (let i = 0; i < 55; i++) await s.keep(spend(crypto, [outpointOf(fan, i)], [{ value: 17_800, script: PADDED }]));
    }
    t.equal(s.pool.size, 112);
    const parent = s.tx('P', coins, 0);
    t.match(await s.submit([parent, s.tx('C', [parent], 60_000)]), { package_msg: message });
  }
});
