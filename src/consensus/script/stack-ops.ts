// The opcodes that move and compare stack elements, OP_TOALTSTACK (6b) to OP_EQUALVERIFY (88).

import { equalBytes } from '../bytes/hex.js';
import { castToBool, decodeNumber, encodeNumber } from './number.js';
import { OP } from './opcodes.js';
import { ScriptError } from './script-error.js';
import type { ScriptRun } from './script-run.js';

/** Boolean results of opcodes. All scripts share these arrays, because stack elements are never modified. */
export const TRUE = Uint8Array.of(1);
export const FALSE = new Uint8Array(0);

// Number of stack elements that each opcode needs. Opcodes without an entry need none, or check the number themselves.
const NEEDS = new Uint8Array(256);
for (const [count, opcodes] of [
  [1, [OP.OP_TOALTSTACK, OP.OP_IFDUP, OP.OP_DROP, OP.OP_DUP, OP.OP_SIZE]],
  [2, [OP.OP_2DROP, OP.OP_2DUP, OP.OP_NIP, OP.OP_OVER, OP.OP_PICK, OP.OP_ROLL, OP.OP_SWAP, OP.OP_TUCK]],
  [2, [OP.OP_EQUAL, OP.OP_EQUALVERIFY]],
  [3, [OP.OP_3DUP, OP.OP_ROT]],
  [4, [OP.OP_2OVER, OP.OP_2SWAP]],
  [6, [OP.OP_2ROT]],
] as const) {
  for (const opcode of opcodes) NEEDS[opcode] = count;
}

/** Runs one stack opcode. @returns a ScriptError code */
export function runStackOp(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  const size = stack.length;
  if (size < NEEDS[opcode]) return ScriptError.INVALID_STACK_OPERATION;
  switch (opcode) {
    case OP.OP_TOALTSTACK:
      run.altStack.push(stack[size - 1]);
      stack.pop();
      return ScriptError.OK;
    case OP.OP_FROMALTSTACK: {
      const top = run.altStack.pop();
      if (top === undefined) return ScriptError.INVALID_ALTSTACK_OPERATION;
      stack.push(top);
      return ScriptError.OK;
    }
    case OP.OP_2DROP:
      stack.length = size - 2;
      return ScriptError.OK;
    case OP.OP_2DUP:
      stack.push(stack[size - 2], stack[size - 1]);
      return ScriptError.OK;
    case OP.OP_3DUP:
      stack.push(stack[size - 3], stack[size - 2], stack[size - 1]);
      return ScriptError.OK;
    case OP.OP_2OVER:
      stack.push(stack[size - 4], stack[size - 3]);
      return ScriptError.OK;
    case OP.OP_2ROT:
      stack.push(...stack.splice(size - 6, 2));
      return ScriptError.OK;
    case OP.OP_2SWAP:
      swap(stack, size - 4, size - 2);
      swap(stack, size - 3, size - 1);
      return ScriptError.OK;
    case OP.OP_IFDUP:
      if (castToBool(stack[size - 1])) stack.push(stack[size - 1]);
      return ScriptError.OK;
    case OP.OP_DEPTH:
      stack.push(encodeNumber(size));
      return ScriptError.OK;
    case OP.OP_DROP:
      stack.pop();
      return ScriptError.OK;
    case OP.OP_DUP:
      stack.push(stack[size - 1]);
      return ScriptError.OK;
    case OP.OP_NIP:
      stack[size - 2] = stack[size - 1];
      stack.pop();
      return ScriptError.OK;
    case OP.OP_OVER:
      stack.push(stack[size - 2]);
      return ScriptError.OK;
    case OP.OP_PICK:
    case OP.OP_ROLL:
      return pickOrRoll(run, opcode);
    case OP.OP_ROT:
      swap(stack, size - 3, size - 2);
      swap(stack, size - 2, size - 1);
      return ScriptError.OK;
    case OP.OP_SWAP:
      swap(stack, size - 2, size - 1);
      return ScriptError.OK;
    case OP.OP_TUCK:
      stack.splice(size - 2, 0, stack[size - 1]);
      return ScriptError.OK;
    case OP.OP_SIZE:
      stack.push(encodeNumber(stack[size - 1].length));
      return ScriptError.OK;
    case OP.OP_EQUAL:
    case OP.OP_EQUALVERIFY: {
      const equal = equalBytes(stack[size - 2], stack[size - 1]);
      stack.length = size - 2;
      if (opcode === OP.OP_EQUAL) stack.push(equal ? TRUE : FALSE);
      else if (!equal) return ScriptError.EQUALVERIFY;
      return ScriptError.OK;
    }
    default:
      return ScriptError.BAD_OPCODE;
  }
}

function pickOrRoll(run: ScriptRun, opcode: number): number {
  const { stack } = run;
  const depth = decodeNumber(stack[stack.length - 1], run.minimal);
  if (Number.isNaN(depth)) return ScriptError.SCRIPTNUM;
  stack.pop();
  if (depth < 0 || depth >= stack.length) return ScriptError.INVALID_STACK_OPERATION;
  const at = stack.length - depth - 1;
  const element = stack[at];
  if (opcode === OP.OP_ROLL) stack.splice(at, 1);
  stack.push(element);
  return ScriptError.OK;
}

function swap(stack: Uint8Array[], a: number, b: number): void {
  const first = stack[a];
  stack[a] = stack[b];
  stack[b] = first;
}
