// The methods that a body names, read from its bytes: for users with a list of methods whose request may hold secrets,
// which must not become text on a front. Used by front/plan.ts.
import { JsonWalker, Unread, type Walk } from './json-walker.js';
import type { Reading } from './shared-reading.js';

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

export class MethodNames implements Reading {
  /** Nothing is held but names. */
  readonly values = 0;
  readonly #walker: JsonWalker;
  readonly #walk: Walk;
  readonly #seen = new Set<string>();
  #clear = true;
  #count = 0;
  #isBatch = false;

  constructor(body: Uint8Array) {
    this.#walker = new JsonWalker(body);
    this.#walk = this.#read();
  }

  /** Each name once; null when only the parser can tell. There once goOn() returned true. */
  get names(): ReadonlySet<string> | null {
    return this.#clear && this.#count > 0 ? this.#seen : null;
  }

  /** Whether the body is a list. */
  get isBatch(): boolean {
    return this.#isBatch;
  }

  /** Goes on. Never throws. */
  goOn(ms: number): boolean {
    this.#walker.untilMs = performance.now() + ms;
    try {
      return this.#walk.next().done === true;
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      this.#clear = false;
      return true;
    }
  }

  *#read(): Walk {
    const walker = this.#walker;
    this.#isBatch = walker.next() === OPEN_BRACKET;
    yield* walker.requests(({ method, params, clear }) => {
      this.#count++;
      const listed = params < 0 || walker.buffer[params] === OPEN_BRACKET || walker.buffer[params] === OPEN_BRACE;
      // The others are answered with what is wrong with them.
      if (method === undefined || !clear || !listed) this.#clear = false;
      else this.#seen.add(method);
      return NOTHING;
    });
  }
}

const NOTHING: Walk = (function* nothing(): Walk {})();
