// Fees of the templates of the current tip, in mode live. Decides if a client that has one of them should get the newest.
import type { TemplateFacts } from '../facts.js';

/** Maximum number of remembered templates of one tip. Clients with an older template get the newest one immediately. */
const MOST = 1024;

export class LiveHistory {
  #newest: TemplateFacts | null = null;
  readonly #known = new Map<number, { readonly fees: number; readonly empty: boolean }>();

  add(facts: TemplateFacts): void {
    if (facts.live === null) return;
    // An empty template after full ones of its tip withdraws them (audit.ts), so every client gets it.
    const newest = this.#newest;
    if (facts.prevHashHex !== newest?.prevHashHex || (facts.live.empty && newest.live?.empty === false)) this.#known.clear();
    this.#newest = facts;
    this.#known.set(facts.counter, { fees: facts.fees, empty: facts.live.empty });
    if (this.#known.size <= MOST) return;
    for (const counter of this.#known.keys()) {
      this.#known.delete(counter);
      break;
    }
  }

  /** @param counter of the client's template, on the newest one's tip */
  isOutdated(counter: number): boolean {
    const newest = this.#newest;
    if (newest?.live == null || counter === newest.counter) return false;
    const known = this.#known.get(counter);
    if (known === undefined) return true;
    if (known.empty && !newest.live.empty) return true;
    return newest.fees - known.fees >= newest.live.longPollDelta;
  }
}
