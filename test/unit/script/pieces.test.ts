// Small parts of the script interpreter: flags, error tables, tokenizer, numbers, DER, FindAndDelete, builders.

import { createHash } from 'node:crypto';
import t from 'tap';
import { joinScript, minimalPush, plainPush, pushNumber } from '../../../src/consensus/script/build-script.js';
import { hasLowS, isStrictDer, parseLaxDer } from '../../../src/consensus/script/der.js';
import { CONSENSUS_SCRIPT_FLAGS, parseScriptFlags, STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { castToBool, decodeNumber, encodeNumber } from '../../../src/consensus/script/number.js';
import { ScriptError, scriptErrorName, scriptErrorText } from '../../../src/consensus/script/script-error.js';
import { deleteSignature } from '../../../src/consensus/script/signature-ops.js';
import { tapbranchHash, tapleafHash } from '../../../src/consensus/script/taproot.js';
import {
  isPayToAnchor,
  isPayToPublicKeyHash,
  isPayToScriptHash,
  isPayToWitnessPublicKeyHash,
  publicKeyHashScript,
  witnessVersion,
} from '../../../src/consensus/script/templates.js';
import { isMinimalPush, isPushOnly, ScriptTokenizer } from '../../../src/consensus/script/tokenizer.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';
import { derEncode } from '../../framework/keys.js';
import { script } from '../../framework/script-words.js';

t.test('parses script flags', async (t) => {
  t.equal(parseScriptFlags('NONE'), 0);
  t.equal(parseScriptFlags(''), 0);
  t.equal(parseScriptFlags('P2SH,WITNESS,TAPROOT'), 0x20801);
  t.equal(parseScriptFlags('P2SH,NEW'), null);
  t.equal(CONSENSUS_SCRIPT_FLAGS, 0x20e15);
  t.equal(STANDARD_SCRIPT_FLAGS, 0x1fffdf);
});

t.test('every script error has a distinct code, a name and a text', async (t) => {
  t.equal(scriptErrorName(0), 'OK');
  t.equal(scriptErrorText(ScriptError.NULLFAIL), 'Signature must be zero for failed CHECK(MULTI)SIG operation');
  t.equal(scriptErrorText(ScriptError.SCRIPTNUM), 'unknown error');
  t.same(
    [ScriptError.SCRIPTNUM, ScriptError.TAPSCRIPT_EMPTY_PUBKEY, ScriptError.IF_WITHOUT_CONDITION, ScriptError.UNBALANCED_CONDITIONAL].map(
      (code) => [scriptErrorText(code), scriptErrorText(code, true)],
    ),
    [
      ['unknown error', 'Script number overflowed or is non-minimally encoded'],
      ['Public key is neither compressed or uncompressed', 'Empty public key in tapscript'],
      ['Invalid OP_IF construction', 'Operation not valid with the current stack size'],
      ['Invalid OP_IF construction', 'Invalid OP_IF construction'],
    ],
    'by 0.21.1 and by newer releases',
  );
  t.equal(scriptErrorName(999), 'UNKNOWN_ERROR');
  t.equal(scriptErrorText(-1), 'unknown error');
  const codes = Object.values(ScriptError);
  t.equal(new Set(codes).size, codes.length, 'codes are distinct');
  for (const code of codes) t.ok(scriptErrorText(code).length > 7, scriptErrorName(code));
});

t.test('splits scripts into opcodes and data, and stops at truncated pushes', async (t) => {
  const tokens = (bytes: string): string => {
    const token = new ScriptTokenizer(unhex(bytes));
    const seen: string[] = [];
    while (token.next()) seen.push(`${token.opcode.toString(16)}:${hex(token.data())}`);
    return `${seen.join(' ')}${token.failed ? ` !${token.pos}` : ''}`;
  };
  t.equal(tokens(''), '');
  t.equal(tokens('0051ac'), '0: 51: ac:');
  t.equal(tokens('02aabb4c01cc4d0100dd4e01000000ee'), '2:aabb 4c:cc 4d:dd 4e:ee');
  t.equal(tokens('02aa'), ' !1', 'direct push over the end');
  t.equal(tokens('514c'), '51: !2', 'no size');
  t.equal(tokens('4d01'), ' !1', 'half a size');
  t.equal(tokens('4effffffff'), ' !5', 'a size of 4 GiB');
  const lengthOf = (bytes: string, size: number): number => {
    const token = new ScriptTokenizer(Uint8Array.of(...unhex(bytes), ...new Uint8Array(size)));
    return token.next() ? token.data().length : -1;
  };
  t.same(
    [lengthOf('4cff', 255), lengthOf('4d0302', 0x203), lengthOf('4e03020100', 0x10203)],
    [255, 0x203, 0x10203],
    'sizes are little-endian',
  );
  t.same([lengthOf('4d0302', 0x202), lengthOf('4e03020100', 0x10202), lengthOf('4e00000001', 9)], [-1, -1, -1]);
  t.equal(isPushOnly(unhex('0050604c00')), true, 'OP_RESERVED is a push');
  t.equal(isPushOnly(unhex('61')), false);
  t.equal(isPushOnly(unhex('05aa')), false);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 8 }), (datas) => {
      const token = new ScriptTokenizer(joinScript(...datas.map(plainPush)));
      for (const data of datas) if (!token.next() || hex(token.data()) !== hex(data)) return false;
      return !token.next() && !token.failed;
    }),
  );
});

