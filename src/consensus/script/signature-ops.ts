// The hash and signature opcodes: OP_RIPEMD160 (a6) to OP_CHECKMULTISIGVERIFY (af) except OP_CODESEPARATOR, and
// OP_CHECKSIGADD (ba). Legacy: BIP-0066, 0146, 0147; version 0: BIP-0143; tapscript: BIP-0342.

import { plainPush } from './build-script.js';
import { checkPublicKeyEncoding, checkSignatureEncoding } from './encoding.js';
import {
  SCRIPT_VERIFY_CONST_SCRIPTCODE,
  SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_NULLFAIL,
} from './flags.js';
import { decodeNumber, encodeNumber } from './number.js';
import { OP } from './opcodes.js';
import { ScriptError } from './script-error.js';
import type { ScriptRun } from './script-run.js';
import { SigVersion } from './sig-version.js';
import { FALSE, TRUE } from './stack-ops.js';
import { ScriptTokenizer } from './tokenizer.js';

/**
 * Removes every occurrence of `signature` that begins at an opcode and is pushed in the way in which a script builder
 * pushes data.
 * @returns the same array object if there is no occurrence, so that the caller can compare the objects
 */
export function deleteSignature(script: Uint8Array, signature: Uint8Array): Uint8Array {
  // A push is longer than the signature itself, so a script that is no longer than the signature cannot contain it.
  // Most scripts are that short.
  if (signature.length >= script.length) return script;
  const push = plainPush(signature);
  const size = push.length;
  let kept: Uint8Array | null = null;
  let length = 0;
  let from = 0;
  const token = new ScriptTokenizer(script);
  do {
    let pos = token.pos;
    const stop = pos;
    while (startsWith(script, pos, push)) pos += size;
    if (pos !== stop) {
      kept ??= new Uint8Array(script.length);
      kept.set(script.subarray(from, stop), length);
      length += stop - from;
      from = pos;
      token.pos = pos;
    }
  } while (token.next());
  if (kept === null) return script;
  kept.set(script.subarray(from), length);
  return kept.subarray(0, length + script.length - from);
}

function startsWith(script: Uint8Array, pos: number, push: Uint8Array): boolean {
  if (script.length - pos < push.length) return false;
  for (let i = 0; i < push.length; i++) if (script[pos + i] !== push[i]) return false;
  return true;
}

const MAX_MULTISIG_KEYS = 20;
const MAX_OPS = 201;
/** Cost of a signature check in tapscript, in weight units. */
const SIGNATURE_COST = 50;
// Result of checkSignature if the signature is invalid, but the script may continue.
const NO_MATCH = -1;

/** Runs one hash or signature opcode. @returns a ScriptError code */
export function runSignatureOp(run: ScriptRun, opcode: number): number {
  switch (opcode) {
    case OP.OP_CHECKSIG:
    case OP.OP_CHECKSIGVERIFY:
      return runCheckSig(run, opcode);
    case OP.OP_CHECKSIGADD:
      return runCheckSigAdd(run);
    case OP.OP_CHECKMULTISIG:
    case OP.OP_CHECKMULTISIGVERIFY:
      return runCheckMultisig(run, opcode);
    default:
      return runHash(run, opcode);
  }
}

function runHash(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  const { crypto } = run.checker;
  const top = stack.length - 1;
  if (top < 0) return ScriptError.INVALID_STACK_OPERATION;
  const data = stack[top];
  if (opcode === OP.OP_RIPEMD160) stack[top] = crypto.ripemd160(data);
  else if (opcode === OP.OP_SHA1) stack[top] = crypto.sha1(data);
  else if (opcode === OP.OP_SHA256) stack[top] = crypto.sha256(data);
  else if (opcode === OP.OP_HASH160) stack[top] = crypto.hash160(data);
  else stack[top] = crypto.sha256d(data);
  return ScriptError.OK;
}

function runCheckSig(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  const size = stack.length;
  if (size < 2) return ScriptError.INVALID_STACK_OPERATION;
  const result = checkSignature(run, stack[size - 2], stack[size - 1]);
  if (result > ScriptError.OK) return result;
  stack.length = size - 2;
  if (opcode === OP.OP_CHECKSIG) stack.push(result === ScriptError.OK ? TRUE : FALSE);
  else if (result !== ScriptError.OK) return ScriptError.CHECKSIGVERIFY;
  return ScriptError.OK;
}

function runCheckSigAdd(run: ScriptRun): number {
  if (run.sigVersion !== SigVersion.TAPSCRIPT) return ScriptError.BAD_OPCODE;
  const { stack } = run;
  const size = stack.length;
  if (size < 3) return ScriptError.INVALID_STACK_OPERATION;
  const count = decodeNumber(stack[size - 2], run.minimal);
  if (Number.isNaN(count)) return ScriptError.SCRIPTNUM;
  const result = checkSignature(run, stack[size - 3], stack[size - 1]);
  if (result > ScriptError.OK) return result;
  stack.length = size - 3;
  stack.push(encodeNumber(result === ScriptError.OK ? count + 1 : count));
  return ScriptError.OK;
}

/**
 * Checks a signature.
 * @returns OK if it is valid, NO_MATCH if it is invalid and the script continues, otherwise a ScriptError code
 */
