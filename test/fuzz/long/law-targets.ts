// Targets for consensus rules: transactions, blocks, headers, compact targets, scripts and whole spends.
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { buildBlock, buildHeader } from '../../../src/consensus/block/build-block.js';
import { parseHeader } from '../../../src/consensus/block/header-view.js';
import { merkleRoot } from '../../../src/consensus/block/merkle.js';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { blockProof, decodeCompact, encodeCompact, proofOfWork } from '../../../src/consensus/rules/bits.js';
import { checkBlock } from '../../../src/consensus/rules/check-block.js';
import { checkTransaction } from '../../../src/consensus/rules/check-transaction.js';
import { contextualCheckBlock } from '../../../src/consensus/rules/contextual-check-block.js';
import { signetTxs } from '../../../src/consensus/rules/signet.js';
import { plainPush, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { DetachedChecker, TxSignatureChecker } from '../../../src/consensus/script/checker.js';
import { hasLowS, isStrictDer, parseLaxDer } from '../../../src/consensus/script/der.js';
import { evalScript } from '../../../src/consensus/script/eval-script.js';
import { verifyScript } from '../../../src/consensus/script/interpreter.js';
import { decodeNumber, encodeNumber } from '../../../src/consensus/script/number.js';
import { ScriptError } from '../../../src/consensus/script/script-error.js';
import { SigVersion } from '../../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { deleteSignature } from '../../../src/consensus/script/signature-ops.js';
import { countSigops } from '../../../src/consensus/script/sigops.js';
import { tapleafHash } from '../../../src/consensus/script/taproot.js';
import { isPushOnly } from '../../../src/consensus/script/tokenizer.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTxLenient } from '../../../src/consensus/tx/parse-lenient.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { scriptAsm } from '../../../src/policy/script-asm.js';
import { solve } from '../../../src/policy/script-type.js';
import { testKey } from '../../framework/keys.js';
import { ModelNode } from '../../framework/law-model.js';
import type { Dice } from './dice.js';
import { attempt, hold, same, type Target } from './target.js';

const crypto = createNativeCrypto();
const EMPTY = new Uint8Array(0);
const key = testKey(1);
const someSignature = key.signForScript(new Uint8Array(32).fill(3), 1);
const schnorrSignature = key.signSchnorr(new Uint8Array(32).fill(4));
const CODES: ReadonlySet<number> = new Set(Object.values(ScriptError));
const signet = chainParams('signet');
const regtest = chainParams('regtest');

export function randomTx(dice: Dice): Uint8Array {
  return buildTx({
    version: dice.below(4),
    inputs: Array.from({ length: 1 + dice.below(3) }, () => ({
      prevHash: dice.oneIn(4) ? new Uint8Array(32) : dice.bytes(32),
      prevIndex: dice.pick([0, 1, 0xffffffff]),
      scriptSig: dice.bytes(dice.below(40)),
      sequence: dice.pick([0, 5, 0xfffffffe, 0xffffffff]),
      witness: Array.from({ length: dice.below(3) }, () => dice.bytes(dice.below(40))),
    })),
    outputs: Array.from({ length: 1 + dice.below(3) }, () => ({
      value: dice.pick([0n, 1n, -1n, 2100000000000000n, 2100000000000001n, 2n ** 63n - 1n]),
      script: dice.bytes(dice.below(40)),
    })),
    locktime: dice.pick([0, 1, 500_000_000, 0xffffffff]),
  });
}

function rebuilt(tx: TxView): Uint8Array {
  return buildTx({
    version: tx.version,
    inputs: Array.from({ length: tx.inputCount }, (_, i) => ({
      prevHash: tx.prevHash(i),
      prevIndex: tx.prevIndex(i),
      scriptSig: tx.scriptSig(i),
      sequence: tx.sequence(i),
      witness: tx.witness(i),
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  });
}

const transactions: Target = {
  name: 'transaction',
  share: 14,
  make: (dice) => (dice.oneIn(16) ? dice.bytes(dice.below(200)) : dice.oneIn(8) ? randomTx(dice) : dice.mutate(randomTx(dice))),
  check(input) {
    attempt(DecodeError, () => parseTxLenient(input, crypto));
    const tx = attempt(DecodeError, () => parseTx(input, crypto));
    if (tx === undefined) return false;
    checkTransaction(tx);
    // A transaction without inputs in the extended format has no other encoding of its own.
    hold(tx.inputCount === 0 || same(rebuilt(tx), tx.bytes), 'does not encode back');
    hold(tx.txid.length === 32 && tx.wtxid.length === 32, 'ids');
    hold(tx.stripped().length === tx.strippedSize && tx.weight === 3 * tx.strippedSize + tx.totalSize, 'sizes');
    hold(tx.hasWitness || same(tx.txid, tx.wtxid), 'ids of a transaction without witness differ');
    return true;
  },
};

function randomBlock(dice: Dice): Uint8Array {
  const commitment = Uint8Array.from([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed, ...dice.bytes(32), 0x06, 0xec, 0xc7, 0xda, 0xa2, 1, 0]);
  const coinbase = buildTx({
    version: 1,
    inputs: [
      {
        prevHash: new Uint8Array(32),
        prevIndex: 0xffffffff,
        scriptSig: Uint8Array.of(0x51, 0),
        sequence: 0,
        witness: [new Uint8Array(32)],
      },
    ],
    outputs: [
      { value: 50e8, script: Uint8Array.of(0x51) },
      { value: 0, script: commitment },
    ],
    locktime: 0,
  });
  const txs = [coinbase, ...Array.from({ length: dice.below(3) }, () => randomTx(dice))];
  const { root } = merkleRoot(
    txs.map((tx) => parseTx(tx, crypto).txid),
    crypto,
  );
  const fields = { version: 0x20000000, prevHash: dice.bytes(32), merkleRoot: root, time: 1_700_000_000, bits: 0x207fffff };
  return buildBlock(buildHeader({ ...fields, nonce: dice.bits() }), txs);
}

const parent = new ModelNode(null, 1_600_000_000, 0x207fffff, 4, new Uint8Array(32), 600);

const blocks: Target = {
  name: 'block',
  share: 4,
  make: (dice) => (dice.oneIn(4) ? randomBlock(dice) : dice.mutate(randomBlock(dice))),
  check(input) {
    const block = attempt(DecodeError, () => parseBlock(input, crypto));
    if (block === undefined) return false;
    const parts = block.txs.map((tx) => tx.bytes);
    hold(same(buildBlock(block.header.bytes, parts), block.bytes), 'does not encode back');
    hold(block.txs.reduce((sum, tx) => sum + tx.totalSize, 0) < block.totalSize, 'sizes');
    signetTxs(block, signet.signetChallenge ?? EMPTY);
    checkBlock(block, signet, crypto);
    // Proof of work is not checked, and the merkle root is corrected before, so that mutations reach the rules that are
    // checked later.
    if (checkBlock(block, regtest, crypto, { checkPow: false, checkMerkle: (input[4] ?? 0) % 3 > 0 }) !== null) return false;
    contextualCheckBlock(block, parent, regtest);
    return true;
  },
};

const headers: Target = {
  name: 'header',
  share: 8,
  make: (dice) => dice.bytes(dice.oneIn(8) ? dice.below(90) : 80),
  check(input) {
    const header = attempt(DecodeError, () => parseHeader(input, crypto));
    if (header === undefined) return false;
    const { version, prevHash, merkleRoot: root, time, bits, nonce } = header;
    hold(same(buildHeader({ version, prevHash, merkleRoot: root, time, bits, nonce }), input.subarray(0, 80)), 'does not encode back');
    const { target, negative, overflow } = decodeCompact(bits);
    if (!negative && !overflow && target > 0n) {
      const again = decodeCompact(encodeCompact(target));
      hold(again.target === target && !again.negative && !again.overflow, 'compact target');
      hold(blockProof(bits) > 0n, 'work');
    } else hold(!proofOfWork(header.hash, bits, regtest.powLimit), 'work under a target that makes no sense');
    return true;
  },
};

function element(dice: Dice): Uint8Array {
  switch (dice.below(9)) {
    case 0:
      return EMPTY;
    case 1:
      return dice.bytes(1);
    case 2:
      return key.publicKey;
    case 3:
      return key.xonly;
    case 4:
      return someSignature;
    case 5:
      return schnorrSignature;
    case 6:
      return dice.bytes(dice.below(6));
    case 7:
      return dice.bytes(dice.below(80));
    default:
      return new Uint8Array(dice.pick([75, 76, 255, 256, 519, 520, 521]));
  }
}

/** Makes a script mostly of opcodes that succeed, with pushes of every form, and sometimes truncated. */
function randomScript(dice: Dice): Uint8Array {
  const parts: number[] = [];
  for (let left = dice.below(dice.oneIn(8) ? 200 : 30); left > 0; left--) {
    const kind = dice.below(10);
    if (kind < 3) for (const byte of plainPush(element(dice))) parts.push(byte);
    else if (kind < 5) parts.push(0x50 + dice.below(17));
    else if (kind < 6) parts.push(dice.pick([0x63, 0x64, 0x67, 0x68, 0x68, 0xac, 0xad, 0xae, 0xaf, 0xab, 0xba, 0xb1, 0xb2]));
    else if (kind < 9) parts.push(0x61 + dice.below(0x5a));
    else parts.push(dice.below(256));
  }
  const bytes = Uint8Array.from(parts);
  return dice.oneIn(20) ? bytes.subarray(0, dice.below(bytes.length + 1)) : bytes;
}

const scripts: Target = {
  name: 'script',
  share: 14,
  make: (dice) => (dice.oneIn(6) ? dice.bytes(dice.below(120)) : randomScript(dice)),
  check(input) {
    const before = input.slice();
    const flags = (input[1] ?? 0) * 8191;
    let ran = false;
    for (const version of [SigVersion.BASE, SigVersion.WITNESS_V0, SigVersion.TAPSCRIPT]) {
      const stack = [Uint8Array.of(1), key.publicKey, someSignature];
      const code = evalScript(stack, input, flags, new DetachedChecker(crypto), version);
      hold(CODES.has(code), `code ${code}`);
      ran ||= code === ScriptError.OK;
    }
    hold(typeof solve(input).type === 'string', 'solve');
    hold(typeof scriptAsm(input, { sighashDecode: true }) === 'string', 'asm');
    hold(countSigops(input, true) <= 20 * input.length && countSigops(input, false) <= 20 * input.length, 'sigops');
    isPushOnly(input);
    hold(deleteSignature(input, someSignature).length <= input.length, 'grew');
    hold(same(input, before), 'the script was changed');
    return ran;
  },
};

const tx = parseTx(
  buildTx({
    version: 2,
    inputs: [1, 2].map((n) => ({ prevHash: new Uint8Array(32).fill(n), prevIndex: n, scriptSig: EMPTY, sequence: 5 })),
    outputs: [{ value: 1, script: EMPTY }],
    locktime: 9,
  }),
  crypto,
);
const checkSig = Uint8Array.from([...plainPush(key.publicKey), 0xac]);
const goodSignature = key.signForScript(new SighashCache(tx, crypto).legacy(0, checkSig, 1), 1);

/** A spend as one input: flags, then script, output script and witness elements, each with its length in two bytes. */
function packSpend(flags: number, parts: readonly Uint8Array[]): Uint8Array {
  const out = Buffer.alloc(4 + parts.reduce((sum, part) => sum + 2 + part.length, 0));
  out.writeUInt32LE(flags);
  let at = 4;
  for (const part of parts) {
    out.writeUInt16LE(part.length, at);
    out.set(part, at + 2);
    at += 2 + part.length;
  }
  return new Uint8Array(out);
}
function unpackSpend(input: Uint8Array): { flags: number; parts: Uint8Array[] } {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 4; at + 2 <= input.length; ) {
    const length = view.getUint16(at, true);
    parts.push(input.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return { flags: input.length >= 4 ? view.getUint32(0, true) : 0, parts };
}

function randomSpend(dice: Dice): Uint8Array {
  const inner = dice.oneIn(3) ? checkSig : randomScript(dice).subarray(0, 510);
  const stack = Array.from({ length: dice.below(4) }, () => (dice.oneIn(4) ? goodSignature : element(dice)));
  const pushes = Uint8Array.from(Buffer.concat(stack.map(plainPush)));
  const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
  const flags = dice.oneIn(4) ? dice.bits() & 0x1f_ffff : dice.pick([0, 0x20e15, 0x1fffdf]);
  switch (dice.below(6)) {
    case 0:
      return packSpend(flags, [pushes, inner, ...(dice.oneIn(4) ? stack : [])]);
    case 1:
      return packSpend(flags, [joined(pushes, plainPush(inner)), scriptHashScript(crypto.hash160(inner))]);
    case 2:
      return packSpend(flags, [EMPTY, witnessProgramScript(0, crypto.sha256(inner)), ...stack, inner]);
    case 3: {
      const program = witnessProgramScript(dice.below(17), dice.oneIn(2) ? crypto.sha256(inner) : dice.bytes(2 + dice.below(39)));
      return packSpend(flags, [plainPush(program), scriptHashScript(crypto.hash160(program)), ...stack, inner]);
    }
    case 4: {
      const version = dice.pick([0xc0, 0xc0, 0xc0, 0xc2, 0x50]);
      const output = key.taprootOutput(tapleafHash(version & 0xfe, inner, crypto));
      const control = Uint8Array.from([(version & 0xfe) | output.parity, ...key.xonly]);
      const annex = dice.oneIn(4) ? [Uint8Array.of(0x50, 1)] : [];
      return packSpend(flags, [EMPTY, witnessProgramScript(1, output.key), ...stack, inner, control, ...annex]);
    }
    default:
      return packSpend(flags, [EMPTY, witnessProgramScript(1, dice.bytes(32)), ...stack]);
  }
}

/** Error codes of spends so far. */
export const spendOutcomes = new Set<number>();

const spends: Target = {
  name: 'spend',
  share: 1.5,
  make: (dice) => (dice.oneIn(3) ? dice.mutate(randomSpend(dice)) : randomSpend(dice)),
  check(input) {
    const { flags, parts } = unpackSpend(input);
    const [scriptSig = EMPTY, scriptPubKey = EMPTY, ...witness] = parts;
    const spent = [
      { value: 1000, script: scriptPubKey },
      { value: 1, script: EMPTY },
    ];
    const known = flags & 0x1f_ffff;
    const before = input.slice();
    const verify = (): number =>
      verifyScript(
        scriptSig,
        scriptPubKey,
        witness,
        known,
        new TxSignatureChecker(tx, 0, spent, crypto, new SighashCache(tx, crypto, spent)),
      );
    const code = verify();
    hold(CODES.has(code), `code ${code}`);
    spendOutcomes.add(code);
    hold((input.length & 3) > 0 || verify() === code, 'not the same twice');
    hold(same(input, before), 'the input was changed');
    return code === ScriptError.OK;
  },
};

const signatures: Target = {
  name: 'signature',
  share: 10,
  make: (dice) => (dice.oneIn(4) ? dice.bytes(dice.below(80)) : dice.mutate(someSignature)),
  check(input) {
    const lax = parseLaxDer(input, input.length);
    hold(lax === null || lax.length === 64, 'a compact signature has 64 bytes');
    const strict = isStrictDer(input);
    // A strict signature is also lax, except for the hash type at its end.
    if (strict) {
      hold(parseLaxDer(input, input.length - 1) !== null, 'strict but not lax');
      hasLowS(input);
    }
    const number = decodeNumber(input, true, 5);
    hold(Number.isNaN(number) || same(encodeNumber(number), input), 'a minimal number has one form');
    return strict;
  },
};

export const lawTargets: readonly Target[] = [transactions, blocks, headers, scripts, spends, signatures];
