// Runs one script on a stack: limits, pushes, flow control, and dispatch of the other opcodes to stack-ops.ts,
// number-ops.ts and signature-ops.ts. Rules as in Bitcoin Core's interpreter; errors are codes.

import type { SignatureChecker } from './checker.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_CONST_SCRIPTCODE,
  SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS,
  SCRIPT_VERIFY_MINIMALIF,
} from './flags.js';
import { castToBool, decodeNumber, encodeNumber } from './number.js';
import { runNumberOp } from './number-ops.js';
import { OP } from './opcodes.js';
import { ScriptError } from './script-error.js';
import { ScriptRun } from './script-run.js';
import { NO_CODE_SEPARATOR, SigVersion, type SigVersionCode, TaprootContext } from './sig-version.js';
import { runSignatureOp } from './signature-ops.js';
import { runStackOp } from './stack-ops.js';
import { isMinimalPush, ScriptTokenizer } from './tokenizer.js';

/** Largest legacy or segwit v0 script in bytes. */
export const MAX_SCRIPT_SIZE = 10_000;
/** Largest stack element in bytes. */
export const MAX_SCRIPT_ELEMENT_SIZE = 520;
/** Largest number of elements on both stacks together. */
export const MAX_STACK_SIZE = 1000;
/**
 * Largest number of opcodes above OP_16 in a legacy or segwit v0 script, in executed branches or not. The keys of an
 * executed multisig count too.
 */
export const MAX_OPS_PER_SCRIPT = 201;

// Largest size in bytes of the argument of CLTV and CSV, because times need more than 4 bytes from 2038 on (BIP-0065).
const LOCK_NUMBER_SIZE = 5;
const SEQUENCE_DISABLE = 0x80000000;

/**
 * Runs a script.
 * @param stack bottom first; the array is changed in place, its elements are not
 * @param taproot data for tapscript signatures; for other versions pass a new object
 * @returns a ScriptError code; the caller checks the final stack
 */
export function evalScript(
  stack: Uint8Array[],
  script: Uint8Array,
  flags: number,
  checker: SignatureChecker,
  sigVersion: SigVersionCode,
  taproot: TaprootContext = new TaprootContext(),
): number {
  const limited = sigVersion === SigVersion.BASE || sigVersion === SigVersion.WITNESS_V0;
  if (limited && script.length > MAX_SCRIPT_SIZE) return ScriptError.SCRIPT_SIZE;
  taproot.codeSeparatorPos = NO_CODE_SEPARATOR;
  const run = new ScriptRun(stack, script, flags, checker, sigVersion, taproot);
  const { altStack, minimal } = run;
  const constCode = sigVersion === SigVersion.BASE && (flags & SCRIPT_VERIFY_CONST_SCRIPTCODE) !== 0;
  const token = new ScriptTokenizer(script);
  // Number of open IFs, and depth of the outermost IF whose branch is not executed (-1: all are executed). Further IFs
  // inside such a branch have no effect.
  let depth = 0;
  let firstFalse = -1;

  for (let index = 0; token.next(); index++) {
    const opcode = token.opcode;
    const executed = firstFalse === -1;
    if (token.dataEnd - token.dataStart > MAX_SCRIPT_ELEMENT_SIZE) return ScriptError.PUSH_SIZE;
    if (limited && opcode > OP.OP_16 && ++run.opCount > MAX_OPS_PER_SCRIPT) return ScriptError.OP_COUNT;
    if (isDisabled(opcode)) return ScriptError.DISABLED_OPCODE;
    if (constCode && opcode === OP.OP_CODESEPARATOR) return ScriptError.OP_CODESEPARATOR;

    if (opcode <= OP.OP_PUSHDATA4) {
      if (!executed) continue;
      const data = token.data();
      if (minimal && !isMinimalPush(opcode, data)) return ScriptError.MINIMALDATA;
      stack.push(data);
    } else if (opcode >= OP.OP_IF && opcode <= OP.OP_ENDIF) {
      // Opcodes in this range are checked even in branches that are not executed, so VERIF and VERNOTIF always fail.
      switch (opcode) {
        case OP.OP_IF:
        case OP.OP_NOTIF: {
          let taken = false;
          if (executed) {
            const error = checkIfArgument(run);
            if (error !== ScriptError.OK) return error;
            taken = castToBool(stack[stack.length - 1]) === (opcode === OP.OP_IF);
            stack.pop();
          }
          if (!taken && firstFalse === -1) firstFalse = depth;
          depth++;
          break;
        }
        case OP.OP_ELSE:
          if (depth === 0) return ScriptError.UNBALANCED_CONDITIONAL;
          if (firstFalse === -1) firstFalse = depth - 1;
          else if (firstFalse === depth - 1) firstFalse = -1;
          break;
        case OP.OP_ENDIF:
          if (depth === 0) return ScriptError.UNBALANCED_CONDITIONAL;
          depth--;
          if (firstFalse === depth) firstFalse = -1;
          break;
        default:
          return ScriptError.BAD_OPCODE;
      }
    } else if (executed) {
      let error: number;
      if (opcode <= OP.OP_16) error = pushSmallNumber(stack, opcode);
      else if (opcode <= OP.OP_RETURN) error = runControlOp(run, opcode);
      else if (opcode <= OP.OP_EQUALVERIFY) error = runStackOp(run, opcode);
      else if (opcode <= OP.OP_WITHIN) error = runNumberOp(run, opcode);
      else if (opcode === OP.OP_CODESEPARATOR) {
        run.codeStart = token.pos;
        taproot.codeSeparatorPos = index;
        error = ScriptError.OK;
      } else if (opcode <= OP.OP_CHECKMULTISIGVERIFY || opcode === OP.OP_CHECKSIGADD) error = runSignatureOp(run, opcode);
      else error = runUpgradableOp(run, opcode);
      if (error !== ScriptError.OK) return error;
    }
    if (stack.length + altStack.length > MAX_STACK_SIZE) return ScriptError.STACK_SIZE;
  }
  if (token.failed) return ScriptError.BAD_OPCODE;
  return depth === 0 ? ScriptError.OK : ScriptError.UNBALANCED_CONDITIONAL;
}

