// Tests the rules of BIP-0054, each at its limit, with the deployment that enables them, and for whole blocks and
// headers.

import t from 'tap';
import { parseHeader } from '../../../src/consensus/block/header-view.js';
import { fromHex } from '../../../src/consensus/bytes/hex.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { connectBlock } from '../../../src/consensus/connect.js';
import type { ChainParams } from '../../../src/consensus/params/chain-params.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { checkHeaderContext } from '../../../src/consensus/rules/check-header-context.js';
import { coinbaseLock } from '../../../src/consensus/rules/cleanup/coinbase-lock.js';
import { cleanupEnforced, cleanupPossible } from '../../../src/consensus/rules/cleanup/enforced.js';
import { cleanupMinTime } from '../../../src/consensus/rules/cleanup/header-times.js';
import { legacySigopsWithin } from '../../../src/consensus/rules/cleanup/legacy-sigops.js';
import { checkTransactionSize } from '../../../src/consensus/rules/cleanup/transaction-size.js';
import { contextualCheckBlock } from '../../../src/consensus/rules/contextual-check-block.js';
import { VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import { plainPush, pushNumber } from '../../../src/consensus/script/build-script.js';
import { SCRIPT_VERIFY_P2SH } from '../../../src/consensus/script/flags.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { EASY_BITS, input, makeBlock, makeTx, output } from '../../framework/law-blocks.js';
import { ModelCoins, ModelNode } from '../../framework/law-model.js';

const hashes = createPureHashes();
const cleanup = (startTime: bigint): ChainParams =>
  chainParams('regtest', { vbparams: [{ name: 'consensuscleanup', startTime, timeout: 2n ** 62n, minActivationHeight: 0 }] });
const on = cleanup(-1n);
const off = chainParams('regtest');
const A = new Uint8Array(32).fill(0xaa);
const START = 1_600_000_000;

/** Makes a chain of `height` headers after genesis, ten minutes apart. */
function chainTo(height: number, version = 4): ModelNode {
  let node = new ModelNode(null, START, EASY_BITS, version, A);
  for (let h = 1; h <= height; h++) node = new ModelNode(node, START + h * 600, EASY_BITS, version, A);
  return node;
}

t.test('enforces BIP-0054 on no network except a regtest that enables it', async (t) => {
  const tip = chainTo(3);
  for (const name of ['main', 'test', 'testnet4', 'signet', 'regtest'] as const) {
    t.notOk(cleanupEnforced(tip, chainParams(name), new VersionBitsCache()), name);
    t.notOk(cleanupPossible(chainParams(name)), name);
  }
  t.ok(cleanupEnforced(null, on, new VersionBitsCache()), 'from genesis');
  t.ok(cleanupPossible(on));
});

t.test('activates BIP-0054 by votes with version bit 4', async (t) => {
  const params = cleanup(0n);
  const enforced = (height: number, version: number) => cleanupEnforced(chainTo(height, version), params, new VersionBitsCache());
  t.notOk(enforced(430, 0x20000010), 'locked in until block 431');
  t.ok(enforced(431, 0x20000010), 'block 432 obeys');
  t.notOk(enforced(431, 0x20000020), 'another bit');
});

/** Returns the verdict on a header's time. Regtest's periods are shortened to 20 blocks. */
function timeVerdict(prev: ModelNode, time: number, params: ChainParams): string | null {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setInt32(0, 4, true);
  view.setUint32(68, time, true);
  view.setUint32(72, EASY_BITS, true);
  const short = { ...params, powTargetTimespan: 20 * params.powTargetSpacing };
  return checkHeaderContext(parseHeader(header, hashes), prev, short, 2_000_000_000)?.reason ?? null;
}

t.test('rejects a first block of a period more than two hours older than its parent', async (t) => {
  // Blocks ten minutes apart, whose last one is far ahead in time. The median time hardly changes.
  const base = chainTo(18);
  const parent = new ModelNode(base, base.time + 50_000, EASY_BITS, 4, A);
  t.equal(timeVerdict(parent, parent.time - 7_200, on), null);
  t.equal(timeVerdict(parent, parent.time - 7_201, on), 'time-timewarp-attack');
  t.equal(timeVerdict(parent, parent.time - 7_201, off), null);
  const earlier = new ModelNode(chainTo(16), START + 60_000, EASY_BITS, 4, A);
  t.equal(timeVerdict(earlier, START + 20_000, on), null, 'inside a period nothing is asked');
});

t.test('rejects a last block of a period older than the first block of the period', async (t) => {
  // The first block of the period is far ahead in time of all that follow it.
  let node = chainTo(19);
  const first = new ModelNode(node, START + 100_000, EASY_BITS, 4, A);
  node = first;
  for (let h = 21; h <= 38; h++) node = new ModelNode(node, START + h * 600, EASY_BITS, 4, A);
  t.equal(timeVerdict(node, START + 99_999, on), 'time-negative-interval');
  t.equal(timeVerdict(node, START + 100_000, on), null);
  t.equal(timeVerdict(node, START + 99_999, off), null);
  const short = { ...on, powTargetTimespan: 20 * on.powTargetSpacing };
  t.equal(cleanupMinTime(node, short), START + 100_000);
  t.equal(cleanupMinTime(chainTo(18), short), START, 'in the first period genesis is the first block');
  t.equal(cleanupMinTime(chainTo(10), short), Number.NEGATIVE_INFINITY);
});

const coinbaseAt = (height: number, locktime: number, sequence: number, outputs = [output(0, Uint8Array.of(0x51, 0x51))]) =>
  makeTx(hashes, {
    inputs: [input(new Uint8Array(32), 0xffffffff, { scriptSig: pushNumber(height), sequence })],
    outputs,
    locktime,
  });

t.test('rejects a coinbase that is not locked to the height before its own', async (t) => {
  const parent = chainTo(599);
  const reason = (locktime: number, sequence: number, params = on) =>
    contextualCheckBlock(makeBlock(hashes, [coinbaseAt(600, locktime, sequence)]), parent, params)?.reason ?? null;
  t.equal(reason(599, 0xfffffffe), null);
  t.equal(reason(599, 0), null, 'any sequence but the final one');
  t.equal(reason(599, 0xffffffff), 'bad-cb-sequence');
  t.equal(reason(598, 0xfffffffe), 'bad-cb-locktime');
  t.equal(reason(0, 0xffffffff), 'bad-cb-locktime', 'what pools make today');
  t.equal(reason(600, 0xfffffffe), 'bad-txns-nonfinal', 'which the old rules forbid already');
  t.equal(reason(600, 0xffffffff), 'bad-cb-locktime');
  t.equal(reason(0, 0xffffffff, off), null);
  t.same(coinbaseLock(600), { locktime: 599, sequence: 0xfffffffe });
});

/** Makes a transaction of this size without its witness: 60 bytes and a script. */
const sized = (bytes: number, witness: Uint8Array[] = []) =>
  makeTx(hashes, { inputs: [input(A, 0, { scriptSig: new Uint8Array(bytes - 60), witness })], outputs: [output(0, new Uint8Array(0))] });

t.test('rejects transactions of 64 bytes without their witness', async (t) => {
  for (const bytes of [63, 64, 65]) t.equal(sized(bytes).strippedSize, bytes);
  t.equal(checkTransactionSize(sized(63)), null);
  t.equal(checkTransactionSize(sized(64))?.reason, 'bad-txns-size');
  t.equal(checkTransactionSize(sized(65)), null);
  t.equal(checkTransactionSize(sized(64, [Uint8Array.of(1)]))?.reason, 'bad-txns-size', 'a witness does not count');
  const parent = chainTo(599);
  const block = (bytes: number) => makeBlock(hashes, [coinbaseAt(600, 599, 0), sized(bytes)]);
  t.equal(contextualCheckBlock(block(64), parent, on)?.reason, 'bad-txns-size');
  t.equal(contextualCheckBlock(block(65), parent, on), null);
  t.equal(contextualCheckBlock(block(64), parent, off), null);
  const small = coinbaseAt(600, 599, 0, [output(0, new Uint8Array(1))]);
  t.equal(small.strippedSize, 64);
  t.equal(contextualCheckBlock(makeBlock(hashes, [small]), parent, on)?.reason, 'bad-txns-size', 'coinbases too');
});

const CHECKSIG = 0xac;
const CHECKMULTISIG = 0xae;
const coinOf = (script: Uint8Array): Coin => ({ value: 1_000, script, height: 1, coinbase: false });
const repeat = (count: number, ...ops: number[]) =>
  Uint8Array.from({ length: count * ops.length }, (_, i) => ops[i % ops.length] as number);
const p2sh = Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87);

