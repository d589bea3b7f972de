// Parses a transaction from a user, whose format is uncertain: a legacy transaction without inputs looks like one in
// the extended format. Tries the formats in the order of Core's DecodeHexTx.

import type { Hashes } from '../../crypto/crypto.js';
import { DecodeError } from '../bytes/reader.js';
import { parseTx, type TxView } from './tx-view.js';

const MAX_SCRIPT_SIZE = 10_000;
const MAX_PUSH_SIZE = 520;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA2 = 0x4d;
const OP_PUSHDATA4 = 0x4e;
// Highest opcode in scripts that count as plausible, OP_NOP10. OP_CHECKSIGADD (0xba) is newer, and Core's check does
// not include it either.
const MAX_OPCODE = 0xb9;

/** Formats to try. */
export interface LenientOptions {
  /** Try the extended format; default true. */
  tryWitness?: boolean;
  /** Try the legacy format; default true. False for sendrawtransaction and signing calls, as in Core. */
  tryNoWitness?: boolean;
}

/**
 * Parses bytes that must be exactly one transaction. Tries the extended format first. If both formats fit, the one with
 * plausible scripts is chosen.
 * @throws DecodeError if neither format fits
 */
export function parseTxLenient(bytes: Uint8Array, hashes: Hashes, opts: LenientOptions = {}): TxView {
  const extended = (opts.tryWitness ?? true) ? attempt(bytes, hashes, true) : null;
  if (extended !== null && hasSaneScripts(extended)) return extended;
  const legacy = (opts.tryNoWitness ?? true) ? attempt(bytes, hashes, false) : null;
  if (legacy !== null && hasSaneScripts(legacy)) return legacy;
  const either = extended ?? legacy;
  if (either === null) throw new DecodeError('not a transaction in any format');
  return either;
}

function attempt(bytes: Uint8Array, hashes: Hashes, allowWitness: boolean): TxView | null {
  try {
    return parseTx(bytes, hashes, { allowWitness, exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function hasSaneScripts(tx: TxView): boolean {
  if (!tx.isCoinbase) {
    for (let i = 0; i < tx.inputCount; i++) if (tx.scriptSigLength(i) > 0 && !isSaneScript(tx.scriptSig(i))) return false;
  }
  for (let i = 0; i < tx.outputCount; i++) if (!isSaneScript(tx.outputScript(i))) return false;
  return true;
}

/** Returns whether all operations of a script are complete, known, and within the interpreter's limits. */
function isSaneScript(script: Uint8Array): boolean {
  if (script.length > MAX_SCRIPT_SIZE) return false;
  let at = 0;
  while (at < script.length) {
    const op = script[at++];
    if (op > MAX_OPCODE) return false;
    if (op > OP_PUSHDATA4) continue;
    let size = op;
    const lengthBytes = op < OP_PUSHDATA1 ? 0 : op === OP_PUSHDATA1 ? 1 : op === OP_PUSHDATA2 ? 2 : 4;
    if (lengthBytes > script.length - at) return false;
    if (lengthBytes > 0) {
      size = 0;
      for (let k = lengthBytes - 1; k >= 0; k--) size = size * 256 + script[at + k];
      at += lengthBytes;
    }
    if (size > script.length - at || size > MAX_PUSH_SIZE) return false;
    at += size;
  }
  return true;
}
