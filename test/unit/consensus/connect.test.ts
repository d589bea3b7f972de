// Tests connecting blocks to coins: every reason, spends within a block, the order of undo data, which coins are
// requested, and verdicts of scripts.

import t from 'tap';
import { hashFromHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { type Coin, isUnspendable } from '../../../src/consensus/coin.js';
import { BlockConnector, connectBlock, outpointOf } from '../../../src/consensus/connect.js';
import { formatMoney } from '../../../src/consensus/limits.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { enforceBip30 } from '../../../src/consensus/rules/bip30.js';
import { checkSpentCoins, missingInputs } from '../../../src/consensus/rules/check-inputs.js';
import { blockVerdict, scriptReject } from '../../../src/consensus/rules/script-verdict.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../../../src/consensus/script/flags.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { EASY_BITS, input, makeBlock, makeCoinbase, makeTx, OP_TRUE, output } from '../../framework/law-blocks.js';
import { ModelCoins, ModelNode } from '../../framework/law-model.js';

const hashes = createPureHashes();
const regtest = chainParams('regtest');
const flags = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS;
const A = new Uint8Array(32).fill(0xaa);
const B = new Uint8Array(32).fill(0xbb);

/** Makes a chain of twelve blocks that ends at a height below regtest's first halving. */
function parentAt(height: number): ModelNode {
  let node = new ModelNode(null, 1_600_000_000, EASY_BITS, 4, A, height - 11);
  for (let i = 1; i <= 11; i++) node = new ModelNode(node, 1_600_000_000 + i * 600, EASY_BITS, 4, A);
  return node;
}

const coin = (value: number, height = 1, coinbase = false): Coin => ({ value, script: OP_TRUE, height, coinbase });
const coinbaseOf = (value: number) => makeCoinbase(hashes, Uint8Array.of(0x51, 0x51), [output(value)]);
const SUBSIDY = 50e8;

/** Connects transactions after a coinbase that takes `paid`, to a parent at 119 (so the block's height is 120). */
function connect(coins: ModelCoins, txs: TxView[], paid = SUBSIDY, params = regtest, parent = parentAt(119)) {
  return connectBlock(makeBlock(hashes, [coinbaseOf(paid), ...txs]), parent, params, coins, { flags });
}

t.test('connects a valid block, and returns fees, spent coins and sigop cost', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(1000));
  coins.set(A, 1, coin(2000, 20, true));
  coins.set(B, 7, coin(5));
  const first = makeTx(hashes, { inputs: [input(A, 1), input(A, 0)], outputs: [output(2500), output(100)] });
  const second = makeTx(hashes, {
    inputs: [input(first.txid, 1), input(B, 7), input(first.txid, 0)],
    outputs: [output(2600, Uint8Array.of(0xac))],
  });
  const result = connect(coins, [first, second], SUBSIDY + 405);
  t.equal(result.verdict, null);
  t.equal(result.fees, 405);
  t.same(
    result.spentByTx.flat().map((c) => [c.value, c.height, c.coinbase]),
    [
      [2000, 20, true],
      [1000, 1, false],
      [100, 120, false],
      [5, 1, false],
      [2500, 120, false],
    ],
  );
  t.same(
    result.spentByTx.map((list) => list.map((c) => c.value)),
    [[], [2000, 1000], [100, 5, 2500]],
  );
  t.equal(result.scriptTxs, 3);
  t.equal(result.sigopCost, 4, 'one CHECKSIG in an output');
  t.equal(coins.map.size, 3, 'nothing was changed');
  t.equal(connect(coins, [first, second], SUBSIDY + 406).verdict?.reason, 'bad-cb-amount');
  t.equal(connect(coins, [first, second], 0).verdict, null, 'taking less is allowed');
});

