// Opcodes, limits and flow control, one row each: a script, the version it runs under, flags, and the error or the
// final stack.

import t from 'tap';
import { joinScript, plainPush } from '../../../src/consensus/script/build-script.js';
import { DetachedChecker } from '../../../src/consensus/script/checker.js';
import { evalScript } from '../../../src/consensus/script/eval-script.js';
import { parseScriptFlags } from '../../../src/consensus/script/flags.js';
import { scriptErrorName } from '../../../src/consensus/script/script-error.js';
import { SigVersion, TaprootContext } from '../../../src/consensus/script/sig-version.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { hex } from '../../framework/hex.js';
import { script } from '../../framework/script-words.js';

const checker = new DetachedChecker(createNativeCrypto());
const VERSIONS = { base: SigVersion.BASE, v0: SigVersion.WITNESS_V0, tapscript: SigVersion.TAPSCRIPT } as const;

/** The error's name, or the stack as words: `-` for an empty element. */
function run(bytes: Uint8Array, version: keyof typeof VERSIONS = 'base', flags = '', stack: Uint8Array[] = []): string {
  const bits = parseScriptFlags(flags);
  if (bits === null) throw new Error(flags);
  const error = evalScript(stack, bytes, bits, checker, VERSIONS[version]);
  return error === 0 ? stack.map((element) => hex(element) || '-').join(' ') : scriptErrorName(error);
}

t.test('evaluates stack opcodes', async (t) => {
  for (const [words, result] of [
    ['', ''],
    ['0 1 -1 16 17', '- 01 81 10 11'],
    ['1 2 DROP', '01'],
    ['1 2 3 2DROP', '01'],
    ['1 2 DUP', '01 02 02'],
    ['1 2 2DUP', '01 02 01 02'],
    ['1 2 3 3DUP', '01 02 03 01 02 03'],
    ['1 2 3 4 2OVER', '01 02 03 04 01 02'],
    ['1 2 3 4 5 6 2ROT', '03 04 05 06 01 02'],
    ['1 2 3 4 2SWAP', '03 04 01 02'],
    ['0 IFDUP 1 IFDUP', '- 01 01'],
    ['5 6 DEPTH', '05 06 02'],
    ['1 2 NIP', '02'],
    ['1 2 OVER', '01 02 01'],
    ['1 2 3 2 PICK', '01 02 03 01'],
    ['1 2 3 2 ROLL', '02 03 01'],
    ['1 2 3 0 ROLL', '01 02 03'],
    ['1 2 3 ROT', '02 03 01'],
    ['1 2 SWAP', '02 01'],
    ['1 2 TUCK', '02 01 02'],
    ['<aabbcc> SIZE', 'aabbcc 03'],
    ['0 SIZE', '- -'],
    ['1 TOALTSTACK 2 FROMALTSTACK', '02 01'],
    ['1 2 TOALTSTACK TOALTSTACK FROMALTSTACK FROMALTSTACK', '01 02'],
    ['<0102> <0102> EQUAL', '01'],
    ['<0102> <0103> EQUAL', '-'],
    ['<0102> <0102> EQUALVERIFY', ''],
    ['<0102> 1 EQUALVERIFY', 'EQUALVERIFY'],
    ['FROMALTSTACK', 'INVALID_ALTSTACK_OPERATION'],
    ['1 1 PICK', 'INVALID_STACK_OPERATION'],
    ['1 -1 ROLL', 'INVALID_STACK_OPERATION'],
    ['1 <0000000001> PICK', 'SCRIPTNUM'],
  ] as const) {
    t.equal(run(script(words)), result, words || 'empty');
  }
});

