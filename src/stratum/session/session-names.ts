// User names for which a session may submit shares. The address of the first name is paid for all of them.
import type { ParsedName, Payout, Payouts } from '../work/payouts.js';

/** Largest number of user names of a session. A proxy may mine for many workers. */
const MOST_NAMES = 256;

export class SessionNames {
  readonly #payouts: Payouts;
  readonly #names = new Map<string, ParsedName>();
  #payout: Payout | null = null;

  constructor(payouts: Payouts) {
    this.#payouts = payouts;
  }

  /** Payout of the first user name; null before the first authorisation. */
  get payout(): Payout | null {
    return this.#payout;
  }

  /** True if no further name is added. Refusing one then costs nothing. */
  get isFull(): boolean {
    return this.#names.size >= MOST_NAMES;
  }

  /** Adds a user name. @returns a text for the miner if the name is refused */
  addName(name: string): ParsedName | { readonly error: string } {
    if (this.isFull && !this.#names.has(name)) return { error: `More than ${MOST_NAMES} user names on one connection` };
    const parsed = this.#payouts.parseName(name);
    if ('error' in parsed) return parsed;
    this.#payout ??= parsed.payout;
    if (this.#payout.address !== parsed.payout.address) {
      return { error: `This connection mines for ${this.#payout.address}: connect again for another address` };
    }
    this.#names.set(name, parsed);
    return parsed;
  }

  /** Returns the worker of a user name; null if the name was not authorized. */
  find(name: string): ParsedName | null {
    return this.#names.get(name) ?? null;
  }

  get all(): readonly ParsedName[] {
    return [...this.#names.values()];
  }
}
