// Verdicts: a broken rule is a value, not an exception. All checks of consensus and policy return a verdict. Chain,
// mempool and RPC act on its category; replies contain its reason and debug text.

/**
 * Kind of fault. It decides what the node remembers about a block and how it treats the peer that sent it (Core's
 * BlockValidationResult and TxValidationResult).
 * - consensus: breaks a consensus rule, so it can never become valid
 * - recent: breaks a rule that newer software added
 * - mutated: the data may differ from what the header commits to, so the hash must not be marked as invalid
 * - invalid-header, missing-prev, invalid-prev, time-future, checkpoint: faults of a header
 * - cached: known to be invalid already
 * - the following categories concern single transactions; reconsiderable means that only the fee was too low, and the
 * transaction may be accepted together with a child
 */
export type RejectCategory =
  | 'consensus'
  | 'recent'
  | 'mutated'
  | 'invalid-header'
  | 'missing-prev'
  | 'invalid-prev'
  | 'time-future'
  | 'checkpoint'
  | 'cached'
  | 'missing-inputs'
  | 'premature-spend'
  | 'witness-mutated'
  | 'witness-stripped'
  | 'inputs-not-standard'
  | 'not-standard'
  | 'conflict'
  | 'mempool-policy'
  | 'reconsiderable';

/** A failed check. */
export interface Reject {
  readonly category: RejectCategory;
  /** Core's reject reason, shown by RPC. */
  readonly reason: string;
  /** Core's debug message, or the empty string. */
  readonly debug: string;
}

/** Outcome of a check: a reject, or null if it passed. */
export type Verdict = Reject | null;

/** Returns the text that Core prints: the reason, then the debug message after a comma if there is one. */
export function rejectText(reject: Reject): string {
  return reject.debug === '' ? reject.reason : `${reject.reason}, ${reject.debug}`;
}
