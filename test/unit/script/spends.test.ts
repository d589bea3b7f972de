// Spends of every standard template, signed by other code over hashes from the slow model: they verify, and every kind
// of damage gives its error. Then the fast paths against plain evaluation, over damaged spends and random flags.

import t from 'tap';
import { joinScript, plainPush, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { TxSignatureChecker } from '../../../src/consensus/script/checker.js';
import { parseLaxDer } from '../../../src/consensus/script/der.js';
import { evalScript } from '../../../src/consensus/script/eval-script.js';
import { CONSENSUS_SCRIPT_FLAGS, SCRIPT_VERIFY_WITNESS, STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { verifyScript } from '../../../src/consensus/script/interpreter.js';
import { castToBool } from '../../../src/consensus/script/number.js';
import { scriptErrorName } from '../../../src/consensus/script/script-error.js';
import { SigVersion, type SigVersionCode } from '../../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { tapbranchHash, tapleafHash } from '../../../src/consensus/script/taproot.js';
import { isPushOnly } from '../../../src/consensus/script/tokenizer.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';
import { derEncode, testKey } from '../../framework/keys.js';
import { type NaiveTaproot, type NaiveTx, naiveLegacy, naiveSegwit, naiveTaproot } from '../../framework/naive-sighash.js';
import { script } from '../../framework/script-words.js';

const crypto = createNativeCrypto();
const SEED = 4211;
const EMPTY = new Uint8Array(0);
const key = testKey(1);
const other = testKey(2);
const third = testKey(3);
const words = (bytes: Uint8Array): string => `<${hex(bytes)}>`;

const TX: NaiveTx = {
  version: 2,
  inputs: [
    { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, sequence: 10 },
    { prevHash: new Uint8Array(32).fill(2), prevIndex: 1, sequence: 0xffffffff },
  ],
  outputs: [{ value: 5000, script: script('1') }],
  locktime: 100,
};
const VALUE = 7000;

/** How input 0 is spent; input 1 is there so that "all inputs" differs from "this input". */
interface Spend {
  scriptPubKey: Uint8Array;
  scriptSig?: Uint8Array;
  witness?: Uint8Array[];
  value?: number;
  tx?: Partial<NaiveTx>;
}

function checkerFor(spend: Spend): { checker: TxSignatureChecker; verify(flags: number): number } {
  const fields = { ...TX, ...spend.tx };
  const inputs = fields.inputs.map((input, i) => ({
    ...input,
    scriptSig: i === 0 ? (spend.scriptSig ?? EMPTY) : EMPTY,
    witness: i === 0 ? (spend.witness ?? []) : [],
  }));
  const tx = parseTx(buildTx({ ...fields, inputs }), crypto, { exact: true });
  const spent = [
    { value: spend.value ?? VALUE, script: spend.scriptPubKey },
    { value: 1, script: script('1') },
  ];
  const cache = new SighashCache(tx, crypto, spent);
  return {
    checker: new TxSignatureChecker(tx, 0, spent, crypto, cache),
    verify: (flags) => verifyTxInput(tx, 0, spent, flags, crypto, cache),
  };
}
const verify = (spend: Spend, flags = STANDARD_SCRIPT_FLAGS): string => scriptErrorName(checkerFor(spend).verify(flags));

const legacySig = (code: Uint8Array, by = key, type = 1): Uint8Array => by.signForScript(naiveLegacy(TX, 0, code, type), type);
const segwitSig = (code: Uint8Array, by = key, type = 1): Uint8Array => by.signForScript(naiveSegwit(TX, 0, code, VALUE, type), type);
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
const TYPES = [1, 2, 3, 0x81, 0x82, 0x83];

t.test('verifies pay-to-pubkey spends', async (t) => {
  for (const publicKey of [key.publicKey, key.uncompressed]) {
    const scriptPubKey = script(`${words(publicKey)} CHECKSIG`);
    for (const type of TYPES) {
      const good = legacySig(scriptPubKey, key, type);
      t.equal(verify({ scriptPubKey, scriptSig: plainPush(good) }), 'OK', `type ${type}`);
      t.equal(verify({ scriptPubKey, scriptSig: plainPush(flipped(good, good.length - 1)) }, CONSENSUS_SCRIPT_FLAGS), 'EVAL_FALSE');
    }
  }
  const hybrid = script(`${words(key.hybrid)} CHECKSIG`);
  const scriptSig = plainPush(legacySig(hybrid));
  t.equal(verify({ scriptPubKey: hybrid, scriptSig }, CONSENSUS_SCRIPT_FLAGS), 'OK', 'hybrid keys are valid by consensus');
  t.equal(verify({ scriptPubKey: hybrid, scriptSig }), 'PUBKEYTYPE');
});

const p2pkh = script(`DUP HASH160 ${words(crypto.hash160(key.publicKey))} EQUALVERIFY CHECKSIG`);
t.test('verifies pay-to-pubkey-hash spends', async (t) => {
  const good = legacySig(p2pkh);
  const spend = (signature: Uint8Array, publicKey = key.publicKey): Spend => ({
    scriptPubKey: p2pkh,
    scriptSig: joinScript(plainPush(signature), plainPush(publicKey)),
  });
  t.equal(verify(spend(good)), 'OK');
  t.equal(verify(spend(good, other.publicKey)), 'EQUALVERIFY');
  t.equal(verify(spend(flipped(good, 12))), 'NULLFAIL');
  t.equal(verify(spend(flipped(good, 12)), CONSENSUS_SCRIPT_FLAGS), 'EVAL_FALSE');
  t.equal(verify(spend(EMPTY)), 'EVAL_FALSE');
  t.equal(verify(spend(good.subarray(0, 40))), 'SIG_DER');
  t.equal(verify(spend(good.subarray(0, 40)), 0), 'EVAL_FALSE');
  t.equal(verify(spend(legacySig(p2pkh, key, 4))), 'SIG_HASHTYPE');
  t.equal(verify(spend(legacySig(p2pkh, key, 4)), CONSENSUS_SCRIPT_FLAGS), 'OK', 'undefined types are signed and hashed as they are');
  t.equal(verify(spend(legacySig(p2pkh, key, 0))), 'SIG_HASHTYPE');
  t.equal(verify(spend(crypto.hash160(key.publicKey))), 'SIG_FINDANDDELETE', 'the hash itself as a signature is found in the script');
  t.equal(verify({ ...spend(good), witness: [EMPTY] }), 'WITNESS_UNEXPECTED');
  t.equal(verify({ ...spend(good), witness: [EMPTY] }, CONSENSUS_SCRIPT_FLAGS & ~SCRIPT_VERIFY_WITNESS), 'OK');
  t.equal(verify({ ...spend(good), tx: { locktime: 101 } }), 'NULLFAIL');
  const dirty = joinScript(script('1'), spend(good).scriptSig as Uint8Array);
  t.equal(verify({ scriptPubKey: p2pkh, scriptSig: dirty }), 'CLEANSTACK');
  t.equal(verify({ scriptPubKey: p2pkh, scriptSig: dirty }, CONSENSUS_SCRIPT_FLAGS), 'OK');
});

t.test('accepts hybrid keys and high S by consensus, and rejects high S by policy', async (t) => {
  t.same(new Set([key, other, third].map(({ hybrid }) => hybrid[0])), new Set([6, 7]));
  for (const one of [key, other, third]) {
    const scriptPubKey = script(`${words(one.hybrid)} CHECKSIG`);
    const scriptSig = plainPush(legacySig(scriptPubKey, one));
    t.equal(verify({ scriptPubKey, scriptSig }, CONSENSUS_SCRIPT_FLAGS), 'OK');
  }
  const good = parseLaxDer(legacySig(p2pkh), legacySig(p2pkh).length - 1) as Uint8Array;
  const s = (1n << 256n) - 0x14551231950b75fc4402da1732fc9bebfn - BigInt(`0x${hex(good.subarray(32))}`);
  const high = Uint8Array.of(
    ...derEncode(Uint8Array.of(...good.subarray(0, 32), ...Buffer.from(s.toString(16).padStart(64, '0'), 'hex'))),
    1,
  );
  const scriptSig = joinScript(plainPush(high), plainPush(key.publicKey));
  t.equal(verify({ scriptPubKey: p2pkh, scriptSig }, CONSENSUS_SCRIPT_FLAGS), 'OK');
  t.equal(verify({ scriptPubKey: p2pkh, scriptSig }), 'SIG_HIGH_S');
  // Each of these flags asks for strict encoding by itself: DERSIG, LOW_S, STRICTENC.
  const loose = joinScript(plainPush(legacySig(p2pkh).subarray(0, 40)), plainPush(key.publicKey));
  for (const flag of [1 << 2, 1 << 3, 1 << 1]) t.equal(verify({ scriptPubKey: p2pkh, scriptSig: loose }, flag), 'SIG_DER', String(flag));
  const misnamed = Uint8Array.of(5, ...key.uncompressed.subarray(1));
  for (const none of [misnamed, Uint8Array.of(4, ...misnamed.subarray(1, 40))]) {
    const scriptPubKey = script(`${words(none)} CHECKSIG`);
    t.equal(verify({ scriptPubKey, scriptSig: plainPush(legacySig(scriptPubKey)) }, CONSENSUS_SCRIPT_FLAGS), 'EVAL_FALSE', 'no key at all');
  }
  t.equal(verify({ scriptPubKey: script(`${words(misnamed)} CHECKSIG`), scriptSig: script('0') }, 2), 'PUBKEYTYPE');
});

t.test('verifies pay-to-pubkey-hash spends with 75 bytes behind PUSHDATA1', async (t) => {
  // 75 bytes behind PUSHDATA1 and a byte of length, where a direct push would have 76.
  const der = legacySig(p2pkh).subarray(0, -1);
  const padded = Uint8Array.of(...der, ...new Uint8Array(74 - der.length), 1);
  const scriptSig = joinScript(Uint8Array.of(0x4c, 75), padded, plainPush(key.publicKey));
  t.equal(verify({ scriptPubKey: p2pkh, scriptSig }, 1), 'OK', 'without DERSIG what is behind a signature does not matter');
  const nothing = new Uint8Array(75);
  const toNothing = script(`DUP HASH160 ${words(crypto.hash160(nothing))} EQUALVERIFY CHECKSIG`);
  const longKey = joinScript(plainPush(legacySig(toNothing)), Uint8Array.of(0x4c, 75), nothing);
  t.equal(verify({ scriptPubKey: toNothing, scriptSig: longKey }, 1), 'EVAL_FALSE', 'a key of 75 bytes has that hash, and is none');
});

t.test('compares relative locks of blocks and of time at their border', async (t) => {
  const [{ prevHash, prevIndex }, second] = TX.inputs as [NaiveTx['inputs'][number], NaiveTx['inputs'][number]];
  const spend = (sequence: number, wanted: string): string =>
    verify({ scriptPubKey: script(`<${wanted}> CHECKSEQUENCEVERIFY`), tx: { inputs: [{ prevHash, prevIndex, sequence }, second] } });
  t.equal(spend(0x400000, '000040'), 'OK', 'no time at all');
  t.equal(spend(0x3fffff, '000040'), 'UNSATISFIED_LOCKTIME');
  t.equal(spend(0x400000, 'ff'), 'NEGATIVE_LOCKTIME');
});

t.test('rejects a segwit signature when the spent coin is unknown', async (t) => {
  const tx = parseTx(buildTx({ ...TX, inputs: TX.inputs.map((input) => ({ ...input, scriptSig: EMPTY, witness: [] })) }), crypto, {
    exact: true,
  });
  const spent = [null, null];
  const bare = new TxSignatureChecker(tx, 0, spent, crypto, new SighashCache(tx, crypto, spent));
  t.equal(bare.checkEcdsa(segwitSig(p2pkh), key.publicKey, p2pkh, SigVersion.WITNESS_V0), false);
  t.equal(bare.checkEcdsa(legacySig(p2pkh), key.publicKey, p2pkh, SigVersion.BASE), true);
});

t.test('verifies pay-to-script-hash spends', async (t) => {
  const spend = (redeem: Uint8Array, ...before: Uint8Array[]): Spend => ({
    scriptPubKey: scriptHashScript(crypto.hash160(redeem)),
    scriptSig: joinScript(...before, plainPush(redeem)),
  });
  t.equal(verify(spend(script('1'))), 'OK');
  t.equal(verify(spend(script('1 RETURN'))), 'OP_RETURN', 'what fails fails, whatever it leaves on the stack');
  t.equal(verify(spend(script('0'))), 'EVAL_FALSE');
  t.equal(verify(spend(script('1'), script('1'))), 'CLEANSTACK');
  t.equal(verify(spend(script('1'), script('NOP')), 1), 'SIG_PUSHONLY');
  t.equal(verify(spend(witnessProgramScript(0, crypto.hash160(key.publicKey))), 1), 'OK', 'a program is none without the WITNESS flag');
});

t.test('verifies pay-to-witness-script-hash spends', async (t) => {
  const spend = (witnessScript: Uint8Array, ...stack: Uint8Array[]): Spend => ({
    scriptPubKey: witnessProgramScript(0, crypto.sha256(witnessScript)),
    witness: [...stack, witnessScript],
  });
  t.equal(verify(spend(script('DROP 1'), new Uint8Array(520)), CONSENSUS_SCRIPT_FLAGS), 'OK', 'the largest element');
  t.equal(verify(spend(script('DROP 1'), new Uint8Array(521)), CONSENSUS_SCRIPT_FLAGS), 'PUSH_SIZE');
  t.equal(verify(spend(script('RESERVED')), CONSENSUS_SCRIPT_FLAGS), 'BAD_OPCODE', 'OP_SUCCESS is for tapscripts');
});

const p2wpkh = witnessProgramScript(0, crypto.hash160(key.publicKey));
t.test('verifies pay-to-witness-pubkey-hash spends', async (t) => {
  for (const type of TYPES) {
    const good = segwitSig(p2pkh, key, type);
    t.equal(verify({ scriptPubKey: p2wpkh, witness: [good, key.publicKey] }), 'OK', `type ${type}`);
    t.equal(verify({ scriptPubKey: p2wpkh, witness: [good, key.publicKey], value: VALUE + 1 }), 'NULLFAIL', 'the amount is signed');
  }
  const good = segwitSig(p2pkh);
  const witness = [good, key.publicKey];
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [good] }), 'WITNESS_PROGRAM_MISMATCH');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [EMPTY, good, key.publicKey] }), 'WITNESS_PROGRAM_MISMATCH');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [good, other.publicKey] }), 'EQUALVERIFY');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [flipped(good, 12), key.publicKey] }), 'NULLFAIL');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [EMPTY, key.publicKey] }), 'EVAL_FALSE');
  t.equal(verify({ scriptPubKey: p2wpkh, witness, scriptSig: script('1') }), 'WITNESS_MALLEATED');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [new Uint8Array(521), key.publicKey] }), 'PUSH_SIZE');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [good, new Uint8Array(521)] }), 'PUSH_SIZE');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [new Uint8Array(520), key.publicKey] }), 'SIG_DER');
  t.equal(verify({ scriptPubKey: p2wpkh, witness: [good, new Uint8Array(520)] }), 'EQUALVERIFY');
  t.equal(verify({ scriptPubKey: p2wpkh }, 1), 'OK', 'anyone can spend it without the WITNESS flag');
  const nested = scriptHashScript(crypto.hash160(p2wpkh));
  t.equal(verify({ scriptPubKey: nested, scriptSig: plainPush(p2wpkh), witness }), 'OK', 'in P2SH');
  t.equal(verify({ scriptPubKey: nested, scriptSig: joinScript(script('0'), plainPush(p2wpkh)), witness }), 'WITNESS_MALLEATED_P2SH');
  const loose = witnessProgramScript(0, crypto.hash160(key.uncompressed));
  const uncompressed = [segwitSig(script(`DUP HASH160 ${words(crypto.hash160(key.uncompressed))} EQUALVERIFY CHECKSIG`)), key.uncompressed];
  t.equal(verify({ scriptPubKey: loose, witness: uncompressed }), 'WITNESS_PUBKEYTYPE');
  t.equal(verify({ scriptPubKey: loose, witness: uncompressed }, CONSENSUS_SCRIPT_FLAGS), 'OK');
  t.equal(verify({ scriptPubKey: witnessProgramScript(0, new Uint8Array(21).fill(1)) }), 'WITNESS_PROGRAM_WRONG_LENGTH');
  t.equal(verify({ scriptPubKey: witnessProgramScript(0, new Uint8Array(20)), witness }), 'EVAL_FALSE', 'a program of zeros is false');
});

