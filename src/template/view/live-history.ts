// What the templates of the current tip were worth, mode live: tells whether a client that knows one of them should
// hear of the newest. Used by template-view.ts.
import type { TemplateFacts } from '../facts.js';

/** Templates of one tip that are remembered; clients that know an older one are told at once. */
const MOST = 1024;

export class LiveHistory {
  #newest: TemplateFacts | null = null;
  readonly #known = new Map<number, { readonly fees: number; readonly empty: boolean }>();

  add(facts: TemplateFacts): void {
    if (facts.live === null) return;
    // One without transactions after others of its tip takes those back (audit.ts): every client is told.
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

  /** @param counter of the template that a client has, on the newest one's tip */
  isOutdated(counter: number): boolean {
    const newest = this.#newest;
    if (newest?.live == null || counter === newest.counter) return false;
    const known = this.#known.get(counter);
    if (known === undefined) return true;
    if (known.empty && !newest.live.empty) return true;
    return newest.fees - known.fees >= newest.live.longPollDelta;
  }
}