t.test('connects a block in steps of some transactions or inputs', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(1000));
  const first = makeTx(hashes, { inputs: [input(A)], outputs: [output(900)] });
  const second = makeTx(hashes, { inputs: [input(first.txid)], outputs: [output(850)] });
  const third = makeTx(hashes, { inputs: [input(B)], outputs: [output(0)] });
  const run = (txs: TxView[]) =>
    new BlockConnector(makeBlock(hashes, [coinbaseOf(SUBSIDY), ...txs]), parentAt(119), regtest, coins, { flags });
  const good = run([first, second]);
  t.equal(good.applyBip30(false), null);
  t.equal(good.step(2), null);
  t.same([good.scriptTxs, good.fees, good.spentByTx.flat().length], [2, 100, 1]);
  t.equal(good.step(2), null, 'done already');
  t.equal(good.step(3), null);
  t.equal(good.finish(), null);
  t.same([good.scriptTxs, good.fees, good.spentByTx.flat().length], [3, 150, 2]);
  const bad = run([first, second, third]);
  t.equal(bad.step(3), null);
  t.equal(bad.step(4)?.reason, 'bad-txns-inputs-missingorspent');
  t.equal(bad.step(4)?.reason, 'bad-txns-inputs-missingorspent', 'the verdict stays');
  t.equal(bad.finish()?.reason, 'bad-txns-inputs-missingorspent');
  t.same([bad.scriptTxs, bad.spentByTx.length, bad.spentByTx.flat().length], [3, 3, 2]);

  // A transaction may also need several steps.
  coins.set(A, 1, coin(500));
  const wide = makeTx(hashes, { inputs: [input(A), input(A, 1)], outputs: [output(1400)] });
  const slow = run([wide]);
  t.equal(slow.step(1, 1), null);
  t.same([slow.scriptTxs, slow.spentByTx.flat().length], [1, 0], 'no spent coins are reported before all inputs were checked');
  t.equal(slow.step(1, 2), null);
  t.equal(slow.step(2), null);
  t.same([slow.scriptTxs, slow.fees, slow.spentByTx[1]], [2, 100, [coin(1000), coin(500)]]);
  const missing = run([makeTx(hashes, { inputs: [input(A), input(B), input(A, 1)], outputs: [output(0)] })]);
  t.equal(missing.step(1, 1), null);
  t.match(missing.step(1, 2), { category: 'consensus', reason: 'bad-txns-inputs-missingorspent' });
  t.match(missing.step(2), { reason: 'bad-txns-inputs-missingorspent' });
  t.equal(missing.applyBip30(true)?.reason, 'bad-txns-BIP30', 'which outranks it');
  t.equal(missing.step(1, 1)?.reason, 'bad-txns-BIP30', 'and stays, whatever comes');
});

t.test('rejects inputs that are missing, spent, immature or out of range', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(1000));
  coins.set(A, 1, coin(SUBSIDY, 21, true));
  coins.set(A, 2, coin(21e14));
  coins.set(A, 3, coin(1));
  coins.set(A, 4, coin(21e14 + 1));
  const spend = (indices: number[], value: number | bigint = 0, hash = A) =>
    makeTx(hashes, { inputs: indices.map((i) => input(hash, i)), outputs: [output(value)] });
  const verdict = (...txs: TxView[]) => connect(coins, txs).verdict;
  const missing = { category: 'consensus', reason: 'bad-txns-inputs-missingorspent', debug: 'CheckTxInputs: inputs missing/spent' };
  t.same(verdict(spend([9])), missing);
  t.same(verdict(spend([0]), spend([0, 3])), missing, 'spent by an earlier transaction');
  const parent = spend([0], 900);
  const child = makeTx(hashes, { inputs: [input(parent.txid)], outputs: [output(800)] });
  t.equal(verdict(parent, child), null);
  t.same(verdict(child, parent), missing, 'a child before its parent');
  t.same(verdict(parent, makeTx(hashes, { inputs: [input(parent.txid, 1)] })), missing, 'an output that is not there');
  const burnt = makeTx(hashes, { inputs: [input(A)], outputs: [output(900, Uint8Array.of(0x6a))] });
  t.same(verdict(burnt, makeTx(hashes, { inputs: [input(burnt.txid)] })), missing, 'an unspendable output');
  t.same(verdict(parent, parent), missing);
  const cb = coinbaseOf(SUBSIDY);
  t.match(verdict(makeTx(hashes, { inputs: [input(cb.txid)] })), {
    reason: 'bad-txns-premature-spend-of-coinbase',
    debug: 'tried to spend coinbase at depth 0',
  });
  t.same(verdict(spend([1])), {
    category: 'consensus',
    reason: 'bad-txns-premature-spend-of-coinbase',
    debug: 'tried to spend coinbase at depth 99',
  });
  t.equal(connect(coins, [spend([1])], SUBSIDY, regtest, parentAt(120)).verdict, null, 'depth 100');
  t.match(verdict(spend([2, 3])), { reason: 'bad-txns-inputvalues-outofrange' });
  t.match(verdict(spend([4])), { reason: 'bad-txns-inputvalues-outofrange' });
  t.same(verdict(spend([0], 1001)), {
    category: 'consensus',
    reason: 'bad-txns-in-belowout',
    debug: 'value in (0.00001) < value out (0.00001001)',
  });
  t.match(verdict(spend([2]), spend([3])), { reason: 'bad-txns-accumulated-fee-outofrange' });
  // For transactions outside a block, the verdict keeps its category.
  t.equal(missingInputs()?.category, 'missing-inputs');
  t.equal(checkSpentCoins(spend([1]), [coin(1000, 100, true)], 120).verdict?.category, 'premature-spend');
  t.same(checkSpentCoins(spend([0, 3], 990), [coin(1000), coin(1)], 120), { verdict: null, fee: 11 });
  t.same(checkSpentCoins(spend([0], 1000), [coin(1000)], 120), { verdict: null, fee: 0 }, 'for nothing');
  for (const spent of [coin(1000, 100, true), coin(21e14 + 1), coin(1000)]) t.equal(checkSpentCoins(spend([0], 1001), [spent], 120).fee, 0);
});