const multisig = script(`2 ${words(key.publicKey)} ${words(other.publicKey)} ${words(third.publicKey)} 3 CHECKMULTISIG`);
t.test('verifies bare, P2SH and P2WSH multisig spends', async (t) => {
  const sigs = [key, other, third].map((by) => legacySig(multisig, by));
  const push = (...items: Uint8Array[]): Uint8Array => joinScript(...items.map(plainPush));
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(EMPTY, sigs[0], sigs[2]) }), 'OK');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(EMPTY, sigs[1], sigs[2]) }), 'OK');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(EMPTY, sigs[2], sigs[0]) }), 'NULLFAIL', 'order matters');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(EMPTY, sigs[0], sigs[0]) }), 'NULLFAIL', 'one signature once');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(EMPTY, EMPTY, EMPTY) }), 'EVAL_FALSE');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(sigs[0], sigs[0], sigs[2]) }), 'SIG_NULLDUMMY');
  t.equal(verify({ scriptPubKey: multisig, scriptSig: push(sigs[0], sigs[2]) }), 'INVALID_STACK_OPERATION');
  const p2sh = scriptHashScript(crypto.hash160(multisig));
  t.equal(verify({ scriptPubKey: p2sh, scriptSig: push(EMPTY, sigs[0], sigs[1], multisig) }), 'OK');
  t.equal(verify({ scriptPubKey: p2sh, scriptSig: push(EMPTY, sigs[0], sigs[1], flipped(multisig, 9)) }), 'EVAL_FALSE');
  t.equal(verify({ scriptPubKey: p2sh, scriptSig: push(multisig) }, 0), 'OK', 'only the hash counts without the P2SH flag');
  t.equal(verify({ scriptPubKey: p2sh, scriptSig: joinScript(push(multisig), script('DUP DROP')) }, 1), 'SIG_PUSHONLY');
  const p2wsh = witnessProgramScript(0, crypto.sha256(multisig));
  const witnessSigs = [key, other, third].map((by) => segwitSig(multisig, by));
  t.equal(verify({ scriptPubKey: p2wsh, witness: [EMPTY, witnessSigs[0], witnessSigs[1], multisig] }), 'OK');
  t.equal(verify({ scriptPubKey: p2wsh, witness: [EMPTY, sigs[0], sigs[1], multisig] }), 'NULLFAIL', 'legacy hashes do not count');
  t.equal(verify({ scriptPubKey: p2wsh, witness: [EMPTY, EMPTY, witnessSigs[0], witnessSigs[1], multisig] }), 'CLEANSTACK');
  t.equal(verify({ scriptPubKey: p2wsh, witness: [] }), 'WITNESS_PROGRAM_WITNESS_EMPTY');
  t.equal(verify({ scriptPubKey: p2wsh, witness: [multisig, EMPTY] }), 'WITNESS_PROGRAM_MISMATCH');
  const nested = scriptHashScript(crypto.hash160(p2wsh));
  const witness = [EMPTY, witnessSigs[1], witnessSigs[2], multisig];
  t.equal(verify({ scriptPubKey: nested, scriptSig: plainPush(p2wsh), witness }), 'OK');
});

