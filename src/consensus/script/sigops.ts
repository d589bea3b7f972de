// Signature operations as block limits count them: by reading scripts, not by running them. Used by block rules, policy
// and the template. Legacy counting is inaccurate on purpose: it is the rule of the first release; BIP-0016 and
// BIP-0141 added theirs.

import type { TxView } from '../tx/tx-view.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from './flags.js';
import { OP } from './opcodes.js';
import { isPacked } from './spent-output.js';
import { isPayToScriptHash, witnessVersion } from './templates.js';
import { ScriptTokenizer } from './tokenizer.js';

/** Which operations spending an output adds, beside those that stand in the transaction itself. */
export const SIGOPS = {
  none: 0,
  /** P2SH: those of the redeem script. */
  redeemScript: 1,
  /** A witness program of one key: one. */
  witnessKey: 2,
  /** A witness program of a script: those of the witness script. */
  witnessScript: 3,
} as const;

/** One of SIGOPS. */
type Sigops = (typeof SIGOPS)[keyof typeof SIGOPS];

/** Which of them an output script adds. @param script may lie in a larger array, from `at` to `end` */
export function sigopsOf(script: Uint8Array, at = 0, end: number = script.length): Sigops {
  return isPayToScriptHash(script, at, end) ? SIGOPS.redeemScript : programSigopsOf(script, at, end);
}

/** The same of a witness program, native or in P2SH (BIP-0141); taproot has its own budget and adds none. */
function programSigopsOf(script: Uint8Array, at = 0, end: number = script.length): Sigops {
  if (witnessVersion(script, at, end) !== 0) return SIGOPS.none;
  const size = end - at - 2;
  return size === 20 ? SIGOPS.witnessKey : size === 32 ? SIGOPS.witnessScript : SIGOPS.none;
}

/** Operations that a multisig counts as when its key count is not read. */
const MAX_KEYS_PER_MULTISIG = 20;
/** Legacy and P2SH operations weigh this much; witness ones weigh 1 (BIP-0141). */
export const WITNESS_SCALE_FACTOR = 4;

/**
 * Signature operations in a script; counting stops where the script stops being readable.
 * @param script may lie in a larger array, from `at` to `end`
 * @param accurate count `OP_n OP_CHECKMULTISIG` as n instead of 20
 */
export function countSigops(script: Uint8Array, accurate: boolean, at = 0, end: number = script.length): number {
  // A witness program is a number and a push.
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

/** Operations in all scriptSigs and scriptPubKeys of a transaction, inaccurate. */
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

/** Accurate operations in the redeem script, when `spentScript` is P2SH and `scriptSig` only pushes; else 0. */
export function p2shSigops(scriptSig: Uint8Array, spentScript: Uint8Array): number {
  if (!isPayToScriptHash(spentScript)) return 0;
  const redeemScript = lastPush(scriptSig);
  return redeemScript === null ? 0 : countSigops(redeemScript, true);
}

/**
 * The cost that a block's limit of 80,000 adds up.
 * @param spent the outputs spent, in input order; not read for a coinbase
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

/** Data of the last push of a script that only pushes (empty for OP_1 and the like); null for any other script. */
function lastPush(script: Uint8Array): Uint8Array | null {
  const token = new ScriptTokenizer(script);
  while (token.next()) if (token.opcode > OP.OP_16) return null;
  return token.failed ? null : token.data();
}
