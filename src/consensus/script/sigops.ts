// Counts signature operations for block limits, by reading scripts without running them. Legacy counting is inaccurate,
// because the rule of the first release is consensus. BIP-0016 and BIP-0141 added rules for P2SH and witnesses.

import type { TxView } from '../tx/tx-view.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from './flags.js';
import { OP } from './opcodes.js';
import { isPacked } from './spent-output.js';
import { isPayToScriptHash, witnessVersion } from './templates.js';
import { ScriptTokenizer } from './tokenizer.js';

/** Kinds of output scripts whose spending adds signature operations to those in the spending transaction itself. */
export const SIGOPS = {
  none: 0,
  /** P2SH: the operations of the redeem script. */
  redeemScript: 1,
  /** A witness program of one key: one operation. */
  witnessKey: 2,
  /** A witness program of a script: the operations of the witness script. */
  witnessScript: 3,
} as const;

type Sigops = (typeof SIGOPS)[keyof typeof SIGOPS];

/**
 * Returns the kind of an output script.
 * @param script may be part of a larger array, from `at` to `end`
 */
export function sigopsOf(script: Uint8Array, at = 0, end: number = script.length): Sigops {
  return isPayToScriptHash(script, at, end) ? SIGOPS.redeemScript : programSigopsOf(script, at, end);
}

/**
 * Returns the kind of a witness program, native or in P2SH (BIP-0141). Taproot programs add no operations, because
 * taproot has a budget of its own.
 */
function programSigopsOf(script: Uint8Array, at = 0, end: number = script.length): Sigops {
  if (witnessVersion(script, at, end) !== 0) return SIGOPS.none;
  const size = end - at - 2;
  return size === 20 ? SIGOPS.witnessKey : size === 32 ? SIGOPS.witnessScript : SIGOPS.none;
}

/** Number of operations that a multisig counts in legacy counting, whatever its key count. */
const MAX_KEYS_PER_MULTISIG = 20;
/** Weight of legacy and P2SH operations; witness operations have weight 1 (BIP-0141). */
export const WITNESS_SCALE_FACTOR = 4;

/**
 * Counts the signature operations in a script. Stops at a truncated push.
 * @param script may be part of a larger array, from `at` to `end`
 * @param accurate count `OP_n OP_CHECKMULTISIG` as n instead of 20
 */
export function countSigops(script: Uint8Array, accurate: boolean, at = 0, end: number = script.length): number {
  // A witness program has no operations: it consists of a number and a push.
  if (end === at || witnessVersion(script, at, end) >= 0) return 0;
  let count = 0;
  let previous: number = OP.OP_INVALIDOPCODE;
  const token = new ScriptTokenizer(script, at, end);
  while (token.next()) {
    const opcode = token.opcode;
    if (opcode === OP.OP_CHECKSIG || opcode === OP.OP_CHECKSIGVERIFY) {
      count++;
    } else if (opcode === OP.OP_CHECKMULTISIG || opcode === OP.OP_CHECKMULTISIGVERIFY) {
      count += accurate && previous >= OP.OP_1 && previous <= OP.OP_16 ? previous - OP.OP_1 + 1 : MAX_KEYS_PER_MULTISIG;
    }
    previous = opcode;
  }
  return count;
}

/** Counts the operations in all scriptSigs and scriptPubKeys of a transaction, with legacy counting. */
export function legacySigops(tx: TxView): number {
  const { buffer } = tx;
  let count = 0;
  for (let i = 0; i < tx.inputCount; i++) {
    const at = tx.scriptSigAt(i);
    count += countSigops(buffer, false, at, at + tx.scriptSigLength(i));
  }
  for (let i = 0; i < tx.outputCount; i++) {
    const at = tx.outputScriptAt(i);
    count += countSigops(buffer, false, at, at + tx.outputScriptLength(i));
  }
  return count;
}

/**
 * Counts the operations in the redeem script accurately, if `spentScript` is P2SH and `scriptSig` has only pushes.
 * Otherwise returns 0.
 */
export function p2shSigops(scriptSig: Uint8Array, spentScript: Uint8Array): number {
  if (!isPayToScriptHash(spentScript)) return 0;
  const redeemScript = lastPush(scriptSig);
  return redeemScript === null ? 0 : countSigops(redeemScript, true);
}

/**
 * Returns a transaction's signature operation cost, which counts towards a block's limit of 80,000.
 * @param spent the spent outputs, in input order; not read for a coinbase
 * @param flags only P2SH and WITNESS matter
 */
export function sigopCost(tx: TxView, spent: readonly { readonly script: Uint8Array }[], flags: number): number {
  let cost = legacySigops(tx) * WITNESS_SCALE_FACTOR;
  if (tx.isCoinbase) return cost;
  const p2sh = (flags & SCRIPT_VERIFY_P2SH) !== 0;
  const segwit = (flags & SCRIPT_VERIFY_WITNESS) !== 0;
  for (let i = 0; i < tx.inputCount; i++) {
    const output = spent[i];
    const adds = isPacked(output) ? output.sigops : sigopsOf(output.script);
    if (adds === SIGOPS.none) continue;
    if (adds !== SIGOPS.redeemScript) {
      if (segwit) cost += programSigops(tx, i, adds);
      continue;
    }
    const redeemScript = lastPush(tx.scriptSig(i));
    if (redeemScript === null) continue;
    if (p2sh) cost += countSigops(redeemScript, true) * WITNESS_SCALE_FACTOR;
    if (segwit) cost += programSigops(tx, i, programSigopsOf(redeemScript));
  }
  return cost;
}

function programSigops(tx: TxView, inputIndex: number, adds: number): number {
  if (adds !== SIGOPS.witnessScript) return adds === SIGOPS.witnessKey ? 1 : 0;
  const script = tx.witnessStack(inputIndex).at(-1);
  return script === undefined ? 0 : countSigops(script, true);
}

/**
 * Returns the data of the last push of a script that has only pushes (empty for OP_1 to OP_16 and OP_1NEGATE); null for
 * any other script.
 */
function lastPush(script: Uint8Array): Uint8Array | null {
  const token = new ScriptTokenizer(script);
  while (token.next()) if (token.opcode > OP.OP_16) return null;
  return token.failed ? null : token.data();
}