t.test('enforces relative locks from the activation of BIP-0068 on', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(1000, 425));
  const tx = makeTx(hashes, { inputs: [input(A, 0, { sequence: 8 })] });
  const at = (height: number) => connect(coins, [tx], 0, regtest, parentAt(height - 1)).verdict;
  t.equal(at(431), null, 'before 432 they mean nothing');
  t.same(at(432), { category: 'consensus', reason: 'bad-txns-nonfinal', debug: '' });
  t.equal(at(433), null);
});

t.test('reports how many transactions reach their scripts when sigops or amount fail', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(10));
  coins.set(B, 0, coin(10));
  const checksigs = (hash: Uint8Array, n: number) =>
    makeTx(hashes, { inputs: [input(hash)], outputs: [output(0, new Uint8Array(n).fill(0xac))] });
  t.equal(connect(coins, [checksigs(A, 10_000), checksigs(B, 10_000)]).sigopCost, 80_000);
  const heavy = connect(coins, [checksigs(A, 10_000), checksigs(B, 10_001)]);
  t.same(heavy.verdict, { category: 'consensus', reason: 'bad-blk-sigops', debug: '' });
  t.equal(heavy.scriptTxs, 2, 'coinbase and the first spend reached their scripts');
  t.equal(heavy.spentByTx.length, 2);
  const greedy = connect(coins, [makeTx(hashes, { inputs: [input(A)] })], SUBSIDY + 11);
  t.equal(greedy.verdict?.reason, 'bad-cb-amount');
  t.equal(greedy.scriptTxs, 2);
});

t.test('words script failures by mode, and orders them among other faults', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(10));
  const fine = connect(coins, [makeTx(hashes, { inputs: [input(A)] })]);
  const greedy = connect(coins, [makeTx(hashes, { inputs: [input(A)] })], SUBSIDY + 11);
  const failure = { tx: 1, error: 'Script failed an OP_VERIFY operation', passesMandatory: false };
  t.equal(blockVerdict(fine, null, 'sequential'), null);
  t.same(blockVerdict(fine, failure, 'sequential'), {
    category: 'consensus',
    reason: 'mandatory-script-verify-flag-failed (Script failed an OP_VERIFY operation)',
    debug: '',
  });
  t.equal(
    blockVerdict(fine, { ...failure, passesMandatory: true }, 'sequential')?.reason,
    'non-mandatory-script-verify-flag (Script failed an OP_VERIFY operation)',
  );
  t.same(blockVerdict(fine, failure, 'parallel'), { category: 'consensus', reason: 'block-validation-failed', debug: '' });
  t.match(blockVerdict(greedy, failure, 'sequential'), { reason: /^mandatory/ }, 'one thread: scripts come first');
  t.equal(blockVerdict(greedy, failure, 'parallel')?.reason, 'bad-cb-amount', 'more threads: scripts come last');
  t.equal(blockVerdict(greedy, null, 'parallel')?.reason, 'bad-cb-amount');
  t.equal(blockVerdict(fine, failure, 'plain')?.reason, 'block-script-verify-flag-failed (Script failed an OP_VERIFY operation)');
  t.equal(blockVerdict(greedy, failure, 'plain')?.reason, 'bad-cb-amount');
  t.equal(scriptReject({ error: 'x', passesMandatory: true }).category, 'not-standard');
});

