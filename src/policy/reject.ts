// All reject reasons of policy and the mempool. Those of consensus are in consensus/rules/reject.ts. The strings are
// those of Core 0.21 and of later releases.
import type { Reject, RejectCategory } from '../consensus/state.js';

/** Reasons of policy and the mempool. */
export type PolicyReason =
  | 'coinbase'
  | 'version'
  | 'tx-size'
  | 'scriptsig-size'
  | 'scriptsig-not-pushonly'
  | 'scriptpubkey'
  | 'bare-multisig'
  | 'dust'
  | 'multi-op-return'
  | 'datacarrier'
  | 'tx-size-small'
  | 'non-final'
  | 'txn-already-in-mempool'
  | 'txn-same-nonwitness-data-in-mempool'
  | 'txn-mempool-conflict'
  | 'bip125-replacement-disallowed'
  | 'txn-already-known'
  | 'bad-txns-inputs-missingorspent'
  | 'non-BIP68-final'
  | 'bad-txns-nonstandard-inputs'
  | 'bad-witness-nonstandard'
  | 'bad-txns-too-many-sigops'
  | 'mempool min fee not met'
  | 'min relay fee not met'
  | 'too-long-mempool-chain'
  | 'too-large-cluster'
  | 'bad-txns-spends-conflicting-tx'
  | 'insufficient fee'
  | 'insufficient fee (including sibling eviction)'
  | 'too many potential replacements (including sibling eviction)'
  | 'TRUC-violation'
  | 'missing-ephemeral-spends'
  | 'too many potential replacements'
  | 'replacement-adds-unconfirmed'
  | 'replacement-failed'
  | 'mempool full'
  | 'max feerate exceeded'
  | `mempool-script-verify-flag-failed (${string})`
  | `mandatory-script-verify-flag-failed (${string})`
  | `non-mandatory-script-verify-flag (${string})`;

/** Creates a reject for a failed policy rule. */
export function policyReject(category: RejectCategory, reason: PolicyReason, debug = ''): Reject {
  return { category, reason, debug };
}