/** Returns true if a transaction with these scripts is within the limit. */
const within = (...scripts: (readonly [scriptSig: Uint8Array, spent: Uint8Array])[]) =>
  legacySigopsWithin(
    makeTx(hashes, { inputs: scripts.map(([scriptSig], i) => input(A, i, { scriptSig })) }),
    scripts.map(([, spent]) => coinOf(spent)),
  );
const NONE = new Uint8Array(0);

t.test('limits the legacy sigops that a transaction may execute to 2,500', async (t) => {
  t.ok(within([NONE, repeat(2_500, CHECKSIG)]));
  t.notOk(within([NONE, repeat(2_501, CHECKSIG)]));
  const oneOfOne = Uint8Array.from({ length: 5_000 }, (_, i) => (i % 2 === 0 ? 0x51 : 0xae));
  t.ok(within([oneOfOne, NONE]), 'a CHECKMULTISIG of one key is one, in a scriptSig too');
  t.notOk(within([NONE, repeat(1_250, CHECKSIG)], [NONE, repeat(1_251, CHECKSIG + 1)]), 'over all inputs, CHECKSIGVERIFY too');
  t.ok(within([repeat(2_500, CHECKSIG), NONE]), 'in the scriptSig');
  t.notOk(within([repeat(2_500, CHECKSIG), Uint8Array.of(CHECKSIG)]));
  t.ok(within([NONE, repeat(125, CHECKMULTISIG)]), 'a multisig without number counts 20');
  t.notOk(within([NONE, repeat(126, CHECKMULTISIG + 1)]));
  t.ok(within([NONE, repeat(156, 0x60, CHECKMULTISIG)]), '16 keys count 16: 2,496');
  t.notOk(within([NONE, repeat(157, 0x60, CHECKMULTISIG)]));
  t.ok(within([NONE, repeat(2_500, 0x51, CHECKMULTISIG)]));
  // The redeem script consists of 500 CHECKSIG, which are 500 operations.
  const redeem = plainPush(repeat(500, CHECKSIG));
  const five = Array.from({ length: 5 }, () => [redeem, p2sh] as const);
  t.ok(within(...five));
  t.notOk(within(...five, [NONE, Uint8Array.of(CHECKSIG)]));
  const unread = Uint8Array.of(...redeem, 0x61);
  t.ok(within(...five, [unread, p2sh]), 'what does more than push spends no P2SH output');
  const witnessProgram = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(CHECKSIG));
  t.ok(within(...Array.from({ length: 3_000 }, () => [NONE, witnessProgram] as const)), 'witness programs hold none');
});

