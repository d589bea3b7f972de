// Verifies spends of witness programs: version 0 (BIP-0141), taproot and tapscript (BIP-0341, BIP-0342), and undefined
// programs.

import { compactSizeLength } from '../bytes/compact-size.js';
import { equalBytes } from '../bytes/hex.js';
import type { WitnessStack } from '../tx/witness-stack.js';
import type { SignatureChecker } from './checker.js';
import { checkPublicKeyEncoding, checkSignatureEncoding } from './encoding.js';
import { evalScript, MAX_SCRIPT_ELEMENT_SIZE, MAX_STACK_SIZE } from './eval-script.js';
import {
  SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS,
  SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION,
  SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM,
  SCRIPT_VERIFY_NULLFAIL,
  SCRIPT_VERIFY_TAPROOT,
} from './flags.js';
import { castToBool } from './number.js';
import { isOpSuccess } from './opcodes.js';
import { writeCompactSize } from './preimage.js';
import { ScriptError } from './script-error.js';
import { SigVersion, type SigVersionCode, TaprootContext } from './sig-version.js';
import {
  ANNEX_TAG,
  checkTaprootCommitment,
  isControlBlockSize,
  TAPROOT_LEAF_MASK,
  TAPROOT_LEAF_TAPSCRIPT,
  tapleafHash,
} from './taproot.js';
import { isPayToAnchor, publicKeyHashScript } from './templates.js';
import { ScriptTokenizer } from './tokenizer.js';

const NO_ERROR_YET = -1;
/**
 * Number of witness items, counted from the top, that the interpreter gets if there are more than a stack may hold. The
 * script then fails at its first operation at the latest, so this number is the limit of the stack plus more items than
 * any operation reads. OP_CHECKMULTISIG reads at most 43.
 */
const LONGEST_STACK = MAX_STACK_SIZE + 50;
/** Signature budget of a tapscript in weight units, in addition to the size of its witness. */
const VALIDATION_WEIGHT_OFFSET = 50;

/**
 * Verifies the spend of a witness program.
 * @returns a ScriptError code; 0 if the spend is allowed
 */
export function verifyWitnessProgram(
  witness: WitnessStack,
  version: number,
  program: Uint8Array,
  flags: number,
  checker: SignatureChecker,
  insideP2sh: boolean,
): number {
  if (version === 0) {
    if (program.length === 32) return verifyScriptHash(witness, program, flags, checker);
    if (program.length === 20) return verifyKeyHash(witness, program, flags, checker);
    return ScriptError.WITNESS_PROGRAM_WRONG_LENGTH;
  }
  if (version === 1 && program.length === 32 && !insideP2sh) {
    return (flags & SCRIPT_VERIFY_TAPROOT) === 0 ? ScriptError.OK : verifyTaproot(witness, program, flags, checker);
  }
  if (!insideP2sh && isPayToAnchor(version, program)) return ScriptError.OK;
  return (flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) !== 0
    ? ScriptError.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM
    : ScriptError.OK;
}

function verifyScriptHash(witness: WitnessStack, program: Uint8Array, flags: number, checker: SignatureChecker): number {
  const script = witness.at(-1);
  if (script === undefined) return ScriptError.WITNESS_PROGRAM_WITNESS_EMPTY;
  if (!equalBytes(checker.crypto.sha256(script), program)) return ScriptError.WITNESS_PROGRAM_MISMATCH;
  // With more items than a stack may have, the script fails at its first operation at the latest. Omit items that this
  // operation cannot reach.
  const stack = witness.slice(Math.max(0, witness.length - 1 - LONGEST_STACK), -1);
  return runStack(stack, script, flags, checker, SigVersion.WITNESS_V0, new TaprootContext());
}

/**
 * Verifies the P2PKH script that the program implies, without running it. The checks are in the order of the script.
 */
function verifyKeyHash(witness: WitnessStack, program: Uint8Array, flags: number, checker: SignatureChecker): number {
  if (witness.length !== 2) return ScriptError.WITNESS_PROGRAM_MISMATCH;
  const [signature, publicKey] = witness.slice() as [Uint8Array, Uint8Array];
  if (signature.length > MAX_SCRIPT_ELEMENT_SIZE || publicKey.length > MAX_SCRIPT_ELEMENT_SIZE) return ScriptError.PUSH_SIZE;
  if (!equalBytes(checker.crypto.hash160(publicKey), program)) return ScriptError.EQUALVERIFY;
  const error = checkSignatureEncoding(signature, flags) || checkPublicKeyEncoding(publicKey, flags, SigVersion.WITNESS_V0);
  if (error !== ScriptError.OK) return error;
  if (checker.checkEcdsa(signature, publicKey, publicKeyHashScript(program), SigVersion.WITNESS_V0)) return ScriptError.OK;
  return (flags & SCRIPT_VERIFY_NULLFAIL) !== 0 && signature.length > 0 ? ScriptError.NULLFAIL : ScriptError.EVAL_FALSE;
}

