// All reject reasons of consensus; the compiler checks every use. Strings are Bitcoin Core's, byte for byte, because
// miners and tools compare them. Policy has its own list.

import type { Reject, RejectCategory } from '../state.js';

/** Reasons of consensus rules. */
export type ConsensusReason =
  // Blocks alone.
  | 'high-hash'
  | 'bad-signet-blksig'
  | 'bad-txnmrklroot'
  | 'bad-txns-duplicate'
  | 'bad-blk-length'
  | 'bad-cb-missing'
  | 'bad-cb-multiple'
  | 'bad-blk-sigops'
  // Transactions alone.
  | 'bad-txns-vin-empty'
  | 'bad-txns-vout-empty'
  | 'bad-txns-oversize'
  | 'bad-txns-vout-negative'
  | 'bad-txns-vout-toolarge'
  | 'bad-txns-txouttotal-toolarge'
  | 'bad-txns-inputs-duplicate'
  | 'bad-cb-length'
  | 'bad-txns-prevout-null'
  // Headers in their chain.
  | 'duplicate'
  | 'prev-blk-not-found'
  | 'bad-prevblk'
  | 'bad-diffbits'
  | 'bad-fork-prior-to-checkpoint'
  | 'time-too-old'
  | 'time-timewarp-attack'
  | 'time-negative-interval'
  | 'time-too-new'
  | `bad-version(0x${string})`
  // Blocks in their chain.
  | 'bad-txns-nonfinal'
  | 'bad-cb-height'
  | 'bad-cb-locktime'
  | 'bad-cb-sequence'
  | 'bad-txns-size'
  | 'bad-witness-nonce-size'
  | 'bad-witness-merkle-match'
  | 'unexpected-witness'
  | 'bad-blk-weight'
  // Blocks and transactions against the coins.
  | 'bad-txns-BIP30'
  | 'bad-txns-inputs-missingorspent'
  | 'bad-txns-premature-spend-of-coinbase'
  | 'bad-txns-inputvalues-outofrange'
  | 'bad-txns-in-belowout'
  | 'bad-txns-fee-outofrange'
  | 'bad-txns-accumulated-fee-outofrange'
  | 'bad-txns-legacy-sigops'
  | 'bad-cb-amount'
  // Scripts; which one applies depends on how they were run.
  | 'block-validation-failed'
  | `block-script-verify-flag-failed (${string})`
  | `mandatory-script-verify-flag-failed (${string})`
  | `non-mandatory-script-verify-flag (${string})`;

/** Creates a reject for a failed consensus rule. */
export function reject(category: RejectCategory, reason: ConsensusReason, debug = ''): Reject {
  return { category, reason, debug };
}