t.test('counts signature operations as a plain reader of opcodes does', async () => {
  const op = fc.constantFrom(0x00, 0x51, 0x52, 0x60, 0x61, CHECKSIG, CHECKSIG + 1, CHECKMULTISIG, CHECKMULTISIG + 1);
  const naive = (ops: readonly number[]): number =>
    ops.reduce((sum, code, i) => {
      if (code === CHECKSIG || code === CHECKSIG + 1) return sum + 1;
      if (code !== CHECKMULTISIG && code !== CHECKMULTISIG + 1) return sum;
      const before = ops[i - 1] ?? 0;
      return sum + (before >= 0x51 && before <= 0x60 ? before - 0x50 : 20);
    }, 0);
  const scripts = fc.array(fc.array(op, { maxLength: 200 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(scripts, fc.integer({ min: 0, max: 2_600 }), (lists, more) => {
      const count = lists.reduce((sum, list) => sum + naive(list), more);
      const all = [...lists.map((list) => [NONE, Uint8Array.from(list)] as const), [NONE, repeat(more, CHECKSIG)] as const];
      return within(...all) === count <= 2_500;
    }),
  );
});

t.test('rejects a block with a transaction above 2,500 signature operations', async (t) => {
  const parent = chainTo(119);
  const reason = (count: number, params: ChainParams) => {
    const coins = new ModelCoins();
    coins.set(A, 0, coinOf(repeat(count, CHECKSIG)));
    const tx = makeTx(hashes, { inputs: [input(A)], outputs: [output(1_000)] });
    const block = makeBlock(hashes, [coinbaseAt(120, 119, 0), tx]);
    return connectBlock(block, parent, params, coins, { flags: SCRIPT_VERIFY_P2SH }).verdict;
  };
  t.equal(reason(2_500, on), null);
  t.match(reason(2_501, on), { category: 'consensus', reason: 'bad-txns-legacy-sigops' });
  t.equal(reason(2_501, off), null);
});

t.test('rejects a plain 64-byte transaction that is spelled out', async (t) => {
  // A plain 64-byte transaction written out, so that the test does not depend only on this file's builder.
  const hex = `01000000${'01'}${'aa'.repeat(32)}00000000${'00'}ffffffff${'01'}0000000000000000${'04'}5151515100000000`;
  t.equal(fromHex(hex).length, 64);
  t.equal(checkTransactionSize(makeTx(hashes, { inputs: [input(A)], outputs: [output(0, repeat(4, 0x51))] }))?.reason, 'bad-txns-size');
});
