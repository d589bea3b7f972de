// Results of the node thread that a front gives again while they hold: of calls that tell of chain, mempool and peers
// and are declared `kept`. Used by plan.ts.
//
// The front looks at the shared moment before a call goes to the node thread and keeps the result only if the moment is
// still the same when the reply is there, so the result tells of no less than what had been acknowledged then. The node
// thread moves on to another moment with every change, in the turn of the loop that makes it.
import { encodeJson } from '../wire/json-write.js';
import { envelopeAround } from '../wire/reply.js';
import type { RequestEntry } from '../wire/request.js';

/** Longer questions and results are left to the node thread. */
const MOST_KEY_CHARS = 256;
const MOST_RESULT_CHARS = 64 * 1024;
/** All of them together; a few thousand headers. */
const MOST_CHARS = 4 << 20;

/** Takes the body of a reply with status 200. */
export type ReplyKeeper = (body: string | Uint8Array) => void;

export class KeptResults {
  readonly #moment: () => number;
  readonly #results = new Map<string, string>();
  #since = 0;
  #chars = 0;

  /** @param moment another number whenever a result may have changed; 0 where that is not known: nothing is kept */
  constructor(moment: () => number) {
    this.#moment = moment;
  }

  /** The reply's body if the result is known, else what is to be shown the node thread's; null: nothing to be kept. */
  find(entry: RequestEntry): string | ReplyKeeper | null {
    const moment = this.#moment();
    const { method, params } = entry;
    const key = Array.isArray(params) && params.length === 0 ? method : method + encodeJson(params);
    if (moment === 0 || key.length > MOST_KEY_CHARS) return null;
    if (moment !== this.#since) this.#begin(moment);
    const [prefix, suffix] = envelopeAround(entry);
    const known = this.#results.get(key);
    return known === undefined ? (body) => this.#keep(key, moment, body.toString(), [prefix, suffix]) : prefix + known + suffix;
  }

  #begin(moment: number): void {
    this.#since = moment;
    this.#results.clear();
    this.#chars = 0;
  }

  #keep(key: string, moment: number, body: string, [prefix, suffix]: readonly [string, string]): void {
    if (moment !== this.#since || moment !== this.#moment()) return;
    const chars = key.length + body.length - prefix.length - suffix.length;
    // The envelope of anything else than a result looks different.
    const found = chars <= MOST_RESULT_CHARS && body.startsWith(prefix) && body.endsWith(suffix);
    if (!found || this.#chars + chars > MOST_CHARS || this.#results.has(key)) return;
    this.#results.set(key, body.slice(prefix.length, -suffix.length));
    this.#chars += chars;
  }
}