function checkSignature(run: ScriptRun, signature: Uint8Array, publicKey: Uint8Array): number {
  if (run.sigVersion === SigVersion.TAPSCRIPT) return checkTapscriptSignature(run, signature, publicKey);
  const { flags, sigVersion } = run;
  let code = run.scriptCode();
  if (sigVersion === SigVersion.BASE) {
    const cleaned = deleteSignature(code, signature);
    if (cleaned !== code && (flags & SCRIPT_VERIFY_CONST_SCRIPTCODE) !== 0) return ScriptError.SIG_FINDANDDELETE;
    code = cleaned;
  }
  const error = checkSignatureEncoding(signature, flags) || checkPublicKeyEncoding(publicKey, flags, sigVersion);
  if (error !== ScriptError.OK) return error;
  if (run.checker.checkEcdsa(signature, publicKey, code, sigVersion)) return ScriptError.OK;
  if ((flags & SCRIPT_VERIFY_NULLFAIL) !== 0 && signature.length > 0) return ScriptError.NULLFAIL;
  return NO_MATCH;
}

function checkTapscriptSignature(run: ScriptRun, signature: Uint8Array, publicKey: Uint8Array): number {
  const { taproot } = run;
  // Charge the signature budget before the key is checked. Unknown key types are charged too.
  if (signature.length > 0) {
    taproot.validationWeightLeft -= SIGNATURE_COST;
    if (taproot.validationWeightLeft < 0) return ScriptError.TAPSCRIPT_VALIDATION_WEIGHT;
  }
  if (publicKey.length === 0) return ScriptError.TAPSCRIPT_EMPTY_PUBKEY;
  if (publicKey.length === 32) {
    if (signature.length === 0) return NO_MATCH;
    return run.checker.checkSchnorr(signature, publicKey, run.sigVersion, taproot);
  }
  if ((run.flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE) !== 0) {
    return ScriptError.DISCOURAGE_UPGRADABLE_PUBKEYTYPE;
  }
  return signature.length > 0 ? ScriptError.OK : NO_MATCH;
}

/** Runs OP_CHECKMULTISIG. Stack, top last: dummy, signatures, their count m, keys, their count n. */
function runCheckMultisig(run: ScriptRun, opcode: number): number {
  if (run.sigVersion === SigVersion.TAPSCRIPT) return ScriptError.TAPSCRIPT_CHECKMULTISIG;
  const { stack, flags } = run;
  const size = stack.length;
  if (size < 1) return ScriptError.INVALID_STACK_OPERATION;
  const keyCount = decodeNumber(stack[size - 1], run.minimal);
  if (Number.isNaN(keyCount)) return ScriptError.SCRIPTNUM;
  if (keyCount < 0 || keyCount > MAX_MULTISIG_KEYS) return ScriptError.PUBKEY_COUNT;
  run.opCount += keyCount;
  if (run.opCount > MAX_OPS) return ScriptError.OP_COUNT;
  if (size < keyCount + 2) return ScriptError.INVALID_STACK_OPERATION;
  const lastKey = size - 2;
  const sigCount = decodeNumber(stack[lastKey - keyCount], run.minimal);
  if (Number.isNaN(sigCount)) return ScriptError.SCRIPTNUM;
  if (sigCount < 0 || sigCount > keyCount) return ScriptError.SIG_COUNT;
  const lastSig = lastKey - keyCount - 1;
  const dummy = lastSig - sigCount;
  if (dummy < 0) return ScriptError.INVALID_STACK_OPERATION;

  let code = run.scriptCode();
  if (run.sigVersion === SigVersion.BASE) {
    for (let i = 0; i < sigCount; i++) {
      const cleaned = deleteSignature(code, stack[lastSig - i]);
      if (cleaned !== code && (flags & SCRIPT_VERIFY_CONST_SCRIPTCODE) !== 0) return ScriptError.SIG_FINDANDDELETE;
      code = cleaned;
    }
  }
  const matched = matchSignatures(run, code, lastSig, sigCount, lastKey, keyCount);
  if (matched > ScriptError.OK) return matched;
  const success = matched === ScriptError.OK;
  if (!success && (flags & SCRIPT_VERIFY_NULLFAIL) !== 0) {
    for (let i = 0; i < sigCount; i++) if (stack[lastSig - i].length > 0) return ScriptError.NULLFAIL;
  }
  if ((flags & SCRIPT_VERIFY_NULLDUMMY) !== 0 && stack[dummy].length > 0) return ScriptError.SIG_NULLDUMMY;
  stack.length = dummy;
  if (opcode === OP.OP_CHECKMULTISIG) stack.push(success ? TRUE : FALSE);
  else if (!success) return ScriptError.CHECKMULTISIGVERIFY;
  return ScriptError.OK;
}

/**
 * Tries keys from the top of the stack down, each with the next unmatched signature. Stops when more signatures than
 * keys are left.
 */
function matchSignatures(run: ScriptRun, code: Uint8Array, lastSig: number, sigCount: number, lastKey: number, keyCount: number): number {
  const { stack, flags, sigVersion } = run;
  let sig = lastSig;
  let key = lastKey;
  let sigsLeft = sigCount;
  let keysLeft = keyCount;
  while (sigsLeft > 0) {
    const signature = stack[sig];
    const publicKey = stack[key];
    const error = checkSignatureEncoding(signature, flags) || checkPublicKeyEncoding(publicKey, flags, sigVersion);
    if (error !== ScriptError.OK) return error;
    if (run.checker.checkEcdsa(signature, publicKey, code, sigVersion)) {
      sig--;
      sigsLeft--;
    }
    key--;
    keysLeft--;
    if (sigsLeft > keysLeft) return NO_MATCH;
  }
  return ScriptError.OK;
}
