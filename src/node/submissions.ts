// Blocks that clients hand in (submitblock, fronts of a fleet): a log line each, counts by outcome, the newest for the page.
import type { Logger } from '../log/logger.js';

/** A block that was handed in. */
export interface Submission {
  readonly hash: string;
  /** Who handed it in, such as `RPC user "pool"`. */
  readonly client: string;
  /** `accepted`, or the word of BIP-0022. */
  readonly outcome: string;
  /** Seconds since 1970. */
  readonly time: number;
}

const KEPT = 6;

export class Submissions {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();
  #newest: Submission[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Blocks by outcome. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The newest submissions, the last one first. */
  get newest(): readonly Submission[] {
    return this.#newest;
  }

  add(submission: Submission): void {
    const { hash, client, outcome } = submission;
    const line = `submitblock: block ${hash} of ${client}: ${outcome}`;
    if (outcome === 'accepted') this.#log.info(line);
    else this.#log.warn(line);
    // Reasons can carry a version number in brackets, which would make a label for each miner's typo.
    const label = outcome.split('(', 1)[0]!.trim();
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
    this.#newest = [submission, ...this.#newest].slice(0, KEPT);
  }
}
