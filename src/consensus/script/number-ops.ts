// The arithmetic opcodes, OP_1ADD (8b) to OP_WITHIN (a5). Operands have at most 4 bytes. A result of 5 bytes may stay
// on the stack, but cannot be an operand of a further arithmetic opcode.

import { decodeNumber, encodeNumber } from './number.js';
import { OP } from './opcodes.js';
import { ScriptError } from './script-error.js';
import type { ScriptRun } from './script-run.js';
import { FALSE, TRUE } from './stack-ops.js';

/** Runs one arithmetic opcode. @returns a ScriptError code */
export function runNumberOp(run: ScriptRun, opcode: number): number {
  if (opcode === OP.OP_RESERVED1 || opcode === OP.OP_RESERVED2) return ScriptError.BAD_OPCODE;
  if (opcode <= OP.OP_0NOTEQUAL) return runUnary(run, opcode);
  if (opcode <= OP.OP_MAX) return runBinary(run, opcode);
  return runWithin(run);
}

function runUnary(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  if (stack.length < 1) return ScriptError.INVALID_STACK_OPERATION;
  const n = decodeNumber(stack[stack.length - 1], run.minimal);
  if (Number.isNaN(n)) return ScriptError.SCRIPTNUM;
  const result = unary(opcode, n);
  if (Number.isNaN(result)) return ScriptError.BAD_OPCODE;
  stack[stack.length - 1] = encodeNumber(result);
  return ScriptError.OK;
}

function unary(opcode: number, n: number): number {
  switch (opcode) {
    case OP.OP_1ADD:
      return n + 1;
    case OP.OP_1SUB:
      return n - 1;
    case OP.OP_NEGATE:
      return 0 - n;
    case OP.OP_ABS:
      return Math.abs(n);
    case OP.OP_NOT:
      return n === 0 ? 1 : 0;
    case OP.OP_0NOTEQUAL:
      return n === 0 ? 0 : 1;
    default:
      return Number.NaN;
  }
}

function runBinary(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  const size = stack.length;
  if (size < 2) return ScriptError.INVALID_STACK_OPERATION;
  const a = decodeNumber(stack[size - 2], run.minimal);
  const b = decodeNumber(stack[size - 1], run.minimal);
  if (Number.isNaN(a) || Number.isNaN(b)) return ScriptError.SCRIPTNUM;
  const result = binary(opcode, a, b);
  if (Number.isNaN(result)) return ScriptError.BAD_OPCODE;
  stack.length = size - 2;
  if (opcode === OP.OP_NUMEQUALVERIFY) return result === 1 ? ScriptError.OK : ScriptError.NUMEQUALVERIFY;
  stack.push(encodeNumber(result));
  return ScriptError.OK;
}

function binary(opcode: number, a: number, b: number): number {
  switch (opcode) {
    case OP.OP_ADD:
      return a + b;
    case OP.OP_SUB:
      return a - b;
    case OP.OP_BOOLAND:
      return a !== 0 && b !== 0 ? 1 : 0;
    case OP.OP_BOOLOR:
      return a !== 0 || b !== 0 ? 1 : 0;
    case OP.OP_NUMEQUAL:
    case OP.OP_NUMEQUALVERIFY:
      return a === b ? 1 : 0;
    case OP.OP_NUMNOTEQUAL:
      return a !== b ? 1 : 0;
    case OP.OP_LESSTHAN:
      return a < b ? 1 : 0;
    case OP.OP_GREATERTHAN:
      return a > b ? 1 : 0;
    case OP.OP_LESSTHANOREQUAL:
      return a <= b ? 1 : 0;
    case OP.OP_GREATERTHANOREQUAL:
      return a >= b ? 1 : 0;
    case OP.OP_MIN:
      return Math.min(a, b);
    case OP.OP_MAX:
      return Math.max(a, b);
    default:
      return Number.NaN;
  }
}

function runWithin(run: ScriptRun): number {
  const { stack } = run;
  const size = stack.length;
  if (size < 3) return ScriptError.INVALID_STACK_OPERATION;
  const n = decodeNumber(stack[size - 3], run.minimal);
  const low = decodeNumber(stack[size - 2], run.minimal);
  const high = decodeNumber(stack[size - 1], run.minimal);
  if (Number.isNaN(n) || Number.isNaN(low) || Number.isNaN(high)) return ScriptError.SCRIPTNUM;
  stack.length = size - 3;
  stack.push(low <= n && n < high ? TRUE : FALSE);
  return ScriptError.OK;
}