t.test('builds minimal pushes and recognises them', async (t) => {
  t.equal(hex(minimalPush(unhex(''))), '00');
  t.equal(hex(minimalPush(unhex('05'))), '55');
  t.equal(hex(minimalPush(unhex('81'))), '4f');
  t.equal(hex(plainPush(unhex('05'))), '0105');
  t.equal(hex(pushNumber(-1)), '4f');
  t.equal(hex(pushNumber(16)), '60');
  t.equal(hex(pushNumber(17)), '0111');
  t.equal(hex(pushNumber(500)), '02f401');
  t.equal(hex(pushNumber(-500)), '02f481');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70000 }), (data) => {
      const token = new ScriptTokenizer(minimalPush(data));
      if (!token.next()) return false;
      return token.opcode > 0x4e || isMinimalPush(token.opcode, data);
    }),
    { numRuns: 50 },
  );
  for (const [opcode, data] of [
    [1, '01'],
    [1, '07'],
    [1, '10'],
    [1, '81'],
    [0x4c, '00'.repeat(75)],
    [0x4d, '00'.repeat(255)],
    [0x4e, '00'.repeat(65535)],
    [0x4c, ''],
  ] as const) {
    t.equal(isMinimalPush(opcode, unhex(data)), false);
  }
  for (const [opcode, data] of [
    [1, '00'],
    [1, '11'],
    [0x4b, '00'.repeat(75)],
    [0x4c, '00'.repeat(76)],
    [0x4c, '00'.repeat(255)],
    [0x4d, '00'.repeat(256)],
    [0x4d, '00'.repeat(65535)],
    [0x4e, '00'.repeat(65536)],
  ] as const) {
    t.equal(isMinimalPush(opcode, unhex(data)), true, `${data.length / 2} by ${opcode}`);
  }
});

t.test('decodes and encodes script numbers', async (t) => {
  for (const [bytes, value, minimal] of [
    ['', 0, true],
    ['00', 0, false],
    ['80', 0, false],
    ['0080', 0, false],
    ['ff', -127, true],
    ['ff00', 255, true],
    ['0100', 1, false],
    ['ff7f', 32767, true],
    ['ffff', -32767, true],
    ['ffffffff', -2147483647, true],
  ] as const) {
    t.equal(decodeNumber(unhex(bytes), false), value, bytes);
    t.equal(Number.isNaN(decodeNumber(unhex(bytes), true)), !minimal, bytes);
  }
  t.ok(Object.is(decodeNumber(unhex('80'), false), 0), 'no negative zero');
  t.ok(Number.isNaN(decodeNumber(unhex('0000000001'), false)), 'five bytes');
  t.equal(decodeNumber(unhex('ffffffff7f'), false, 5), 549755813887);
  t.same(
    ['', '00', '0000', '80', '0080', '01', '8000', '0001'].map((bytes) => castToBool(unhex(bytes))),
    [...[false, false, false, false, false], ...[true, true, true]],
  );
  t.same(
    [127, 128, 32_767, 32_768, -32_768, 8_388_607, 8_388_608, 2 ** 31].map((n) => hex(encodeNumber(n))),
    ['7f', '8000', 'ff7f', '008000', '008080', 'ffff7f', '00008000', '0000008000'],
  );
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 39) + 1, max: 2 ** 39 - 1 }), (n) => {
      const bytes = encodeNumber(n);
      return bytes.length <= 5 && decodeNumber(bytes, true, 5) === n && castToBool(bytes) === (n !== 0);
    }),
  );
  // Any bytes: what is minimal is exactly what the encoder makes.
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5 }), (bytes) => {
      const n = decodeNumber(bytes, false, 5);
      return Number.isNaN(decodeNumber(bytes, true, 5)) === (hex(encodeNumber(n)) !== hex(bytes));
    }),
  );
});