function verifyTaproot(witness: WitnessStack, outputKey: Uint8Array, flags: number, checker: SignatureChecker): number {
  let count = witness.length;
  const last = witness.at(-1);
  if (last === undefined) return ScriptError.WITNESS_PROGRAM_WITNESS_EMPTY;
  const context = new TaprootContext();
  if (count >= 2 && last.length > 0 && last[0] === ANNEX_TAG) {
    context.annexHash = hashWithSize(last, checker);
    count--;
  }
  if (count === 1) return checker.checkSchnorr(witness.at(0) as Uint8Array, outputKey, SigVersion.TAPROOT, context);
  const [script, control] = witness.slice(count - 2, count) as [Uint8Array, Uint8Array];
  if (!isControlBlockSize(control.length)) return ScriptError.TAPROOT_WRONG_CONTROL_SIZE;
  const leafVersion = control[0] & TAPROOT_LEAF_MASK;
  context.tapleafHash = tapleafHash(leafVersion, script, checker.crypto);
  if (!checkTaprootCommitment(control, outputKey, context.tapleafHash, checker.crypto)) {
    return ScriptError.WITNESS_PROGRAM_MISMATCH;
  }
  if (leafVersion === TAPROOT_LEAF_TAPSCRIPT) {
    const early = checkTapscript(script, count - 2, flags);
    if (early !== NO_ERROR_YET) return early;
    const items = witness.slice();
    context.validationWeightLeft = serializedSize(items) + VALIDATION_WEIGHT_OFFSET;
    return runStack(items.slice(0, count - 2), script, flags, checker, SigVersion.TAPSCRIPT, context);
  }
  return (flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION) !== 0
    ? ScriptError.DISCOURAGE_UPGRADABLE_TAPROOT_VERSION
    : ScriptError.OK;
}

/**
 * Makes the checks that precede the execution of a tapscript.
 * @param count number of items on its initial stack
 * @returns a ScriptError code, or NO_ERROR_YET if the script must run
 */
function checkTapscript(script: Uint8Array, count: number, flags: number): number {
  // An OP_SUCCESS makes the script succeed, unless a truncated push comes before it. This overrides every other rule.
  const token = new ScriptTokenizer(script);
  while (token.next()) {
    if (!isOpSuccess(token.opcode)) continue;
    const discouraged = (flags & SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS) !== 0;
    return discouraged ? ScriptError.DISCOURAGE_OP_SUCCESS : ScriptError.OK;
  }
  if (token.failed) return ScriptError.BAD_OPCODE;
  return count > MAX_STACK_SIZE ? ScriptError.STACK_SIZE : NO_ERROR_YET;
}

function runStack(
  stack: Uint8Array[],
  script: Uint8Array,
  flags: number,
  checker: SignatureChecker,
  sigVersion: SigVersionCode,
  context: TaprootContext,
): number {
  for (const element of stack) if (element.length > MAX_SCRIPT_ELEMENT_SIZE) return ScriptError.PUSH_SIZE;
  const error = evalScript(stack, script, flags, checker, sigVersion, context);
  if (error !== ScriptError.OK) return error;
  if (stack.length !== 1) return ScriptError.CLEANSTACK;
  return castToBool(stack[0]) ? ScriptError.OK : ScriptError.EVAL_FALSE;
}

function hashWithSize(data: Uint8Array, checker: SignatureChecker): Uint8Array {
  const joined = new Uint8Array(5 + data.length);
  const at = writeCompactSize(joined, 0, data.length);
  joined.set(data, at);
  return checker.crypto.sha256(joined.subarray(0, at + data.length));
}

/** Returns the encoded size of a witness stack, including the count. */
function serializedSize(witness: readonly Uint8Array[]): number {
  let size = compactSizeLength(witness.length);
  for (const item of witness) size += compactSizeLength(item.length) + item.length;
  return size;
}
