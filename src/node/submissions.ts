// Logs and counts the blocks that clients submit (submitblock, fronts of a fleet, Stratum). Keeps the newest ones for the
// page.
import type { Logger } from '../log/logger.js';

/** A submitted block. */
export interface Submission {
  readonly hash: string;
  /** Client that submitted it, such as `RPC user "pool"`. */
  readonly client: string;
  /** `accepted`, or the reject reason of BIP-0022. */
  readonly outcome: string;
  /** Seconds since 1970. */
  readonly time: number;
}

const MAX_NEWEST = 6;

export class Submissions {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();
  #newest: Submission[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Number of blocks by outcome. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The newest submissions, newest first. */
  get newest(): readonly Submission[] {
    return this.#newest;
  }

  add(submission: Submission): void {
    const { hash, client, outcome } = submission;
    const line = `submitblock: block ${hash} of ${client}: ${outcome}`;
    if (outcome === 'accepted') this.#log.info(line);
    else this.#log.warn(line);
    this.record(submission);
  }

  /** Adds a submission that is in the log already. */
  record(submission: Submission): void {
    // Drop the version number that some reasons have in brackets: it would create a label for each version.
    const label = submission.outcome.split('(', 1)[0]!.trim();
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
    this.#newest = [submission, ...this.#newest].slice(0, MAX_NEWEST);
  }
}