t.test('hashes scripts with code separators as legacy and segwit require', async (t) => {
  // BIP-0143: the script code begins behind the last separator that ran, so not with it.
  const behind = script(`${words(key.publicKey)} CHECKSIG`);
  const before = joinScript(script('CODESEPARATOR'), behind);
  const hashed = witnessProgramScript(0, crypto.sha256(before));
  t.equal(verify({ scriptPubKey: hashed, witness: [segwitSig(behind), before] }), 'OK');
  t.equal(verify({ scriptPubKey: hashed, witness: [segwitSig(before), before] }), 'NULLFAIL');
  const tail = script(`${words(key.publicKey)} CHECKSIG`);
  const separated = joinScript(script('1 DROP CODESEPARATOR'), tail);
  t.equal(verify({ scriptPubKey: separated, scriptSig: plainPush(legacySig(tail)) }, CONSENSUS_SCRIPT_FLAGS), 'OK', 'signed from there on');
  t.equal(verify({ scriptPubKey: separated, scriptSig: plainPush(legacySig(tail)) }), 'OP_CODESEPARATOR');
  const untaken = joinScript(script('0 IF CODESEPARATOR ENDIF'), tail);
  const signed = joinScript(script('0 IF ENDIF'), tail);
  t.equal(
    verify({ scriptPubKey: untaken, scriptSig: plainPush(legacySig(signed)) }, CONSENSUS_SCRIPT_FLAGS),
    'OK',
    'untaken: only dropped',
  );
  const p2wsh = witnessProgramScript(0, crypto.sha256(untaken));
  t.equal(verify({ scriptPubKey: p2wsh, witness: [segwitSig(untaken), untaken] }), 'OK', 'in version 0 it stays');
});