t.test('rejects opcodes without enough operands', async (t) => {
  for (const name of ['IF', 'NOTIF']) t.equal(run(script(name)), 'IF_WITHOUT_CONDITION', name);
  const needs: Record<number, string> = {
    1: 'TOALTSTACK IFDUP DROP DUP SIZE 1ADD 1SUB NEGATE ABS NOT 0NOTEQUAL RIPEMD160 SHA1 SHA256 HASH160 HASH256 VERIFY CHECKMULTISIG',
    2: `2DROP 2DUP NIP OVER PICK ROLL SWAP TUCK EQUAL EQUALVERIFY CHECKSIG ADD SUB BOOLAND BOOLOR NUMEQUAL NUMEQUALVERIFY NUMNOTEQUAL
        LESSTHAN GREATERTHAN LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX CHECKSIGVERIFY`,
    3: '3DUP ROT WITHIN',
    4: '2OVER 2SWAP',
    6: '2ROT',
  };
  for (const [count, names] of Object.entries(needs)) {
    for (const name of names.split(/\s+/)) {
      t.equal(run(script(`${'1 '.repeat(Number(count) - 1)}${name}`)), 'INVALID_STACK_OPERATION', name);
    }
  }
  t.equal(run(script('0 0 CHECKSIGADD'), 'tapscript'), 'INVALID_STACK_OPERATION');
});

t.test('evaluates arithmetic opcodes, and rejects long or non-minimal numbers', async (t) => {
  for (const [words, result] of [
    ['2 3 ADD', '05'],
    ['2 3 SUB', '81'],
    ['5 1ADD', '06'],
    ['0 1SUB', '81'],
    ['5 NEGATE', '85'],
    ['-5 ABS', '05'],
    ['0 NOT', '01'],
    ['7 NOT', '-'],
    ['7 0NOTEQUAL', '01'],
    ['<80> 0NOTEQUAL', '-'],
    ['1 0 BOOLAND', '-'],
    ['1 0 BOOLOR', '01'],
    ['4 4 NUMEQUAL', '01'],
    ['4 <0400> NUMEQUAL', '01'],
    ['4 4 NUMEQUALVERIFY', ''],
    ['4 5 NUMEQUALVERIFY', 'NUMEQUALVERIFY'],
    ['4 5 NUMNOTEQUAL', '01'],
    ['4 5 LESSTHAN', '01'],
    ['4 5 GREATERTHAN', '-'],
    ['5 5 LESSTHANOREQUAL', '01'],
    ['4 5 GREATERTHANOREQUAL', '-'],
    ['4 -5 MIN', '85'],
    ['4 -5 MAX', '04'],
    ['3 3 5 WITHIN', '01'],
    ['5 3 5 WITHIN', '-'],
    ['<ffffff7f> DUP ADD', 'feffffff00'],
    ['<ffffff7f> DUP ADD 1ADD', 'SCRIPTNUM'],
    ['<feffffff00> 1ADD', 'SCRIPTNUM'],
    ['<ffffffff> <ffffff7f> SUB', 'feffffff80'],
  ] as const) {
    t.equal(run(script(words)), result, words);
  }
  t.equal(run(script('<0400> 1ADD'), 'base', 'MINIMALDATA'), 'SCRIPTNUM');
  t.equal(run(script('{0104} DROP'), 'base', 'MINIMALDATA'), 'MINIMALDATA');
  t.equal(run(script('0 IF {0104} ENDIF 1'), 'base', 'MINIMALDATA'), '01', 'untaken branches may push anyhow');
});

t.test('evaluates comparison opcodes', async (t) => {
  // Results for 4 with 5, 5 with 5 and 5 with 4.
  const rows: Record<string, readonly [string, string, string]> = {
    NUMEQUAL: ['-', '01', '-'],
    NUMNOTEQUAL: ['01', '-', '01'],
    LESSTHAN: ['01', '-', '-'],
    GREATERTHAN: ['-', '-', '01'],
    LESSTHANOREQUAL: ['01', '01', '-'],
    GREATERTHANOREQUAL: ['-', '01', '01'],
    MIN: ['04', '05', '04'],
    MAX: ['05', '05', '05'],
  };
  for (const [name, results] of Object.entries(rows)) {
    t.same(
      ['4 5', '5 5', '5 4'].map((pair) => run(script(`${pair} ${name}`))),
      results,
      name,
    );
  }
  const truth = (name: string) => ['0 0', '0 7', '7 0', '7 7'].map((pair) => run(script(`${pair} ${name}`)));
  t.same(truth('BOOLAND'), ['-', '-', '-', '01']);
  t.same(truth('BOOLOR'), ['-', '01', '01', '01']);
  t.same(
    [2, 3, 4, 5].map((n) => run(script(`${n} 3 5 WITHIN`))),
    ['-', '01', '01', '-'],
  );
});

