// Reads the names of the methods in a body from its bytes. Used for users with a method list whose request may contain
// secrets: such a request must not become text on a front.
import { JsonWalker, Unread, type Walk } from './json-walker.js';
import type { Reading } from './shared-reading.js';

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

export class MethodNames implements Reading {
  /** Always 0: no values are held, only names. */
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

  /** Names of all methods; null if only the parser can find them. Valid after goOn() returned true. */
  get names(): ReadonlySet<string> | null {
    return this.#clear && this.#count > 0 ? this.#seen : null;
  }

  /** True if the body is a batch. */
  get isBatch(): boolean {
    return this.#isBatch;
  }

  /** Continues reading. Never throws. */
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
      // Leave a request without a readable method name, or whose params are neither list nor object, to the parser.
      if (method === undefined || !clear || !listed) this.#clear = false;
      else this.#seen.add(method);
      return NOTHING;
    });
  }
}

const NOTHING: Walk = (function* nothing(): Walk {})();