t.test('verifies absolute and relative lock opcodes against the transaction', async (t) => {
  const locked = (words: string): Spend => ({ scriptPubKey: script(words) });
  const flags = CONSENSUS_SCRIPT_FLAGS;
  t.equal(verify(locked('100 CHECKLOCKTIMEVERIFY'), flags), 'OK');
  t.equal(verify(locked('101 CHECKLOCKTIMEVERIFY'), flags), 'UNSATISFIED_LOCKTIME');
  t.equal(verify(locked('500000000 CHECKLOCKTIMEVERIFY'), flags), 'UNSATISFIED_LOCKTIME', 'a time for a height');
  const final = { inputs: [{ ...TX.inputs[0], sequence: 0xffffffff }, TX.inputs[1]] };
  t.equal(verify({ ...locked('100 CHECKLOCKTIMEVERIFY'), tx: final }, flags), 'UNSATISFIED_LOCKTIME', 'a final input');
  const late = { locktime: 500000010 };
  t.equal(verify({ ...locked('500000010 CHECKLOCKTIMEVERIFY'), tx: late }, flags), 'OK');
  t.equal(verify({ ...locked('100 CHECKLOCKTIMEVERIFY'), tx: late }, flags), 'UNSATISFIED_LOCKTIME');
  t.equal(verify(locked('10 CHECKSEQUENCEVERIFY'), flags), 'OK');
  t.equal(verify(locked('11 CHECKSEQUENCEVERIFY'), flags), 'UNSATISFIED_LOCKTIME');
  t.equal(verify(locked('4194314 CHECKSEQUENCEVERIFY'), flags), 'UNSATISFIED_LOCKTIME', 'time for blocks');
  t.equal(verify({ ...locked('10 CHECKSEQUENCEVERIFY'), tx: { version: 1 } }, flags), 'UNSATISFIED_LOCKTIME');
  t.equal(verify({ ...locked('10 CHECKSEQUENCEVERIFY'), tx: { version: -1 } }, flags), 'OK', 'versions are unsigned here');
  const off = { inputs: [{ ...TX.inputs[0], sequence: 0x80000010 }, TX.inputs[1]] };
  t.equal(verify({ ...locked('10 CHECKSEQUENCEVERIFY'), tx: off }, flags), 'UNSATISFIED_LOCKTIME', 'own lock switched off');
  const withHigh = { inputs: [{ ...TX.inputs[0], sequence: 0x0fff000a }, TX.inputs[1]] };
  t.equal(verify({ ...locked('10 CHECKSEQUENCEVERIFY'), tx: withHigh }, flags), 'UNSATISFIED_LOCKTIME', 'bit 22 set: a time');
});

