// Tests the rules of blocks and transactions, alone and in the context of a chain: every reason with its category and
// debug text, and the order of the rules.

import t from 'tap';
import type { BlockView } from '../../../src/consensus/block/block-view.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { fromHex, hashToHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { checkMutation } from '../../../src/consensus/rules/block-mutation.js';
import { type CheckBlockOptions, checkBlock } from '../../../src/consensus/rules/check-block.js';
import { checkHeaderContext } from '../../../src/consensus/rules/check-header-context.js';
import { checkTransaction, outputTotal } from '../../../src/consensus/rules/check-transaction.js';
import { contextualCheckBlock, witnessCommitment } from '../../../src/consensus/rules/contextual-check-block.js';
import { plainPush, pushNumber } from '../../../src/consensus/script/build-script.js';
import { rejectText } from '../../../src/consensus/state.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { EASY_BITS, grind, input, makeBlock, makeCoinbase, makeTx, output } from '../../framework/law-blocks.js';
import { ModelNode } from '../../framework/law-model.js';

const crypto = createNativeCrypto();
const regtest = chainParams('regtest');
const A = new Uint8Array(32).fill(0xaa);
const coinbase = makeCoinbase(crypto, fromHex('5151'), [output(50e8)]);
const spend = makeTx(crypto, { inputs: [input(A)] });

t.test('checks transactions without context, and returns the reason of Core', async (t) => {
  const reason = (tx: TxView) => checkTransaction(tx)?.reason ?? null;
  t.equal(reason(spend), null);
  t.equal(reason(coinbase), null);
  t.equal(reason(makeTx(crypto, { inputs: [] })), 'bad-txns-vin-empty');
  t.equal(reason(makeTx(crypto, { inputs: [input(A)], outputs: [] })), 'bad-txns-vout-empty');
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(1_000_000) })] })), 'bad-txns-oversize');
  const witness = [new Uint8Array(1_000_000)];
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 0, { witness })] })), null, 'the witness does not count here');
  // The transaction has 62 bytes besides the script, of which 5 are the script's size. Test the limit to the byte.
  const around = makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(100_000) })] }).strippedSize - 100_000;
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(1_000_000 - around) })] })), null);
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(1_000_001 - around) })] })), 'bad-txns-oversize');
  const paying = (...values: bigint[]) => reason(makeTx(crypto, { inputs: [input(A)], outputs: values.map((value) => output(value)) }));
  t.equal(paying(0n, 2_100_000_000_000_000n), null);
  t.equal(paying(-1n), 'bad-txns-vout-negative');
  t.equal(paying(-(2n ** 63n)), 'bad-txns-vout-negative');
  t.equal(paying(2_100_000_000_000_001n), 'bad-txns-vout-toolarge');
  t.equal(paying(2n ** 63n - 1n), 'bad-txns-vout-toolarge');
  t.equal(paying(2_100_000_000_000_000n, 1n), 'bad-txns-txouttotal-toolarge');
  t.equal(paying(2_100_000_000_000_000n, 1n, -1n), 'bad-txns-txouttotal-toolarge', 'the sum is checked after each output');
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 1), input(A, 2), input(A, 1)] })), 'bad-txns-inputs-duplicate');
  for (const count of [8, 9]) {
    const inputs = Array.from({ length: count }, (_, i) => input(A, i * 0x1_00_00_00));
    t.equal(reason(makeTx(crypto, { inputs })), null, `${count} that differ in their last byte`);
    t.equal(reason(makeTx(crypto, { inputs: [...inputs.slice(1), inputs[count - 1]!] })), 'bad-txns-inputs-duplicate');
  }
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 1), input(A, 2)] })), null);
  // Inputs are duplicates if their outpoints are equal; the bytes after the outpoint do not matter.
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 1), input(A, 1, { scriptSig: fromHex('51') })] })), 'bad-txns-inputs-duplicate');
  t.equal(reason(makeTx(crypto, { inputs: [input(A, 1), input(Uint8Array.of(0xab, ...A.subarray(1)), 1)] })), null);
  t.equal(outputTotal(makeTx(crypto, { inputs: [input(A)], outputs: [output(1), output(2), output(4)] })), 7);
  const zero = new Uint8Array(32);
  t.equal(reason(makeTx(crypto, { inputs: [input(A), input(zero, 0xffffffff)] })), 'bad-txns-prevout-null');
  t.equal(reason(makeTx(crypto, { inputs: [input(zero, 0xffffffff), input(A)] })), 'bad-txns-prevout-null');
  t.equal(reason(makeTx(crypto, { inputs: [input(A), input(zero, 0xfffffffe)] })), null);
  for (const [length, expected] of [
    [1, 'bad-cb-length'],
    [2, null],
    [100, null],
    [101, 'bad-cb-length'],
  ] as const) {
    t.equal(reason(makeCoinbase(crypto, new Uint8Array(length), [output(0)])), expected, `coinbase script of ${length}`);
  }
});

