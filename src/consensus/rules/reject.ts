// All reject reasons of consensus; the compiler checks every use. The strings are exactly Bitcoin Core's, because
// miners and tools compare them. Policy has a list of its own.

import type { Reject, RejectCategory } from '../state.js';

/** Reasons of consensus rules. */
export type ConsensusReason =
  // Faults of a block alone.
  | 'high-hash'
  | 'bad-signet-blksig'
  | 'bad-txnmrklroot'
  | 'bad-txns-duplicate'
  | 'bad-blk-length'
  | 'bad-cb-missing'
  | 'bad-cb-multiple'
  | 'bad-blk-sigops'
  // Faults of a transaction alone.
  | 'bad-txns-vin-empty'
  | 'bad-txns-vout-empty'
  | 'bad-txns-oversize'
  | 'bad-txns-vout-negative'
  | 'bad-txns-vout-toolarge'
  | 'bad-txns-txouttotal-toolarge'
  | 'bad-txns-inputs-duplicate'
  | 'bad-cb-length'
  | 'bad-txns-prevout-null'
  // Faults of a header in its chain.
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
  // Faults of a block in its chain.
  | 'bad-txns-nonfinal'
  | 'bad-cb-height'
  | 'bad-cb-locktime'
  | 'bad-cb-sequence'
  | 'bad-txns-size'
  | 'bad-witness-nonce-size'
  | 'bad-witness-merkle-match'
  | 'unexpected-witness'
  | 'bad-blk-weight'
  // Faults of a block or transaction with regard to the coins that it spends.
  | 'bad-txns-BIP30'
  | 'bad-txns-inputs-missingorspent'
  | 'bad-txns-premature-spend-of-coinbase'
  | 'bad-txns-inputvalues-outofrange'
  | 'bad-txns-in-belowout'
  | 'bad-txns-fee-outofrange'
  | 'bad-txns-accumulated-fee-outofrange'
  | 'bad-txns-legacy-sigops'
  | 'bad-cb-amount'
  // Failed scripts. The reason depends on how the scripts were run (script-verdict.ts).
  | 'block-validation-failed'
  | `block-script-verify-flag-failed (${string})`
  | `mandatory-script-verify-flag-failed (${string})`
  | `non-mandatory-script-verify-flag (${string})`;

/** Creates a reject for a failed consensus rule. */
export function reject(category: RejectCategory, reason: ConsensusReason, debug = ''): Reject {
  return { category, reason, debug };
}