const R = '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff01';
t.test('accepts strict DER signatures only, and recognises low S', async (t) => {
  const half = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
  const low = unhex(R + half);
  const high = unhex(`${R}7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1`);
  const withType = (compact: Uint8Array): Uint8Array => Uint8Array.from([...derEncode(compact), 1]);
  t.equal(isStrictDer(withType(low)), true);
  t.equal(hasLowS(withType(low)), true);
  t.equal(hasLowS(withType(high)), false);
  t.equal(isStrictDer(withType(low).subarray(0, -1)), false, 'without hash type');
  const strict = (bytes: string): boolean => isStrictDer(unhex(`${bytes}01`));
  t.equal(strict('3006020101020101'), true, 'the shortest');
  t.equal(strict('30060201ff020101'), false, 'a negative R');
  t.equal(strict('30060201010201ff'), false, 'a negative S');
  t.equal(strict('300702020081020101'), true, 'a zero where it is needed');
  t.equal(strict('300702020001020101'), false, 'and where it is not');
  t.equal(strict('30050200020101'), false, 'no R');
  t.equal(strict('30050201010200'), false, 'no S');
  t.equal(strict('3106020101020101'), false, 'not a sequence');
  t.equal(strict('3007020101020101'), false, 'not the length of the whole');
  t.equal(strict('3006020701020101'), false, 'R beyond the end');
  t.equal(strict('3006030101020101'), false, 'R is no integer');
  const [long, longer] = [`00${'80'.repeat(32)}`, `00${'80'.repeat(33)}`];
  t.equal(strict(`30460221${long}0221${long}`), true, 'the longest');
  t.equal(strict(`30470222${longer}0221${long}`), false);
  t.equal(strict('3006020101030101'), false, 'S is no integer');
  t.equal(hasLowS(withType(unhex(`${R}${'ff'.repeat(32)}`))), true, 'an S beyond the order counts as low');
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  t.equal(hasLowS(withType(unhex(R + order))), true, 'so does the order');
  t.equal(hasLowS(withType(unhex(`${order}${hex(high.subarray(32))}`))), true, 'and any S beside an R of the order');
  t.equal(hasLowS(unhex(`30260221${'01'.repeat(33)}02017f01`)), true, 'or beside an R that does not fit');

  const lax = (bytes: string): string | null => {
    const compact = parseLaxDer(unhex(bytes), bytes.length / 2);
    return compact === null ? null : hex(compact);
  };
  const one = `${'00'.repeat(31)}01`;
  t.equal(lax('3006020101020101'), one + one);
  t.equal(lax('30ff020101020101'), null, 'length of length over the end');
  t.equal(lax('30810602010102010112'), one + one, 'long length, garbage behind');
  t.equal(lax('30000201010282000101'), one + one, 'wrong sequence length, padded long integer length');
  t.equal(lax('30080202000102020001'), one + one, 'padded integers');
  t.equal(lax('30060201ff020101'), `${'00'.repeat(31)}ff${one}`, 'negative taken as unsigned');
  t.equal(lax('30040200020100'), '00'.repeat(64), 'empty R');
  t.equal(lax(`30270222${'01'.repeat(34)}020101`), null, 'R does not fit');
  t.equal(lax('300602010102'), null, 'no S');
  t.equal(lax('3006020101030101'), null, 'wrong tag');
  t.equal(lax('300602010102840000000101'), one + one, 'long length with zeros');
  t.equal(lax('30060201010285010000000101'), null, 'a length of five bytes');
  t.equal(lax(`300602820101${'00'.repeat(256)}01020101`), one + one, 'a length of two bytes');
  t.equal(lax(`30060283010000${'00'.repeat(65535)}01020101`), one + one, 'of three');
  t.equal(lax(`3006028401000000${'00'.repeat(100)}01020101`), null, 'of four');
  t.equal(lax(''), null);
  t.equal(lax('3106020101020101'), null, 'not a sequence');
  t.equal(lax('3006028000020101'), null, 'a length without bytes is zero');
  t.equal(lax('3006020101028201'), null, 'the length of S beyond the end');
  t.equal(lax(`30260221${'01'.repeat(33)}020101`), null, 'one byte too long an R');
  t.equal(lax(`30260201010221${'01'.repeat(33)}`), null, 'and S');
  t.equal(parseLaxDer(unhex('300602010102020155'), 8), null, 'what is behind the end is no part of S');
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (compact) => {
      const der = withType(compact);
      return isStrictDer(der) && hex(parseLaxDer(der, der.length - 1) as Uint8Array) === hex(compact);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const padded = Uint8Array.from([...bytes, 0x30, 0x02]);
      const compact = parseLaxDer(padded, bytes.length);
      isStrictDer(bytes);
      hasLowS(bytes);
      return compact === null || compact.length === 64;
    }),
    { numRuns: 2000 },
  );
});