/** Returns the verdict without checking proof of work, as for a proposal. */
const proposal = (block: BlockView, opts: CheckBlockOptions = { checkPow: false }) => checkBlock(block, regtest, crypto, opts);

t.test('checks blocks without context, and returns the reason of Core', async (t) => {
  const good = makeBlock(crypto, [coinbase, spend]);
  t.equal(checkBlock(grind(crypto, good), regtest, crypto), null);
  t.same(checkBlock(grind(crypto, good, false), regtest, crypto), {
    category: 'invalid-header',
    reason: 'high-hash',
    debug: 'proof of work failed',
  });
  t.equal(proposal(good), null);
  t.notOk(good.checked, 'half a check is not remembered');
  const ground = grind(crypto, good);
  checkBlock(ground, regtest, crypto);
  t.ok(ground.checked);
  t.equal(checkBlock(ground, { ...regtest, powLimit: 0n }, crypto), null, 'a whole check is not repeated');
  t.ok(good.merkleChecked);
  const trusted = makeBlock(crypto, [coinbase, spend], { merkleRoot: A });
  trusted.merkleChecked = true;
  t.equal(proposal(trusted), null, 'nor is that of the root');

  t.same(proposal(makeBlock(crypto, [coinbase, spend], { merkleRoot: A })), {
    category: 'mutated',
    reason: 'bad-txnmrklroot',
    debug: 'hashMerkleRoot mismatch',
  });
  t.equal(proposal(makeBlock(crypto, [coinbase, spend], { merkleRoot: A }), { checkPow: false, checkMerkle: false }), null);
  const third = makeTx(crypto, { inputs: [input(A, 3)] });
  const honest = makeBlock(crypto, [coinbase, spend, third]);
  const twin = makeBlock(crypto, [coinbase, spend, third, third], { merkleRoot: honest.header.merkleRoot });
  t.same(proposal(twin), { category: 'mutated', reason: 'bad-txns-duplicate', debug: 'duplicate transaction' });
  t.same(proposal(makeBlock(crypto, [])), { category: 'consensus', reason: 'bad-blk-length', debug: 'size limits failed' });
  t.equal(proposal(makeBlock(crypto, [], { merkleRoot: A }))?.reason, 'bad-txnmrklroot');
  const half = makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(500_000) })] });
  t.equal(proposal(makeBlock(crypto, [coinbase, half, half]), { checkPow: false, checkMerkle: false })?.reason, 'bad-blk-length');
  const filled = (size: number) =>
    makeBlock(crypto, [coinbase, makeTx(crypto, { inputs: [input(A, 0, { scriptSig: new Uint8Array(size) })] })]);
  const over = filled(500_000).strippedSize - 500_000;
  t.equal(proposal(filled(1_000_000 - over)), null, 'the limit to the byte');
  t.equal(proposal(filled(1_000_001 - over))?.reason, 'bad-blk-length');
  t.same(proposal(makeBlock(crypto, [spend])), { category: 'consensus', reason: 'bad-cb-missing', debug: 'first tx is not coinbase' });
  const other = makeCoinbase(crypto, fromHex('5152'), [output(1)]);
  t.same(proposal(makeBlock(crypto, [coinbase, spend, other])), {
    category: 'consensus',
    reason: 'bad-cb-multiple',
    debug: 'more than one coinbase',
  });
  t.equal(proposal(makeBlock(crypto, [coinbase, other]))?.reason, 'bad-cb-multiple');
  const negative = makeTx(crypto, { inputs: [input(A)], outputs: [output(-1n)] });
  t.same(proposal(makeBlock(crypto, [coinbase, negative])), {
    category: 'consensus',
    reason: 'bad-txns-vout-negative',
    debug: `Transaction check failed (tx hash ${hashToHex(negative.txid)}) `,
  });
  // 20,000 legacy signature operations, each with a cost of four, are the limit. Both kinds of script count, also those
  // of the coinbase.
  const checksigs = (n: number) => new Uint8Array(n).fill(0xac);
  const loaded = (n: number) => {
    const cb = makeCoinbase(crypto, fromHex('51ac'), [output(0, checksigs(10_000))]);
    const tx = makeTx(crypto, { inputs: [input(A, 0, { scriptSig: checksigs(9_000) })], outputs: [output(0, checksigs(n))] });
    return proposal(makeBlock(crypto, [cb, tx]));
  };
  t.equal(loaded(999), null);
  t.same(loaded(1000), { category: 'consensus', reason: 'bad-blk-sigops', debug: 'out-of-bounds SigOpCount' });
  // The known total cost includes witnesses. So it is used only to skip counting, never to refuse a block.
  const costly = (legacy: number) => {
    const block = makeBlock(crypto, [coinbase, makeTx(crypto, { inputs: [input(A)], outputs: [output(0, checksigs(legacy))] })]);
    block.txs[1]!.facts = { fee: 0, sigopCost: 100_000, flags: 0 };
    return proposal(block)?.reason ?? null;
  };
  t.same([0, 20_000, 20_001].map(costly), [null, null, 'bad-blk-sigops']);
});

