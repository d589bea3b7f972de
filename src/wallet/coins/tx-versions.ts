import { compareBytes } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';

/** Compares two versions of a transaction by Core's preference outside of blocks. */
export function compareVersions(a: TxView, b: TxView): number {
  return Number(b.hasWitness) - Number(a.hasWitness) || a.weight - b.weight || compareBytes(a.wtxid, b.wtxid);
}

/** Returns whether two transactions are equal except for their signatures. */
export function sameButSignatures(a: TxView, b: TxView): boolean {
  if (a.inputCount !== b.inputCount || a.version !== b.version || a.locktime !== b.locktime) return false;
  for (let i = 0; i < a.inputCount; i++) {
    if (a.sequence(i) !== b.sequence(i) || Buffer.compare(a.outpoint(i), b.outpoint(i)) !== 0) return false;
  }
  return Buffer.compare(a.outputsSerialized, b.outputsSerialized) === 0;
}
