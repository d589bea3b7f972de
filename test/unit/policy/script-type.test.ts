// Templates of output scripts and their text form.

import t from 'tap';
import { joinScript, plainPush } from '../../../src/consensus/script/build-script.js';
import { scriptAsm } from '../../../src/policy/script-asm.js';
import { isUnspendable, solve } from '../../../src/policy/script-type.js';
import { hex, unhex } from '../../framework/hex.js';
import { testKey } from '../../framework/keys.js';
import { script } from '../../framework/script-words.js';

const key = testKey(1);
const keyHex = hex(key.publicKey);
const longHex = hex(key.uncompressed);
const hash = '11'.repeat(20);
const program = '22'.repeat(32);

t.test('solve recognises all standard templates', async (t) => {
  for (const [words, type, solutions] of [
    [`<${keyHex}> CHECKSIG`, 'pubkey', [keyHex]],
    [`<${longHex}> CHECKSIG`, 'pubkey', [longHex]],
    [`<04${keyHex.slice(2)}> CHECKSIG`, 'nonstandard', []],
    [`<${keyHex}> CHECKSIG NOP`, 'nonstandard', []],
    [`DUP HASH160 <${hash}> EQUALVERIFY CHECKSIG`, 'pubkeyhash', [hash]],
    [`HASH160 <${hash}> EQUAL`, 'scripthash', [hash]],
    [`HASH160 {4c14${hash}} EQUAL`, 'nonstandard', []],
    [`0 <${hash}>`, 'witness_v0_keyhash', [hash]],
    [`0 <${program}>`, 'witness_v0_scripthash', [program]],
    ['0 <aabbcc>', 'nonstandard', []],
    [`1 <${program}>`, 'witness_v1_taproot', [program]],
    ['1 <4e73>', 'anchor', ['01', '4e73']],
    ['1 <4e74>', 'witness_unknown', ['01', '4e74']],
    ['2 <4e73>', 'witness_unknown', ['02', '4e73']],
    [`16 <${'33'.repeat(40)}>`, 'witness_unknown', ['10', '33'.repeat(40)]],
    [`16 <${'33'.repeat(41)}>`, 'nonstandard', []],
    [`-1 <${program}>`, 'nonstandard', []],
    ['RETURN', 'nulldata', []],
    ['RETURN <aabb> 1 16', 'nulldata', []],
    ['RETURN NOP', 'nonstandard', []],
    ['RETURN {05aa}', 'nonstandard', []],
    [`1 <${keyHex}> 1 CHECKMULTISIG`, 'multisig', ['01', keyHex, '01']],
    [`2 <${keyHex}> <${longHex}> <${keyHex}> 3 CHECKMULTISIG`, 'multisig', ['02', keyHex, longHex, keyHex, '03']],
    [`0 <${keyHex}> 1 CHECKMULTISIG`, 'nonstandard', []],
    [`2 <${keyHex}> 1 CHECKMULTISIG`, 'nonstandard', []],
    [`1 <${keyHex}> 2 CHECKMULTISIG`, 'nonstandard', []],
    [`1 <${keyHex}> <aa> 2 CHECKMULTISIG`, 'nonstandard', []],
    [`1 <${keyHex}> 1 NOP CHECKMULTISIG`, 'nonstandard', []],
    ['CHECKMULTISIG', 'nonstandard', []],
    ['{02} CHECKMULTISIG', 'nonstandard', []],
    [`16 ${`<${keyHex}> `.repeat(16)} 16 CHECKMULTISIG`, 'multisig', ['10', ...Array<string>(16).fill(keyHex), '10']],
    [`17 ${`<${keyHex}> `.repeat(20)} 20 CHECKMULTISIG`, 'multisig', ['11', ...Array<string>(20).fill(keyHex), '14']],
    [`1 ${`<${keyHex}> `.repeat(21)} 21 CHECKMULTISIG`, 'nonstandard', []],
    ['', 'nonstandard', []],
  ] as const) {
    const solved = solve(script(words));
    t.same([solved.type, ...solved.solutions.map(hex)], [type, ...solutions], words);
  }
});

t.test('isUnspendable recognises OP_RETURN and scripts above 10,000 bytes', async (t) => {
  t.equal(isUnspendable(script('RETURN')), true);
  t.equal(isUnspendable(script('NOP RETURN')), false);
  t.equal(isUnspendable(new Uint8Array(0)), false);
  t.equal(isUnspendable(new Uint8Array(10000)), false);
  t.equal(isUnspendable(new Uint8Array(10001)), true);
});

t.test('scriptAsm renders opcodes, numbers and errors as Core does', async (t) => {
  for (const [words, text] of [
    ['', ''],
    ['0 1 16 -1 17 -1000', '0 1 16 -1 17 -1000'],
    ['<80> <0000> <ffffff7f> <ffffffff> <0100000000>', '0 0 2147483647 -2147483647 0100000000'],
    [`DUP HASH160 <${hash}> EQUALVERIFY CHECKSIG`, `OP_DUP OP_HASH160 ${hash} OP_EQUALVERIFY OP_CHECKSIG`],
    [
      'CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY NOP1 NOP10 CHECKSIGADD',
      'OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP1 OP_NOP10 OP_CHECKSIGADD',
    ],
    [
      'RESERVED VER VERIF RESERVED1 CAT {bb} {fe} {ff}',
      'OP_RESERVED OP_VER OP_VERIF OP_RESERVED1 OP_CAT OP_UNKNOWN OP_UNKNOWN OP_INVALIDOPCODE',
    ],
    ['1 {05aabb}', '1 [error]'],
    ['{4c}', '[error]'],
  ] as const) {
    t.equal(scriptAsm(script(words)), text, words);
  }
});

t.test('scriptAsm decodes the sighash type of signatures only when asked', async (t) => {
  const withType = (type: number): Uint8Array => key.signForScript(new Uint8Array(32).fill(5), type);
  const bare = hex(withType(1).subarray(0, -1));
  const names = { 1: 'ALL', 2: 'NONE', 3: 'SINGLE', 129: 'ALL|ANYONECANPAY', 130: 'NONE|ANYONECANPAY', 131: 'SINGLE|ANYONECANPAY' };
  for (const [type, name] of Object.entries(names)) {
    const scriptSig = joinScript(plainPush(withType(Number(type))), plainPush(key.publicKey));
    t.equal(scriptAsm(scriptSig, { sighashDecode: true }), `${bare}[${name}] ${keyHex}`);
    t.equal(scriptAsm(scriptSig), `${bare}${Number(type).toString(16).padStart(2, '0')} ${keyHex}`);
  }
  const undefinedType = plainPush(withType(4));
  t.equal(scriptAsm(undefinedType, { sighashDecode: true }), `${bare}04`);
  const data = joinScript(script('RETURN'), plainPush(withType(1)));
  t.equal(scriptAsm(data, { sighashDecode: true }), `OP_RETURN ${bare}01`, 'data stays as it is');
  t.equal(scriptAsm(unhex('09300602010102010101'), { sighashDecode: true }), '3006020101020101[ALL]', 'the smallest signature');
});