t.test('rejects arithmetic operands of five bytes', async (t) => {
  const long = '<0000000001>';
  for (const name of ['1ADD', '1SUB', 'NEGATE', 'ABS', 'NOT', '0NOTEQUAL']) t.equal(run(script(`${long} ${name}`)), 'SCRIPTNUM', name);
  for (const name of ['ADD', 'SUB', 'BOOLAND', 'BOOLOR', 'LESSTHAN', 'GREATERTHAN', 'MIN', 'MAX', 'NUMEQUALVERIFY']) {
    t.same([run(script(`${long} 1 ${name}`)), run(script(`1 ${long} ${name}`))], ['SCRIPTNUM', 'SCRIPTNUM'], name);
  }
  t.same(
    [`${long} 1 1`, `1 ${long} 1`, `1 1 ${long}`].map((three) => run(script(`${three} WITHIN`))),
    ['SCRIPTNUM', 'SCRIPTNUM', 'SCRIPTNUM'],
  );
});

t.test('evaluates hash opcodes', async (t) => {
  t.equal(run(script('0 RIPEMD160')), '9c1185a5c5e9fc54612808977ee8f548b2258d31');
  t.equal(run(script('0 SHA1')), 'da39a3ee5e6b4b0d3255bfef95601890afd80709');
  t.equal(run(script('0 SHA256')), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.equal(run(script('0 HASH160')), 'b472a266d0bd89c13706a4132ccfb16f7c3b9fcb');
  t.equal(run(script('0 HASH256')), '5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456');
});

t.test('evaluates conditionals, disabled opcodes and NOPs', async (t) => {
  for (const [words, result] of [
    ['1 IF 2 ELSE 3 ENDIF', '02'],
    ['0 IF 2 ELSE 3 ENDIF', '03'],
    ['0 NOTIF 2 ENDIF', '02'],
    ['1 IF 2 ELSE 3 ELSE 4 ENDIF', '02 04'],
    ['0 IF 1 IF 2 ELSE 3 ENDIF ELSE 4 ENDIF', '04'],
    ['1 IF 0 IF 2 ELSE 3 ENDIF 5 ENDIF', '03 05'],
    ['0 IF 0 IF 2 ELSE 3 ENDIF ENDIF', ''],
    ['0 IF RETURN VER RESERVED {ff} ENDIF', ''],
    ['1 IF', 'UNBALANCED_CONDITIONAL'],
    ['ELSE', 'UNBALANCED_CONDITIONAL'],
    ['ENDIF', 'UNBALANCED_CONDITIONAL'],
    ['1 IF ENDIF ENDIF', 'UNBALANCED_CONDITIONAL'],
    ['ENDIF 1 IF', 'UNBALANCED_CONDITIONAL'],
    ['0 IF VERIF ENDIF', 'BAD_OPCODE'],
    ['0 IF VERNOTIF ENDIF', 'BAD_OPCODE'],
    ['0 IF CAT ENDIF', 'DISABLED_OPCODE'],
    ['0 IF 2MUL ENDIF', 'DISABLED_OPCODE'],
    ['1 VERIFY', ''],
    ['<0080> VERIFY', 'VERIFY'],
    ['RETURN', 'OP_RETURN'],
    ['NOP NOP1 NOP10', ''],
    ['VER', 'BAD_OPCODE'],
    ['RESERVED', 'BAD_OPCODE'],
    ['RESERVED1', 'BAD_OPCODE'],
    ['RESERVED2', 'BAD_OPCODE'],
    ['{ba}', 'BAD_OPCODE'],
    ['{bb}', 'BAD_OPCODE'],
    ['{02aa}', 'BAD_OPCODE'],
    ['1 IF {02aa}', 'BAD_OPCODE'],
  ] as const) {
    t.equal(run(script(words)), result, words);
  }
  for (const name of 'CAT SUBSTR LEFT RIGHT INVERT AND OR XOR 2MUL 2DIV MUL DIV MOD LSHIFT RSHIFT'.split(' ')) {
    t.equal(run(script(name)), 'DISABLED_OPCODE', name);
  }
  t.equal(run(script('<02> IF ENDIF'), 'base', 'MINIMALIF'), '', 'MINIMALIF is a witness rule');
  t.equal(run(script('2 IF ENDIF'), 'v0'), '');
  t.equal(run(script('2 IF ENDIF'), 'v0', 'MINIMALIF'), 'MINIMALIF');
  t.equal(run(script('<00> NOTIF ENDIF'), 'v0', 'MINIMALIF'), 'MINIMALIF');
  t.equal(run(script('2 IF ENDIF'), 'tapscript'), 'TAPSCRIPT_MINIMALIF');
  t.equal(run(script('0 IF ENDIF 1 IF ENDIF'), 'tapscript'), '');
  t.equal(run(script('NOP5'), 'base', 'DISCOURAGE_UPGRADABLE_NOPS'), 'DISCOURAGE_UPGRADABLE_NOPS');
  t.equal(run(script('0 IF NOP5 ENDIF'), 'base', 'DISCOURAGE_UPGRADABLE_NOPS'), '');
  t.equal(run(script('0 IF CODESEPARATOR ENDIF'), 'base', 'CONST_SCRIPTCODE'), 'OP_CODESEPARATOR');
  t.equal(run(script('CODESEPARATOR'), 'v0', 'CONST_SCRIPTCODE'), '');
});

t.test('evaluates lock time opcodes under their flags', async (t) => {
  const both = 'CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY';
  for (const name of ['CHECKLOCKTIMEVERIFY', 'CHECKSEQUENCEVERIFY']) {
    t.equal(run(script(name)), '', `${name} is a NOP without its flag`);
    t.equal(run(script(name), 'base', 'DISCOURAGE_UPGRADABLE_NOPS'), '', 'and not discouraged');
    t.equal(run(script(name), 'base', both), 'INVALID_STACK_OPERATION');
    t.equal(run(script(`-1 ${name}`), 'base', both), 'NEGATIVE_LOCKTIME');
    t.equal(run(script(`0 ${name}`), 'base', both), 'UNSATISFIED_LOCKTIME', 'zero is not negative');
    t.equal(run(script(`1 ${name}`), 'base', both), 'UNSATISFIED_LOCKTIME');
    t.equal(run(script(`<000000000001> ${name}`), 'base', both), 'SCRIPTNUM', 'six bytes');
  }
  t.equal(run(script('<0000008000> CHECKSEQUENCEVERIFY'), 'base', both), '0000008000', 'bit 31 switches it off');
});

t.test('enforces the limits of script, push, opcode count and stack size', async (t) => {
  const big = (size: number): Uint8Array => plainPush(new Uint8Array(size));
  t.equal(run(big(520)).length, 1040);
  t.equal(run(big(521)), 'PUSH_SIZE');
  t.equal(run(script('{4e01000000aa}')), 'aa', 'a length of four bytes');
  t.equal(run(joinScript(script('0 IF'), big(521), script('ENDIF'))), 'PUSH_SIZE', 'in untaken branches too');
  t.equal(run(big(521), 'tapscript'), 'PUSH_SIZE');
  const nops = (count: number): Uint8Array => new Uint8Array(count).fill(0x61);
  t.equal(run(nops(201)), '');
  t.equal(run(nops(202)), 'OP_COUNT');
  t.equal(run(nops(202), 'v0'), 'OP_COUNT');
  t.equal(run(nops(12000), 'tapscript'), '', 'tapscripts have no such limits');
  t.equal(run(joinScript(script('16'), nops(201))), '10', 'pushes do not count');
  // Nineteen times 524 bytes, and 44.
  const pushes = Array.from({ length: 19 }, () => joinScript(big(520), script('DROP')));
  const longest = joinScript(...pushes, plainPush(new Uint8Array(42)), script('DROP'));
  t.equal(longest.length, 10_000);
  t.equal(run(longest), '', 'the longest script');
  t.equal(run(joinScript(longest, nops(1))), 'SCRIPT_SIZE');
  t.equal(run(new Uint8Array(10001).fill(0x51)), 'SCRIPT_SIZE');
  t.equal(run(new Uint8Array(10001).fill(0x51), 'tapscript'), 'STACK_SIZE');
  t.equal(run(new Uint8Array(1000).fill(0x51)).split(' ').length, 1000);
  t.equal(run(new Uint8Array(1001).fill(0x51)), 'STACK_SIZE');
  const full = Array.from({ length: 1000 }, () => new Uint8Array(0));
  t.equal(run(script('TOALTSTACK DUP'), 'base', '', full), 'STACK_SIZE', 'both stacks count');
  const twentyKeys = script('0 0 0 0 <14> CHECKMULTISIG');
  t.equal(run(joinScript(nops(180), twentyKeys)), 'INVALID_STACK_OPERATION', 'multisig keys count as opcodes: 201');
  t.equal(run(joinScript(nops(181), twentyKeys)), 'OP_COUNT', '202');
});

t.test('evaluates multisig opcodes, and rejects wrong key and signature counts', async (t) => {
  for (const [words, result] of [
    ['0 0 0 CHECKMULTISIG', '01'],
    ['0 0 0 CHECKMULTISIGVERIFY', ''],
    ['0 0 CHECKMULTISIG', 'INVALID_STACK_OPERATION'],
    ['0 0 <aa> 1 CHECKMULTISIG', '01'],
    ['0 0 1 <aa> 1 CHECKMULTISIG', '-'],
    ['0 0 1 <aa> 1 CHECKMULTISIGVERIFY', 'CHECKMULTISIGVERIFY'],
    ['0 0 21 CHECKMULTISIG', 'PUBKEY_COUNT'],
    ['0 0 -1 CHECKMULTISIG', 'PUBKEY_COUNT'],
    ['0 2 <aa> 1 CHECKMULTISIG', 'SIG_COUNT'],
    ['0 -1 <aa> 1 CHECKMULTISIG', 'SIG_COUNT'],
    ['0 0 <0000000000> CHECKMULTISIG', 'SCRIPTNUM'],
    ['1 0 0 CHECKMULTISIG', '01'],
    ['0 CHECKMULTISIG', 'INVALID_STACK_OPERATION'],
    ['21 CHECKMULTISIG', 'PUBKEY_COUNT'],
    ['1 0 CHECKMULTISIG', 'SIG_COUNT'],
    ['0 <aa> 1 <bb> 1 CHECKMULTISIG', '-'],
  ] as const) {
    t.equal(run(script(words)), result, words);
  }
  t.equal(run(script('1 0 0 CHECKMULTISIG'), 'base', 'NULLDUMMY'), 'SIG_NULLDUMMY');
  t.equal(run(script('0 0 0 CHECKMULTISIG'), 'tapscript'), 'TAPSCRIPT_CHECKMULTISIG');
  t.equal(run(script('0 <aa> 1 <bb> 1 CHECKMULTISIG'), 'base', 'NULLFAIL'), 'NULLFAIL');
  t.equal(run(script('0 0 1 <bb> 1 CHECKMULTISIG'), 'base', 'NULLFAIL'), '-');
  t.equal(run(script('0 <aa> 1 <bb> 1 CHECKMULTISIG'), 'base', 'DERSIG'), 'SIG_DER');
  t.equal(run(script('0 0 1 <bb> 1 CHECKMULTISIG'), 'base', 'STRICTENC'), 'PUBKEYTYPE');
});

t.test('finds multisig signatures inside their own script only in legacy scripts', async (t) => {
  const found = (words: string, version: keyof typeof VERSIONS, ...stack: Uint8Array[]) =>
    run(script(words), version, 'CONST_SCRIPTCODE', stack);
  const [lower, upper] = [Uint8Array.of(0xaa, 0xbb), Uint8Array.of(0xdd, 0xdd)];
  const multisig = '2 <0c> <0d> 2 CHECKMULTISIG';
  const none = new Uint8Array(0);
  t.equal(found(`{02dddd} DROP ${multisig}`, 'base', none, lower, upper), 'SIG_FINDANDDELETE');
  t.equal(found(`{02aabb} DROP ${multisig}`, 'base', none, lower, upper), 'SIG_FINDANDDELETE', 'the second as well');
  t.equal(found(`{02aabb} DROP ${multisig}`, 'v0', none, lower, upper), '-', 'only of old');
  t.equal(found('{02aabb} DROP 1 <0c> 1 CHECKMULTISIG', 'base', lower, upper), '-', 'what is left out is no signature');
});

t.test('accepts any signature for unknown key types in tapscript, at the cost of a check', async (t) => {
  const judged = (words: string): string => {
    const budget = new TaprootContext();
    budget.validationWeightLeft = 50;
    const stack: Uint8Array[] = [];
    const error = evalScript(stack, script(words), 0, checker, SigVersion.TAPSCRIPT, budget);
    return error === 0 ? `${stack.map((element) => hex(element) || '-').join(' ')} ${budget.validationWeightLeft}` : scriptErrorName(error);
  };
  t.equal(judged('<05> <aa> CHECKSIG'), '01 0', 'any signature is good');
  t.equal(judged('0 <aa> CHECKSIG'), '- 50');
});

t.test('evaluates signature opcodes without a transaction', async (t) => {
  t.equal(run(script('0 <aa> CHECKSIG')), '-');
  t.equal(run(script('0 <aa> CHECKSIGVERIFY')), 'CHECKSIGVERIFY');
  t.equal(run(script('<aa> <bb> CHECKSIG'), 'base', 'NULLFAIL'), 'NULLFAIL');
  t.equal(run(script('<aa> <bb> CHECKSIG'), 'base', 'DERSIG'), 'SIG_DER');
  t.equal(run(script('0 <bb> CHECKSIG'), 'base', 'STRICTENC'), 'PUBKEYTYPE');
  t.equal(run(script('0 <bb> CHECKSIG'), 'v0', 'WITNESS_PUBKEYTYPE'), 'WITNESS_PUBKEYTYPE');
  t.equal(run(script('<aabb> <cc> {02aabb} DROP CHECKSIG'), 'base', 'CONST_SCRIPTCODE'), 'SIG_FINDANDDELETE');
  t.equal(run(script('0 0 <aa> CHECKSIGADD')), 'BAD_OPCODE');
  t.equal(run(script('0 0 <aa> CHECKSIGADD'), 'v0'), 'BAD_OPCODE');
  t.equal(run(script('0 5 <aa> CHECKSIGADD'), 'tapscript'), '05');
  t.equal(run(script('0 0 0 CHECKSIGADD'), 'tapscript'), 'TAPSCRIPT_EMPTY_PUBKEY');
  t.equal(run(script('0 <aa> CHECKSIG'), 'tapscript'), '-');
  t.equal(run(script('0 <aa> CHECKSIG'), 'tapscript', 'DISCOURAGE_UPGRADABLE_PUBKEYTYPE'), 'DISCOURAGE_UPGRADABLE_PUBKEYTYPE');
  t.equal(run(script('1 <aa> CHECKSIG'), 'tapscript'), 'TAPSCRIPT_VALIDATION_WEIGHT', 'no budget');
  t.equal(run(script(`0 <${'aa'.repeat(32)}> CHECKSIG`), 'tapscript'), '-');
});