/** Makes a chain of ten blocks, ten minutes apart, that ends at this height. */
function parentAt(height: number, start = 1_600_000_000): ModelNode {
  let node = new ModelNode(null, start, EASY_BITS, 4, A, height - 9);
  for (let i = 1; i < 10; i++) node = new ModelNode(node, start + i * 600, EASY_BITS, 4, A);
  return node;
}

t.test('checks blocks in their context, and returns the reason of Core', async (t) => {
  const params = chainParams('regtest', { activationHeights: { segwit: 0 } });
  const commit = (hex: string) => fromHex(`6a24aa21a9ed${hex}`);
  /**
   * Builds a block for a height. Its parts can be given: coinbase script, the spend's locktime and witness, commitment
   * and reserved value.
   */
  const build = (more: {
    scriptSig?: Uint8Array;
    locktime?: number;
    witness?: Uint8Array[];
    commitment?: string;
    commitmentFirst?: boolean;
    reserved?: Uint8Array[];
    time?: number;
  }) => {
    const tx = makeTx(crypto, { inputs: [input(A, 0, { witness: more.witness ?? [], sequence: 0 })], locktime: more.locktime ?? 0 });
    const outputs = [output(50e8)];
    if (more.commitment !== undefined) outputs.push(output(0, commit(more.commitment)));
    if (more.commitmentFirst === true) outputs.reverse();
    const cb = makeCoinbase(crypto, more.scriptSig ?? fromHex('5151'), outputs, { witness: more.reserved ?? [] });
    return makeBlock(crypto, [cb, tx], { time: more.time ?? 1_600_010_000 });
  };
  const verdict = (block: BlockView, height = 100, rules = params) => contextualCheckBlock(block, parentAt(height - 1), rules);
  const reason = (block: BlockView, height = 100) => verdict(block, height)?.reason ?? null;

  t.equal(reason(build({})), null);
  // Finality: below height 432 by the block's own time, from there on by the parent's median time (the sixth of ten:
  // 1,600,003,000).
  t.equal(reason(build({ locktime: 99 })), null);
  t.same(verdict(build({ locktime: 100 })), { category: 'consensus', reason: 'bad-txns-nonfinal', debug: 'non-final transaction' });
  t.equal(reason(build({ locktime: 1_600_009_999 })), null);
  t.equal(reason(build({ locktime: 1_600_010_000 })), 'bad-txns-nonfinal');
  t.equal(reason(build({ locktime: 1_600_002_999 }), 432), null);
  t.equal(reason(build({ locktime: 1_600_003_000 }), 432), 'bad-txns-nonfinal');
  // The height in the coinbase, required from 500 on.
  t.equal(reason(build({}), 499), null);
  t.same(verdict(build({}), 500), { category: 'consensus', reason: 'bad-cb-height', debug: 'block height mismatch in coinbase' });
  t.equal(reason(build({ scriptSig: fromHex('02f401') }), 500), null);
  t.equal(reason(build({ scriptSig: fromHex('02f40151') }), 500), null);
  t.equal(reason(build({ scriptSig: fromHex('02f501') }), 500), 'bad-cb-height');
  t.equal(reason(build({ scriptSig: fromHex('03f40100') }), 500), 'bad-cb-height', 'not minimal');
  // Rules of witnesses and their commitment.
  const reserved = [new Uint8Array(32)];
  const item = [Uint8Array.of(1)];
  t.same(verdict(build({ witness: item })), {
    category: 'mutated',
    reason: 'unexpected-witness',
    debug: 'ContextualCheckBlock : unexpected witness data found',
  });
  t.equal(reason(build({ reserved })), 'unexpected-witness', "the coinbase's own counts");
  const zeros = '00'.repeat(32);
  for (const bad of [[], [new Uint8Array(31)], [new Uint8Array(32), new Uint8Array(0)]]) {
    t.same(verdict(build({ commitment: zeros, witness: item, reserved: bad })), {
      category: 'mutated',
      reason: 'bad-witness-nonce-size',
      debug: 'ContextualCheckBlock : invalid witness reserved value size',
    });
  }
  t.same(verdict(build({ commitment: zeros, witness: item, reserved })), {
    category: 'mutated',
    reason: 'bad-witness-merkle-match',
    debug: 'ContextualCheckBlock : witness merkle commitment mismatch',
  });
  const right = hashHex(witnessCommitment(build({ commitment: zeros, witness: item, reserved }), reserved[0]));
  t.equal(reason(build({ commitment: right, witness: item, reserved })), null);
  t.equal(reason(build({ commitment: `${right}51`, witness: item, reserved })), null, 'what follows the hash does not matter');
  t.equal(reason(build({ commitment: right, commitmentFirst: true, witness: item, reserved })), null, 'in the first output');
  t.equal(reason(build({ commitment: zeros, commitmentFirst: true, witness: item, reserved })), 'bad-witness-merkle-match');
  const remembered = build({ commitment: right, witness: item, reserved });
  verdict(remembered);
  t.ok(remembered.witnessChecked);
  const wrong = build({ commitment: zeros, witness: item, reserved });
  verdict(wrong);
  t.notOk(wrong.witnessChecked);
  wrong.witnessChecked = true;
  t.equal(reason(wrong), null, 'and not checked again');
  t.equal(reason(build({ commitment: right, witness: [Uint8Array.of(2)], reserved })), 'bad-witness-merkle-match');
  t.equal(reason(build({ commitment: right, witness: item, reserved: [A] })), 'bad-witness-merkle-match');
  const late = chainParams('regtest', { activationHeights: { segwit: 200 } });
  t.equal(verdict(build({ commitment: right, witness: item, reserved }), 199, late)?.reason, 'unexpected-witness', 'before segwit');
  t.equal(verdict(build({ commitment: zeros }), 199, late), null);
  t.equal(verdict(build({ commitment: right, witness: item, reserved }), 200, late), null, 'from its height on');
  t.equal(checkMutation(build({ commitment: right, witness: item, reserved }), 200, late), null);
  t.equal(checkMutation(build({ commitment: right, witness: item, reserved }), 199, late)?.reason, 'unexpected-witness');
  // The weight is checked only after the commitment is found correct.
  const weighing = (size: number) => {
    const witness = [new Uint8Array(size)];
    const commitment = hashHex(witnessCommitment(build({ commitment: zeros, witness, reserved }), reserved[0]));
    return build({ commitment, witness, reserved });
  };
  const rest = weighing(3_000_000).weight - 3_000_000;
  t.equal(reason(weighing(4_000_000 - rest)), null, 'the limit to the unit');
  t.equal(reason(weighing(4_000_001 - rest)), 'bad-blk-weight');
  const fat = [new Uint8Array(4_000_000)];
  const fatRight = hashHex(witnessCommitment(build({ commitment: zeros, witness: fat, reserved }), reserved[0]));
  t.same(verdict(build({ commitment: fatRight, witness: fat, reserved })), {
    category: 'consensus',
    reason: 'bad-blk-weight',
    debug: 'ContextualCheckBlock : weight limit failed',
  });
  t.equal(reason(build({ commitment: zeros, witness: fat, reserved })), 'bad-witness-merkle-match');
});

const hashHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

t.test('checks headers in their context, and returns the reason of Core', async (t) => {
  const parent = parentAt(999);
  const now = 1_600_100_000;
  const verdict = (fields: object, params = regtest, node = parent, checkpoint = -1) =>
    checkHeaderContext(makeBlock(crypto, [coinbase], { time: 1_600_006_000, ...fields }).header, node, params, now, checkpoint);
  t.equal(verdict({}), null);
  t.same(verdict({ bits: 0x207ffffe }), { category: 'invalid-header', reason: 'bad-diffbits', debug: 'incorrect proof of work' });
  t.same(verdict({}, regtest, parent, 1001), { category: 'checkpoint', reason: 'bad-fork-prior-to-checkpoint', debug: '' });
  t.equal(verdict({}, regtest, parent, 1000), null);
  t.same(verdict({ time: parent.medianTimePast() }), {
    category: 'invalid-header',
    reason: 'time-too-old',
    debug: "block's timestamp is too early",
  });
  t.equal(verdict({ time: parent.medianTimePast() + 1 }), null);
  t.equal(verdict({ time: now + 7200 }), null);
  t.same(verdict({ time: now + 7201 }), {
    category: 'time-future',
    reason: 'time-too-new',
    debug: 'block timestamp too far in the future',
  });
  // Versions are signed numbers. Regtest requires 2 from height 500, 3 from 1251, 4 from 1351.
  const version = (value: number, height: number) => verdict({ version: value }, regtest, parentAt(height - 1));
  t.equal(version(1, 499), null);
  t.same(version(1, 500), { category: 'invalid-header', reason: 'bad-version(0x00000001)', debug: 'rejected nVersion=0x00000001 block' });
  t.same(
    [2, 3, 4].map((v) => version(v, 1250)),
    [null, null, null],
  );
  t.same(
    [2, 3, 4].map((v) => version(v, 1251)?.reason ?? null),
    ['bad-version(0x00000002)', null, null],
  );
  t.same(
    [2, 3, 4].map((v) => version(v, 1351)?.reason ?? null),
    ['bad-version(0x00000002)', 'bad-version(0x00000003)', null],
  );
  t.equal(version(-1, 500)?.reason, 'bad-version(0xffffffff)');
  t.equal(
    rejectText(version(1, 500) ?? { category: 'consensus', reason: '', debug: '' }),
    'bad-version(0x00000001), rejected nVersion=0x00000001 block',
  );
  // BIP-0094: the first block of a period may be at most 600 seconds before its parent. Here times decrease as far as
  // the median allows.
  const short = { ...regtest, powTargetTimespan: 600 * 8 };
  const bip94 = { ...short, enforceBip94: true };
  let end = parentAt(1006);
  end = new ModelNode(end, end.time + 5000, EASY_BITS, 4, A);
  t.equal(verdict({ time: end.time - 600 }, bip94, end), null);
  t.same(verdict({ time: end.time - 601 }, bip94, end), {
    category: 'invalid-header',
    reason: 'time-timewarp-attack',
    debug: "block's timestamp is too early on diff adjustment block",
  });
  t.equal(verdict({ time: end.time - 601 }, short, end), null, 'only where BIP-0094 holds');
  const inside = new ModelNode(parentAt(1007), end.time, EASY_BITS, 4, A);
  t.equal(verdict({ time: end.time - 601 }, bip94, inside), null, 'and only in the first block');
});