t.test('rejects a transaction that overwrites unspent outputs (BIP-0030)', async (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(10));
  const tx = makeTx(hashes, { inputs: [input(A)], outputs: [output(1), output(2)] });
  t.equal(connect(coins, [tx]).verdict, null);
  coins.set(tx.txid, 1, coin(2));
  t.same(connect(coins, [tx]).verdict, { category: 'consensus', reason: 'bad-txns-BIP30', debug: '' });
  coins.map.clear();
  coins.set(coinbaseOf(SUBSIDY).txid, 0, coin(2));
  t.equal(connect(coins, [tx]).verdict?.reason, 'bad-txns-BIP30', 'before anything else');

  const main = chainParams('main');
  const at = (height: number, hash: Uint8Array = A) => new ModelNode(null, 1, 1, 4, hash, height);
  t.ok(enforceBip30(at(100), A, main));
  t.ok(enforceBip30(at(91_841), A, main));
  t.notOk(enforceBip30(at(91_841), hashFromHex('00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec'), main));
  t.notOk(enforceBip30(at(91_879), hashFromHex('00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721'), main));
  const known = main.bip34Hash ?? A;
  t.notOk(enforceBip30(at(227_931, known), A, main), 'on the known chain it cannot happen');
  t.ok(enforceBip30(at(227_931), A, main), 'on another chain it can');
  t.ok(enforceBip30(new ModelNode(at(227_931, known), 1, 1, 4, A, 1_983_701), A, main), 'from 1,983,702 on again');
  t.notOk(enforceBip30(new ModelNode(at(227_931, known), 1, 1, 4, A, 1_983_700), A, main));
  t.ok(enforceBip30(at(5000), A, regtest));
});

t.test('formats amounts and recognises unspendable scripts', async (t) => {
  t.same([0, 1, 100, 1000, 1e8, 15e7, 123456789, -1, -15e7].map(formatMoney), [
    '0.00',
    '0.00000001',
    '0.000001',
    '0.00001',
    '1.00',
    '1.50',
    '1.23456789',
    '-0.00000001',
    '-1.50',
  ]);
  t.same(
    [new Uint8Array(0), Uint8Array.of(0x6a), Uint8Array.of(0x51, 0x6a), new Uint8Array(10_000), new Uint8Array(10_001)].map(isUnspendable),
    [false, true, false, false, true],
  );
});

t.test('uses the known facts of a transaction, but still checks its inputs and maturity', (t) => {
  const coins = new ModelCoins();
  coins.set(A, 0, coin(1000));
  coins.set(A, 1, coin(2000, 20, true));
  const known = (inputs: number, sigopCost: number) => {
    const tx = makeTx(hashes, { inputs: [input(A, inputs)], outputs: [output(900)] });
    tx.facts = { fee: 100, sigopCost, flags };
    return tx;
  };
  const judged = (txs: TxView[], more: { flags?: number; parent?: ModelNode; paid?: number } = {}) => {
    const block = makeBlock(hashes, [coinbaseOf(more.paid ?? SUBSIDY), ...txs]);
    for (const [i, tx] of txs.entries()) block.txs[i + 1]!.facts = tx.facts;
    return connectBlock(block, more.parent ?? parentAt(119), regtest, coins, { flags: more.flags ?? flags });
  };
  const good = judged([known(0, 80_000)], { paid: SUBSIDY + 100 });
  t.same([good.verdict, good.fees, good.sigopCost], [null, 100, 80_000]);
  t.equal(judged([known(0, 1)], { paid: SUBSIDY + 101 }).verdict?.reason, 'bad-cb-amount');
  t.equal(judged([known(0, 80_001)]).verdict?.reason, 'bad-blk-sigops');
  t.equal(judged([known(0, 80_001)], { flags: SCRIPT_VERIFY_P2SH }).verdict, null, 'the cost of witnesses does not count here');
  t.equal(judged([known(0, 1), known(0, 1)]).verdict?.reason, 'bad-txns-inputs-missingorspent');
  t.equal(judged([known(2, 1)]).verdict?.reason, 'bad-txns-inputs-missingorspent');
  t.equal(judged([known(1, 1)], { parent: parentAt(118) }).verdict?.reason, 'bad-txns-premature-spend-of-coinbase');
  t.end();
});

t.test('writes the index of an outpoint in little-endian order', async (t) => {
  t.equal(toHex(outpointOf(makeTx(hashes, { inputs: [input(A)] }), 0x01020304)).slice(64), '04030201');
});