t.test('verifies taproot key path spends', async (t) => {
  const spent = (scriptPubKey: Uint8Array) => [
    { value: VALUE, script: scriptPubKey },
    { value: 1, script: script('1') },
  ];
  const scriptPubKey = witnessProgramScript(1, key.taprootOutput().key);
  const sign = (type: number, more?: NaiveTaproot): Uint8Array => {
    const bare = key.signTaproot(naiveTaproot(TX, 0, spent(scriptPubKey), type, more) as Buffer);
    return type === 0 ? bare : Uint8Array.from([...bare, type]);
  };
  for (const type of [0, ...TYPES]) t.equal(verify({ scriptPubKey, witness: [sign(type)] }), 'OK', `type ${type}`);
  t.equal(verify({ scriptPubKey, witness: [sign(0)], value: VALUE + 1 }), 'SCHNORR_SIG');
  t.equal(verify({ scriptPubKey, witness: [flipped(sign(0), 40)] }), 'SCHNORR_SIG');
  t.equal(verify({ scriptPubKey, witness: [sign(0).subarray(1)] }), 'SCHNORR_SIG_SIZE');
  t.equal(verify({ scriptPubKey, witness: [Uint8Array.from([...sign(0), 0])] }), 'SCHNORR_SIG_HASHTYPE');
  t.equal(verify({ scriptPubKey, witness: [Uint8Array.from([...sign(0), 4])] }), 'SCHNORR_SIG_HASHTYPE');
  t.equal(verify({ scriptPubKey, witness: [] }), 'WITNESS_PROGRAM_WITNESS_EMPTY');
  t.equal(verify({ scriptPubKey, witness: [] }, 0x801), 'OK', 'without the TAPROOT flag');
  const annex = Uint8Array.of(0x50, 1, 2);
  t.equal(verify({ scriptPubKey, witness: [sign(0, { annex }), annex] }), 'OK', 'with annex');
  t.equal(verify({ scriptPubKey, witness: [sign(0), annex] }), 'SCHNORR_SIG');
  t.equal(verify({ scriptPubKey, witness: [sign(0), Uint8Array.of(0x51)] }), 'TAPROOT_WRONG_CONTROL_SIZE');
  const nested = scriptHashScript(crypto.hash160(scriptPubKey));
  const inP2sh = { scriptPubKey: nested, scriptSig: plainPush(scriptPubKey), witness: [sign(0)] };
  t.equal(verify(inP2sh), 'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
  t.equal(verify(inP2sh, CONSENSUS_SCRIPT_FLAGS), 'OK', 'no meaning inside P2SH');
  t.equal(verify({ scriptPubKey, witness: [annex] }), 'SCHNORR_SIG_SIZE', 'an only item is never an annex');
  t.equal(verify({ scriptPubKey: script('1 <4e73>') }), 'OK', 'an anchor');
  const anchorHash = scriptHashScript(crypto.hash160(script('1 <4e73>')));
  const anchorInP2sh = { scriptPubKey: anchorHash, scriptSig: plainPush(script('1 <4e73>')) };
  t.equal(verify(anchorInP2sh), 'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM', 'no anchor inside P2SH');
  t.equal(verify({ scriptPubKey: script('2 <4e73>') }), 'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
  t.equal(verify({ scriptPubKey: script('16 <4e73>'), witness: [EMPTY] }, CONSENSUS_SCRIPT_FLAGS), 'OK');
});

t.test('verifies tapscript spends and their limits', async (t) => {
  const spendLeaf = (
    leaf: Uint8Array,
    stack: (sign: (by: typeof key, codeSeparator?: number) => Uint8Array) => Uint8Array[],
    version = 0xc0,
    flags = STANDARD_SCRIPT_FLAGS,
  ): string => {
    const leafHash = tapleafHash(version, leaf, crypto);
    const sibling = tapleafHash(0xc0, script('RETURN'), crypto);
    const output = key.taprootOutput(tapbranchHash(leafHash, sibling, crypto));
    const scriptPubKey = witnessProgramScript(1, output.key);
    const spent = [
      { value: VALUE, script: scriptPubKey },
      { value: 1, script: script('1') },
    ];
    const sign = (by: typeof key, codeSeparator?: number): Uint8Array =>
      by.signSchnorr(naiveTaproot(TX, 0, spent, 0, { leafHash, codeSeparator }) as Buffer);
    const control = Uint8Array.from([version | output.parity, ...key.xonly, ...sibling]);
    return verify({ scriptPubKey, witness: [...stack(sign), leaf, control] }, flags);
  };
  const single = script(`${words(other.xonly)} CHECKSIG`);
  t.equal(
    spendLeaf(single, (sign) => [sign(other)]),
    'OK',
  );
  t.equal(
    spendLeaf(single, (sign) => [sign(third)]),
    'SCHNORR_SIG',
  );
  t.equal(
    spendLeaf(single, () => [EMPTY]),
    'EVAL_FALSE',
  );
  t.equal(
    spendLeaf(single, () => []),
    'INVALID_STACK_OPERATION',
  );
  const twoOfThree = script(`${words(key.xonly)} CHECKSIG ${words(other.xonly)} CHECKSIGADD ${words(third.xonly)} CHECKSIGADD 2 NUMEQUAL`);
  t.equal(
    spendLeaf(twoOfThree, (sign) => [sign(third), EMPTY, sign(key)]),
    'OK',
  );
  t.equal(
    spendLeaf(twoOfThree, (sign) => [sign(third), sign(other), sign(key)]),
    'EVAL_FALSE',
  );
  const separated = script(`NOP CODESEPARATOR ${words(other.xonly)} CHECKSIG`);
  t.equal(
    spendLeaf(separated, (sign) => [sign(other, 1)]),
    'OK',
    'the position of the code separator is signed',
  );
  t.equal(
    spendLeaf(separated, (sign) => [sign(other)]),
    'SCHNORR_SIG',
  );
  t.equal(
    spendLeaf(script('{7e}'), () => []),
    'DISCOURAGE_OP_SUCCESS',
  );
  t.equal(
    spendLeaf(script('{7e4c}'), () => [], 0xc0, CONSENSUS_SCRIPT_FLAGS),
    'OK',
    'OP_SUCCESS before a parse error',
  );
  t.equal(
    spendLeaf(script('{4c7e}'), () => [], 0xc0, CONSENSUS_SCRIPT_FLAGS),
    'BAD_OPCODE',
  );
  t.equal(
    spendLeaf(script('RETURN'), () => [], 0xc2),
    'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION',
  );
  t.equal(
    spendLeaf(script('RETURN'), () => [], 0xc2, CONSENSUS_SCRIPT_FLAGS),
    'OK',
    'unknown leaf versions succeed',
  );
  t.equal(
    spendLeaf(script('DROP 1'), () => [new Uint8Array(521)]),
    'PUSH_SIZE',
  );
  const drops = script('2DROP '.repeat(500));
  const items = (count: number): Uint8Array[] => Array.from({ length: count }, () => Uint8Array.of(1));
  const tooMany = spendLeaf(drops, () => items(1001));
  t.equal(tooMany, 'STACK_SIZE', 'the stack is limited before the script runs');
  const enough = spendLeaf(script(`DROP ${'2DROP '.repeat(499)}`), () => items(1000));
  t.equal(enough, 'OK');
  // Budget: the witness is count 1, signature 1 + 64, key 1 + 32, script 1 + size, control block 1 + 65; 50 on top; 50
  // a check.
  const budget = (size: number): number => 1 + 65 + 33 + 1 + size + 66 + 50;
  t.equal(budget(34), 250);
  const checks = (count: number, size: number): string =>
    spendLeaf(script(`${'2DUP CHECKSIGVERIFY '.repeat(count)} 2DROP 1 ${'NOP '.repeat(size - 2 * count - 2)}`), (sign) => [
      sign(other),
      other.xonly,
    ]);
  t.equal(checks(5, 34), 'OK', 'exactly five checks');
  t.equal(checks(5, 33), 'TAPSCRIPT_VALIDATION_WEIGHT', 'one unit too few');
  t.equal(checks(6, 34), 'TAPSCRIPT_VALIDATION_WEIGHT', 'one check too many');
  const alone = (opcode: string): string => spendLeaf(script(opcode), () => [], 0xc0, CONSENSUS_SCRIPT_FLAGS);
  t.same(['{50}', '{bb}', '{fe}', '{ff}'].map(alone), ['OK', 'OK', 'OK', 'BAD_OPCODE'], 'the bounds of OP_SUCCESS');
  const control = Uint8Array.from([0xc0, ...key.xonly]);
  const wrong = { scriptPubKey: witnessProgramScript(1, key.taprootOutput().key), witness: [script('1'), control] };
  t.equal(verify(wrong), 'WITNESS_PROGRAM_MISMATCH');
  const withNodes = (count: number): Spend => ({
    ...wrong,
    witness: [script('1'), Uint8Array.from([...control, ...new Uint8Array(32 * count)])],
  });
  t.equal(verify(withNodes(128)), 'WITNESS_PROGRAM_MISMATCH');
  t.equal(verify(withNodes(129)), 'TAPROOT_WRONG_CONTROL_SIZE');
});

/** Bare evaluation of P2PKH and P2WPKH spends as the rules are written, without the interpreter's short cuts. */
function evaluatePlainly(spend: Spend, flags: number): number {
  const { checker } = checkerFor(spend);
  const scriptSig = spend.scriptSig ?? EMPTY;
  const run = (stack: Uint8Array[], code: Uint8Array, version: SigVersionCode): number => evalScript(stack, code, flags, checker, version);
  const stack: Uint8Array[] = [];
  if ((flags & 32) !== 0 && !isPushOnly(scriptSig)) return 26;
  const error = run(stack, scriptSig, SigVersion.BASE) || run(stack, spend.scriptPubKey, SigVersion.BASE);
  if (error !== 0) return error;
  if (stack.length === 0 || !castToBool(stack[stack.length - 1])) return 2;
  const program = spend.scriptPubKey;
  if ((flags & SCRIPT_VERIFY_WITNESS) !== 0 && program.length === 22 && program[0] === 0) {
    if (scriptSig.length > 0) return 41;
    const witness = spend.witness ?? [];
    if (witness.length !== 2) return 40;
    if (witness.some((item) => item.length > 520)) return 6;
    const inner = [...witness];
    const code = script(`DUP HASH160 ${words(program.subarray(2))} EQUALVERIFY CHECKSIG`);
    const innerError = run(inner, code, SigVersion.WITNESS_V0);
    if (innerError !== 0) return innerError;
    return inner.length !== 1 ? 30 : castToBool(inner[0]) ? 0 : 2;
  }
  if ((flags & 256) !== 0 && stack.length !== 1) return 30;
  return (flags & SCRIPT_VERIFY_WITNESS) !== 0 && (spend.witness ?? []).length > 0 ? 43 : 0;
}

t.test('fast paths return the same results as plain evaluation', async (t) => {
  const items = fc.oneof(
    fc.constantFrom(
      EMPTY,
      crypto.hash160(key.publicKey),
      key.publicKey,
      key.uncompressed,
      other.publicKey,
      legacySig(p2pkh),
      segwitSig(p2pkh),
      legacySig(p2pkh, key, 0),
    ),
    fc.tuple(fc.constantFrom(legacySig(p2pkh), segwitSig(p2pkh)), fc.nat(72)).map(([sig, at]) => flipped(sig, at)),
    fc.tuple(fc.constantFrom(key.publicKey, key.uncompressed), fc.nat(64)).map(([bytes, at]) => flipped(bytes, at)),
    fc.uint8Array({ maxLength: 80 }),
    fc.constant(new Uint8Array(521)),
  );
  const stack = fc.oneof(fc.tuple(items, items), fc.tuple(items), fc.tuple(items, items, items), fc.constant([]));
  const garbage = fc.oneof(fc.constant(EMPTY), fc.constant(EMPTY), fc.uint8Array({ maxLength: 3 }));
  const outcomes = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.boolean(),
      stack,
      garbage,
      garbage,
      stack,
      fc.integer({ min: 0, max: 2 ** 21 - 1 }),
      (segwit, pushed, front, back, extra, bits) => {
        const scriptSig = joinScript(front, ...(segwit ? [] : pushed.map(plainPush)), back);
        const witness: Uint8Array[] = segwit ? [...pushed] : extra.length > 2 ? [...extra] : [];
        const spend: Spend = { scriptPubKey: segwit ? p2wpkh : p2pkh, scriptSig, witness };
        const got = scriptErrorName(verifyDirect(spend, bits));
        outcomes.set(got, (outcomes.get(got) ?? 0) + 1);
        return got === scriptErrorName(evaluatePlainly(spend, bits));
      },
    ),
    { seed: SEED, numRuns: 4000 },
  );
  t.ok(outcomes.size > 12, `seed ${SEED}: ${JSON.stringify(Object.fromEntries(outcomes))}`);
});

function verifyDirect(spend: Spend, flags: number): number {
  const { checker } = checkerFor(spend);
  return verifyScript(spend.scriptSig ?? EMPTY, spend.scriptPubKey, spend.witness ?? [], flags, checker);
}
