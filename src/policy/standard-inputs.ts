// Standardness of inputs and witnesses: Core 0.21's AreInputsStandard and IsWitnessStandard. The rules limit the work
// of script checks before any script runs.

import { OP } from '../consensus/script/opcodes.js';
import { ScriptError, type ScriptErrorCode, scriptErrorText } from '../consensus/script/script-error.js';
import { countSigops } from '../consensus/script/sigops.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { isPayToAnchor, isPayToScriptHash, witnessVersion } from '../consensus/script/templates.js';
import { ScriptTokenizer } from '../consensus/script/tokenizer.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { scriptType } from './script-type.js';

// Computes the stack that a push-only scriptSig leaves, without running the interpreter. This is faster, and enough for
// the standardness rules of inputs.

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

const MAX_P2SH_SIGOPS = 15;
const MAX_P2WSH_SCRIPT_BYTES = 3600;
const MAX_P2WSH_STACK_ITEMS = 100;
const MAX_WITNESS_ITEM_BYTES = 80;
const ANNEX_TAG = 0x50;
const TAPROOT_LEAF_MASK = 0xfe;
const TAPROOT_LEAF_TAPSCRIPT = 0xc0;

/**
 * Returns a description of the first input that is not standard; null if all are. Each spent output must have a type
 * that consensus or policy defines, and a P2SH redeem script must not have too many signature operations.
 * @param spent one per input
 */
export function inputsFault(
  tx: TxView,
  spent: readonly SpentOutput[],
  { taprootActive, anchors }: { readonly taprootActive: boolean; readonly anchors: boolean },
): string | null {
  for (let i = 0; i < tx.inputCount; i++) {
    const type = scriptType(spent[i].script);
    if (type === 'nonstandard') return `input ${i} script unknown`;
    if (type === 'witness_unknown' || (type === 'anchor' && !anchors) || (type === 'witness_v1_taproot' && !taprootActive)) {
      return `input ${i} witness program is undefined`;
    }
    if (type === 'scripthash') {
      const stack = pushedStack(tx.scriptSig(i));
      if (typeof stack === 'number') return `p2sh scriptsig malformed (input ${i}: ${scriptErrorText(stack)})`;
      if (stack.length === 0) return `input ${i} P2SH redeemscript missing`;
      const sigops = countSigops(stack[stack.length - 1], true);
      if (sigops > MAX_P2SH_SIGOPS) return `p2sh redeemscript sigops exceed limit (input ${i}: ${sigops} > ${MAX_P2SH_SIGOPS})`;
    }
  }
  return null;
}

/**
 * Returns whether every witness belongs to a witness program and has an ordinary size.
 * @param spent one per input
 */
export function witnessIsStandard(tx: TxView, spent: readonly SpentOutput[]): boolean {
  for (let i = 0; i < tx.inputCount; i++) {
    if (tx.witnessCount(i) === 0) continue;
    let program = spent[i].script;
    // An anchor needs no witness, so a witness for it is not standard.
    if (witnessVersion(program) === 1 && isPayToAnchor(1, program.subarray(2))) return false;
    const nested = isPayToScriptHash(program);
    if (nested) {
      // The last stack item of the scriptSig is the redeem script. It is not known yet whether its hash is right.
      const stack = pushedStack(tx.scriptSig(i));
      if (typeof stack === 'number' || stack.length === 0) return false;
      program = stack[stack.length - 1];
    }
    const version = witnessVersion(program);
    if (version < 0) return false;
    if (program.length !== 34) continue;
    if (version === 0 && !p2wshIsStandard(tx, i)) return false;
    if (version === 1 && !nested && !taprootIsStandard(tx, i)) return false;
  }
  return true;
}

/**
 * Returns whether a spent output is a witness program that needs a witness (Core's SpendsNonAnchorWitnessProg). If so,
 * a transaction without a witness may be a copy from which the witness was removed.
 * @param spent one per input
 */
export function spendsWitnessProgram(tx: TxView, spent: readonly SpentOutput[]): boolean {
  for (let i = 0; i < tx.inputCount; i++) {
    const { script } = spent[i];
    const version = witnessVersion(script);
    if (version >= 0 && !isPayToAnchor(version, script.subarray(2))) return true;
    if (!isPayToScriptHash(script)) continue;
    // If the scriptSig fails, there is no redeem script.
    const stack = pushedStack(tx.scriptSig(i));
    const redeem = typeof stack === 'number' ? undefined : stack.at(-1);
    if (redeem !== undefined && witnessVersion(redeem) >= 0) return true;
  }
  return false;
}

function p2wshIsStandard(tx: TxView, input: number): boolean {
  const script = tx.witnessStack(input).at(-1) as Uint8Array;
  const items = tx.witnessCount(input) - 1;
  if (script.length > MAX_P2WSH_SCRIPT_BYTES || items > MAX_P2WSH_STACK_ITEMS) return false;
  return itemsAreSmall(tx, input, [script]);
}

function taprootIsStandard(tx: TxView, input: number): boolean {
  const count = tx.witnessCount(input);
  if (count < 2) return true;
  const [script, last] = tx.witnessStack(input).slice(-2) as [Uint8Array, Uint8Array];
  if (last.length === 0) return false;
  // An annex has no defined meaning yet, so it is not standard.
  if (last[0] === ANNEX_TAG) return false;
  return (last[0] & TAPROOT_LEAF_MASK) !== TAPROOT_LEAF_TAPSCRIPT || itemsAreSmall(tx, input, [script, last]);
}

/** Returns whether all witness items are small, except for the last ones, which the caller has checked. */
function itemsAreSmall(tx: TxView, input: number, last: readonly Uint8Array[]): boolean {
  const isLarge = (length: number): number => (length > MAX_WITNESS_ITEM_BYTES ? 1 : 0);
  return tx.sumOfWitness(input, isLarge) === last.reduce((sum, { length }) => sum + isLarge(length), 0);
}
