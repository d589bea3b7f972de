// Verdicts: a broken rule is a value, not an exception. Every check of the law and of policy answers with one of these;
// chain, mempool and RPC turn categories into behaviour and reason and debug text into replies.

/**
 * What kind of fault it is, which decides what is remembered about a block and how a peer is treated (as Core's
 * BlockValidationResult and TxValidationResult): consensus: breaks a rule for good; recent: breaks a rule newer
 * software added; mutated: the data may differ from what the header commits to, so the hash is not to blame;
 * invalid-header, missing-prev, invalid-prev, time-future, checkpoint: about headers; cached: known to be invalid from
 * before; the others concern loose transactions, of which reconsiderable says that only the fee was too low: together
 * with a child it may be fine.
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

/** null when valid. */
export type Verdict = Reject | null;

/** The state text that Core prints: reason, then the debug message after a comma when there is one. */
export function rejectText(reject: Reject): string {
  return reject.debug === '' ? reject.reason : `${reject.reason}, ${reject.debug}`;
}
