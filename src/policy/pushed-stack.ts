// Computes the stack that a push-only scriptSig leaves, without running the interpreter. This is faster, and enough for
// the standardness rules of inputs.
import { OP } from '../consensus/script/opcodes.js';
import { ScriptError, type ScriptErrorCode } from '../consensus/script/script-error.js';
import { ScriptTokenizer } from '../consensus/script/tokenizer.js';

const MAX_PUSH_BYTES = 520;
const MAX_STACK_ITEMS = 1000;

/**
 * Returns the stack after a push-only script has run.
 * @returns the items, bottom first; or the error with which the script would fail
 */
export function pushedStack(script: Uint8Array): Uint8Array[] | ScriptErrorCode {
  const stack: Uint8Array[] = [];
  const token = new ScriptTokenizer(script);
  while (token.next()) {
    if (token.opcode <= OP.OP_PUSHDATA4) {
      if (token.dataLength > MAX_PUSH_BYTES) return ScriptError.PUSH_SIZE;
      stack.push(token.data());
    } else if (token.opcode === OP.OP_1NEGATE) {
      stack.push(Uint8Array.of(0x81));
    } else if (token.opcode >= OP.OP_1 && token.opcode <= OP.OP_16) {
      stack.push(Uint8Array.of(token.opcode - OP.OP_1 + 1));
    } else {
      // OP_RESERVED counts as a push, but fails when it is executed.
      return ScriptError.BAD_OPCODE;
    }
    if (stack.length > MAX_STACK_ITEMS) return ScriptError.STACK_SIZE;
  }
  return token.failed ? ScriptError.BAD_OPCODE : stack;
}
