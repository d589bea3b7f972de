// Lines for the node's log. Those that strangers can cause are limited: 20 in a second, the rest is counted.
import type { FromServe } from './messages.js';

const MOST_LINES = 20;

export class Notes {
  #lines = 0;
  #leftOut = 0;

  constructor(private readonly post: (message: FromServe) => void) {}

  say(level: 'info' | 'warn' | 'error' | 'debug', text: string): void {
    this.post({ kind: 'log', level, text });
  }

  /** A line that strangers can cause. */
  limited(text: string): void {
    if (this.#lines++ < MOST_LINES) this.say('info', text);
    else this.#leftOut++;
  }

  /** A second has passed. */
  tick(): void {
    if (this.#leftOut > 0) this.say('info', `Stratum V2: ${this.#leftOut} more lines like these`);
    this.#lines = 0;
    this.#leftOut = 0;
  }
}