t.test('recognises the standard output templates byte by byte', async (t) => {
  const twenty = '07'.repeat(20);
  const [p2pkh, p2sh, p2wpkh] = [`76a914${twenty}88ac`, `a914${twenty}87`, `0014${twenty}`].map(unhex) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  t.same([p2pkh, p2sh, p2wpkh].map(isPayToPublicKeyHash), [true, false, false]);
  t.same(
    [p2pkh, p2sh, p2wpkh].map((script) => isPayToScriptHash(script)),
    [false, true, false],
  );
  t.same([p2pkh, p2sh, p2wpkh].map(isPayToWitnessPublicKeyHash), [false, false, true]);
  t.same(publicKeyHashScript(new Uint8Array(20).fill(7)), p2pkh);
  // No other byte of the form may be another.
  for (const [bytes, form, is] of [
    [p2pkh, [0, 1, 2, 23, 24], isPayToPublicKeyHash],
    [p2sh, [0, 1, 22], isPayToScriptHash],
    [p2wpkh, [0, 1], isPayToWitnessPublicKeyHash],
  ] as const) {
    for (const at of form) t.equal(is(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))), false);
    t.equal(is(Uint8Array.of(...bytes, 0)), false);
    t.equal(is(bytes.subarray(0, -1)), false);
  }
  const version = (bytes: string): number => witnessVersion(unhex(bytes));
  t.same(['00020000', '51020000', '60020000'].map(version), [0, 1, 16]);
  t.same(['000100', '61020000', '50020000', '4f020000', '00030000', '0001000000'].map(version), [-1, -1, -1, -1, -1, -1]);
  t.same([version(`0028${'00'.repeat(40)}`), version(`0029${'00'.repeat(41)}`)], [0, -1]);
  t.equal(isPayToAnchor(1, unhex('4e73')), true);
  t.same(
    [[0, '4e73'] as const, [1, '4e74'] as const, [1, '4f73'] as const, [1, '4e7300'] as const].map(([v, program]) =>
      isPayToAnchor(v, unhex(program)),
    ),
    [false, false, false, false],
  );
});

t.test('computes tapleaf and tapbranch hashes', async (t) => {
  const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
  const tagged = (tag: string, ...parts: Uint8Array[]): string => {
    const name = sha256(Buffer.from(tag));
    return hex(sha256(name, name, ...parts));
  };
  const hashes = createPureHashes();
  for (const version of [0xc0, 0xc2]) {
    for (const size of [0, 252, 253]) {
      const prefix = size < 253 ? [version, size] : [version, 253, 253, 0];
      t.equal(hex(tapleafHash(version, new Uint8Array(size), hashes)), tagged('TapLeaf', Uint8Array.from(prefix), new Uint8Array(size)));
    }
  }
  const [a, b] = [new Uint8Array(32).fill(7), Uint8Array.of(...new Uint8Array(31).fill(7), 8)];
  const first = Uint8Array.of(8, ...a.subarray(1));
  for (const larger of [b, first]) {
    const branch = tagged('TapBranch', a, larger);
    t.same([hex(tapbranchHash(a, larger, hashes)), hex(tapbranchHash(larger, a, hashes))], [branch, branch]);
  }
});

t.test('removes exact pushes of a signature from a script', async (t) => {
  const remove = (code: Uint8Array, signature: string): string => hex(deleteSignature(code, unhex(signature)));
  const code = script('1 <aabb> CHECKSIG');
  t.equal(deleteSignature(code, unhex('aabc')), code, 'nothing found: the same array');
  t.equal(remove(code, 'aabb'), '51ac');
  t.equal(remove(unhex('02aabb02aabb51'), 'aabb'), '51', 'neighbours');
  t.equal(remove(unhex('4c02aabb51'), 'aabb'), '4c02aabb51', 'only the usual push');
  t.equal(remove(unhex('0302aabbac'), 'aabb'), '0302aabbac', 'not inside other data');
  t.equal(remove(unhex('00510052'), ''), '5152', 'an empty signature removes OP_0');
  t.equal(remove(unhex('5102aabb05'), 'aabb'), '5105', 'also before a truncated push');
  t.equal(remove(unhex('0502aabb'), 'aabb'), '0502aabb', 'not behind one');
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('aabb'), fc.constant('cc'), fc.constant('')), { maxLength: 12 }), (datas) => {
      const whole = joinScript(...datas.map((data) => plainPush(unhex(data))));
      const without = joinScript(...datas.filter((data) => data !== 'aabb').map((data) => plainPush(unhex(data))));
      return remove(whole, 'aabb') === hex(without);
    }),
  );
});