/**
 * Returns whether an opcode was disabled in 2010 (CVE-2010-5137). A script that contains such an opcode fails, even if
 * the opcode is in a branch that is not executed. In tapscript these opcodes are OP_SUCCESS.
 */
function isDisabled(opcode: number): boolean {
  if (opcode < OP.OP_CAT || opcode > OP.OP_RSHIFT) return false;
  return (
    opcode <= OP.OP_RIGHT ||
    (opcode >= OP.OP_INVERT && opcode <= OP.OP_XOR) ||
    opcode === OP.OP_2MUL ||
    opcode === OP.OP_2DIV ||
    opcode >= OP.OP_MUL
  );
}

function checkIfArgument(run: ScriptRun): number {
  const { stack, sigVersion } = run;
  if (stack.length < 1) return ScriptError.IF_WITHOUT_CONDITION;
  if (sigVersion === SigVersion.BASE) return ScriptError.OK;
  const top = stack[stack.length - 1];
  if (top.length === 0 || (top.length === 1 && top[0] === 1)) return ScriptError.OK;
  // The rule is consensus in tapscript and policy in witness version 0.
  if (sigVersion === SigVersion.TAPSCRIPT) return ScriptError.TAPSCRIPT_MINIMALIF;
  return (run.flags & SCRIPT_VERIFY_MINIMALIF) !== 0 ? ScriptError.MINIMALIF : ScriptError.OK;
}

const SMALL_NUMBERS: readonly Uint8Array[] = Array.from({ length: 18 }, (_, i) => encodeNumber(i - 1));

/** Runs OP_1NEGATE and OP_1 to OP_16; OP_RESERVED is between them. */
function pushSmallNumber(stack: Uint8Array[], opcode: number): number {
  if (opcode === OP.OP_RESERVED) return ScriptError.BAD_OPCODE;
  stack.push(SMALL_NUMBERS[opcode - OP.OP_RESERVED + 1]);
  return ScriptError.OK;
}

/** Runs the opcodes from OP_NOP to OP_RETURN, except the conditionals. */
function runControlOp(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  switch (opcode) {
    case OP.OP_NOP:
      return ScriptError.OK;
    case OP.OP_VERIFY:
      if (stack.length < 1) return ScriptError.INVALID_STACK_OPERATION;
      if (!castToBool(stack[stack.length - 1])) return ScriptError.VERIFY;
      stack.pop();
      return ScriptError.OK;
    case OP.OP_RETURN:
      return ScriptError.OP_RETURN;
    default:
      return ScriptError.BAD_OPCODE;
  }
}

/**
 * Runs OP_NOP1 to OP_NOP10, of which OP_NOP2 (CLTV) and OP_NOP3 (CSV) have a meaning. Opcodes above OP_NOP10
 * are undefined and fail.
 */
function runUpgradableOp(run: ScriptRun, opcode: number): number {
  const { flags, stack } = run;
  if (opcode > OP.OP_NOP10) return ScriptError.BAD_OPCODE;
  if (opcode === OP.OP_CHECKLOCKTIMEVERIFY) {
    if ((flags & SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY) === 0) return ScriptError.OK;
  } else if (opcode === OP.OP_CHECKSEQUENCEVERIFY) {
    if ((flags & SCRIPT_VERIFY_CHECKSEQUENCEVERIFY) === 0) return ScriptError.OK;
  } else {
    const discouraged = (flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS) !== 0;
    return discouraged ? ScriptError.DISCOURAGE_UPGRADABLE_NOPS : ScriptError.OK;
  }
  if (stack.length < 1) return ScriptError.INVALID_STACK_OPERATION;
  const lock = decodeNumber(stack[stack.length - 1], run.minimal, LOCK_NUMBER_SIZE);
  if (Number.isNaN(lock)) return ScriptError.SCRIPTNUM;
  if (lock < 0) return ScriptError.NEGATIVE_LOCKTIME;
  let satisfied: boolean;
  if (opcode === OP.OP_CHECKLOCKTIMEVERIFY) satisfied = run.checker.checkLockTime(lock);
  else satisfied = (lock & SEQUENCE_DISABLE) !== 0 || run.checker.checkSequence(lock);
  return satisfied ? ScriptError.OK : ScriptError.UNSATISFIED_LOCKTIME;
}
