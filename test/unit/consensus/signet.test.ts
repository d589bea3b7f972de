// Tests signed blocks: a solution made with a known key, challenges that are always true or never true, and malformed
// solutions.

import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { fromHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { checkSignetSolution, signetTxs } from '../../../src/consensus/rules/signet.js';
import { plainPush } from '../../../src/consensus/script/build-script.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { testKey } from '../../framework/keys.js';
import { input, makeBlock, makeCoinbase, makeTx, output } from '../../framework/law-blocks.js';

const crypto = createNativeCrypto();
const MARK = fromHex('ecc7daa2');
const COMMITMENT = fromHex(`6a24aa21a9ed${'77'.repeat(32)}`);
const REJECT = { category: 'consensus', reason: 'bad-signet-blksig', debug: 'signet block signature validation failure' };

/** Makes a block whose commitment output contains these further script bytes. */
function blockWith(tail: Uint8Array, time = 1_600_000_600) {
  const coinbase = makeCoinbase(crypto, fromHex('5151'), [output(50e8), output(0, Uint8Array.from([...COMMITMENT, ...tail]))]);
  const spend = makeTx(crypto, { inputs: [input(new Uint8Array(32).fill(9))], outputs: [output(1), output(2)] });
  return makeBlock(crypto, [coinbase, spend], { time });
}

const check = (block: ReturnType<typeof blockWith>, challenge: string) =>
  checkSignetSolution(block, chainParams('signet', { signetChallenge: fromHex(challenge) }, crypto), crypto);

/** A push of the four bytes that mark a signet solution, and the solution. */
const solved = (solution: Uint8Array) => plainPush(Uint8Array.from([...MARK, ...solution]));
const solution = (scriptSig: Uint8Array, witness: Uint8Array[] = []) => {
  const out = new ByteWriter().varBytes(scriptSig).compactSize(witness.length);
  for (const item of witness) out.varBytes(item);
  return out.finish();
};

t.test('accepts trivial challenges without a solution, and rejects impossible ones', async (t) => {
  t.equal(check(blockWith(new Uint8Array(0)), '51'), null, 'no solution is fine when nothing is asked');
  t.same(check(blockWith(new Uint8Array(0)), '00'), REJECT);
  const bare = makeBlock(crypto, [makeCoinbase(crypto, fromHex('5151'), [output(50e8)])]);
  t.same(check(bare, '51'), REJECT, 'a commitment output must exist');
  t.same(check(makeBlock(crypto, []), '51'), REJECT);
  const params = chainParams('signet');
  t.equal(checkSignetSolution(parseBlock(params.genesis, crypto), params, crypto), null, 'genesis is exempt');
  t.equal(checkSignetSolution(bare, chainParams('regtest'), crypto), null, 'other networks ask for nothing');
});

t.test('rejects malformed signet solutions', async (t) => {
  const equal = (value: string) => `01${value}87`;
  const push = Uint8Array.of(1, 0x42);
  t.equal(check(blockWith(solved(solution(push))), equal('42')), null);
  t.same(check(blockWith(solved(solution(push))), equal('43')), REJECT);
  t.same(check(blockWith(solved(Uint8Array.from([...solution(push), 0]))), equal('42')), REJECT, 'nothing may follow');
  t.same(check(blockWith(solved(solution(push).subarray(0, 2))), equal('42')), REJECT, 'cut short');
  t.same(check(blockWith(solved(fromHex('feffffffff'))), '51'), REJECT, 'malformed even if nothing was asked');
  t.equal(check(blockWith(plainPush(MARK)), '51'), null, 'the mark alone is no solution');
  const second = Uint8Array.from([...solved(solution(push)), ...solved(solution(Uint8Array.of(1, 0x43)))]);
  t.equal(check(blockWith(second), equal('42')), null, 'the first one counts');
  const late = Uint8Array.from([0x51, 0x00, ...plainPush(Uint8Array.of(1, 2, 3, 4, 5)), ...solved(solution(push))]);
  t.equal(check(blockWith(late), equal('42')), null, 'other pushes may come before');
  t.same(check(blockWith(solved(solution(push)).subarray(0, 6)), equal('42')), REJECT, 'an incomplete push is none');
  t.equal(check(blockWith(solved(solution(push)).subarray(0, 6)), '51'), null, 'nor is it malformed');
  t.equal(check(blockWith(Uint8Array.from([0x4f, ...solved(solution(push))])), equal('42')), null, 'OP_1NEGATE has no bytes behind it');
  t.equal(check(blockWith(solved(solution(Uint8Array.of(0)))), '0000ae'), null, 'no signature of no key');
  t.same(check(blockWith(solved(solution(push))), '0000ae'), REJECT, 'what CHECKMULTISIG takes too many must be empty');
  // The witness of the solution for a P2WSH challenge with OP_TRUE.
  const p2wsh = `0020${toHex(crypto.sha256(fromHex('51')))}`;
  t.equal(check(blockWith(solved(solution(new Uint8Array(0), [fromHex('51')]))), p2wsh), null);
  t.same(check(blockWith(solved(solution(new Uint8Array(0), [fromHex('52')]))), p2wsh), REJECT);
});

t.test('commits to the block without its solution, and to its time', async (t) => {
  const with1 = signetTxs(blockWith(solved(fromHex('0000'))), fromHex('51'));
  const with2 = signetTxs(blockWith(solved(solution(Uint8Array.of(0x51, 0x51)))), fromHex('51'));
  const none = signetTxs(blockWith(plainPush(MARK)), fromHex('51'));
  t.equal(toHex(with1?.toSpend.bytes ?? MARK), toHex(with2?.toSpend.bytes ?? COMMITMENT), 'the solution itself is left out');
  t.equal(toHex(with1?.toSpend.bytes ?? MARK), toHex(none?.toSpend.bytes ?? COMMITMENT), 'its mark is not');
  const other = signetTxs(blockWith(solved(fromHex('0000')), 1_600_000_601), fromHex('51'));
  t.not(toHex(with1?.toSpend.bytes ?? MARK), toHex(other?.toSpend.bytes ?? MARK), 'the time is covered');
  const toSpend = with1?.toSpend;
  t.same(
    [toSpend?.version, toSpend?.locktime, toSpend?.sequence(0), toSpend?.isNullOutpoint(0), toSpend?.outputValue(0)],
    [0, 0, 0, true, 0],
  );
  t.equal(toSpend?.scriptSig(0).length, 1 + 1 + 72);
  /** The signed merkle root. It stands behind OP_0, a size, the version and the previous hash. */
  const signedRoot = (tail: string) =>
    toHex(
      signetTxs(blockWith(fromHex(tail)), fromHex('51'))
        ?.toSpend.scriptSig(0)
        .subarray(38, 70) ?? MARK,
    );
  const mark = toHex(plainPush(MARK));
  const proof = toHex(solved(fromHex('0000')));
  for (const [tail, cut] of [
    [proof, mark],
    ['4c0142', '4c0142'],
    [`0142${proof}`, `0142${mark}`],
    [`4c0142${proof}`, `0142${mark}`],
    [`${proof}004c00`, `${mark}004c`],
    [`${proof}${proof}`, `${mark}${proof}`],
  ] as const) {
    t.equal(signedRoot(tail), toHex(blockWith(fromHex(cut)).header.merkleRoot), `${tail}: the root of the block with ${cut}`);
  }
  t.equal(toHex(with1?.toSign.outputScript(0) ?? MARK), '6a');
});

t.test('accepts a block with a valid signature for its challenge', async (t) => {
  const key = testKey(7);
  const publicKey = key.publicKey;
  const challenge = toHex(Uint8Array.from([...plainPush(publicKey), 0xac]));
  const unsigned = signetTxs(blockWith(plainPush(MARK)), fromHex(challenge));
  if (unsigned === null) throw new Error('no commitment');
  const hash = new SighashCache(unsigned.toSign, crypto).legacy(0, fromHex(challenge), 1);
  const signature = key.signForScript(hash, 1);
  const block = blockWith(solved(solution(plainPush(signature))));
  t.equal(check(block, challenge), null);
  t.same(check(blockWith(solved(solution(plainPush(signature))), 1_600_000_601), challenge), REJECT, 'another time');
});

t.test('accepts a witness signature for the challenge only over an amount of zero', async (t) => {
  const key = testKey(7);
  const owner = toHex(crypto.hash160(key.publicKey));
  const unsigned = signetTxs(blockWith(plainPush(MARK)), fromHex(`0014${owner}`));
  if (unsigned === null) throw new Error('no commitment');
  const signed = (sats: number) => {
    const hash = new SighashCache(unsigned.toSign, crypto).segwitV0(0, fromHex(`76a914${owner}88ac`), sats, 1);
    return check(blockWith(solved(solution(new Uint8Array(0), [key.signForScript(hash, 1), key.publicKey]))), `0014${owner}`);
  };
  t.equal(signed(0), null);
  t.same(signed(1), REJECT);
});