t.test('encodes heights and data as pushes of every size', async (t) => {
  const hex = (height: number) => hashHex(pushNumber(height));
  t.same([0, 1, 16, 17, 127, 128, 255, 256, 32767, 32768, 500_000, 8_388_607, 8_388_608].map(hex), [
    '00',
    '51',
    '60',
    '0111',
    '017f',
    '028000',
    '02ff00',
    '020001',
    '02ff7f',
    '03008000',
    '0320a107',
    '03ffff7f',
    '0400008000',
  ]);
  t.same(
    [0, 1, 75, 76, 255, 256, 65535, 65536].map((n) =>
      hashHex(plainPush(new Uint8Array(n)).subarray(0, plainPush(new Uint8Array(n)).length - n)),
    ),
    ['00', '01', '4b', '4c4c', '4cff', '4d0001', '4dffff', '4e00000100'],
  );
});

t.test('accepts the genesis block of every network', async (t) => {
  for (const name of ['main', 'test', 'testnet4', 'signet', 'regtest'] as const) {
    const params = chainParams(name);
    const block = parseBlock(params.genesis, crypto);
    t.equal(checkBlock(block, params, crypto), null, name);
    t.equal(contextualCheckBlock(block, null, params), null);
  }
});

t.test('distinguishes mutated copies from their blocks', async (t) => {
  const others = [1, 2].map((n) => makeTx(crypto, { inputs: [input(A, n)] }));
  const witness = [Uint8Array.of(7)];
  /** Serialise and parse again, so that no result of an earlier check is cached. */
  const verdict = (header: BlockView, txs: readonly TxView[], height = 1_000): string | null => {
    const bytes = Buffer.concat([header.header.bytes, Uint8Array.of(txs.length), ...txs.map((tx) => tx.bytes)]);
    const reject = checkMutation(parseBlock(new Uint8Array(bytes), crypto), height, regtest);
    return reject === null ? null : `${reject.category} ${reject.reason}`;
  };
  const plain = makeBlock(crypto, [coinbase, ...others]);
  t.equal(verdict(plain, plain.txs), null);
  t.equal(verdict(plain, plain.txs.slice(0, 2)), 'mutated bad-txnmrklroot');
  t.equal(verdict(plain, [...plain.txs, plain.txs[2]]), 'mutated bad-txns-duplicate', 'CVE-2012-2459: the same root');
  const padded = makeTx(crypto, { inputs: [input(A, 2, { witness })] });
  t.equal(verdict(plain, [plain.txs[0], plain.txs[1], padded]), 'mutated unexpected-witness');
  t.equal(verdict(plain, [plain.txs[0], plain.txs[1], padded], 0), 'mutated unexpected-witness', 'before segwit as well');

  const nonce = new Uint8Array(32).fill(3);
  const witnessed = makeTx(crypto, { inputs: [input(A, 1, { witness })] });
  const draft = makeBlock(crypto, [coinbase, witnessed]);
  const mark = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed, ...witnessCommitment(draft, nonce));
  const committing = (reserved: Uint8Array[]) =>
    makeTx(crypto, {
      inputs: [input(new Uint8Array(32), 0xffffffff, { scriptSig: fromHex('5151'), witness: reserved })],
      outputs: [output(50e8), { value: 0n, script: mark }],
    });
  const block = makeBlock(crypto, [committing([nonce]), witnessed]);
  const other = makeTx(crypto, { inputs: [input(A, 1, { witness: [Uint8Array.of(8)] })] });
  const bare = makeTx(crypto, { inputs: [input(A, 1)] });
  t.equal(verdict(block, block.txs), null);
  t.equal(verdict(block, [committing([nonce]), other]), 'mutated bad-witness-merkle-match');
  t.equal(verdict(block, [committing([nonce]), bare]), 'mutated bad-witness-merkle-match');
  t.equal(verdict(block, [committing([new Uint8Array(32)]), witnessed]), 'mutated bad-witness-merkle-match');
  t.equal(verdict(block, [committing([]), witnessed]), 'mutated bad-witness-nonce-size');
  t.equal(verdict(block, [committing([nonce, nonce]), witnessed]), 'mutated bad-witness-nonce-size');

  // 64 bytes without witness could be two hashes of the merkle tree. A block that begins with a coinbase cannot be such
  // a case.
  const around = makeTx(crypto, { inputs: [input(A)], outputs: [{ value: 0n, script: new Uint8Array(0) }] }).strippedSize;
  const sized = (size: number) => makeTx(crypto, { inputs: [input(A)], outputs: [{ value: 0n, script: new Uint8Array(size - around) }] });
  const headless = (size: number) => makeBlock(crypto, [sized(size), others[0]]);
  t.equal(verdict(headless(64), headless(64).txs), 'mutated bad-cb-missing');
  t.equal(verdict(headless(65), headless(65).txs), null, 'invalid, and by its own bytes');
  const normal = makeBlock(crypto, [coinbase, sized(64)]);
  t.equal(verdict(normal, normal.txs), null);
});
