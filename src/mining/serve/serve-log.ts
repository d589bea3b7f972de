// Sends lines to the node's log. Lines that clients can cause are limited to 20 per second; lines above the limit are only
// counted. A line of a disabled category also costs the node thread a message.
import type { LogLine } from '../messages.js';

const MOST_LINES = 20;

type Limited = 'info' | 'debug';

export class ServeLog {
  /** Lines of the current second. Each level counts separately, so that debug lines hide no line about a lost block. */
  readonly #lines = { info: 0, debug: 0 };
  readonly #name: string;
  readonly #post: (message: LogLine) => void;

  /** @param name name of the protocol, with which log lines start */
  constructor(name: string, post: (message: LogLine) => void) {
    this.#name = name;
    this.#post = post;
  }

  log(level: 'info' | 'warn' | 'error' | 'debug', text: string): void {
    this.#post({ kind: 'log', level, text });
  }

  /** Logs a line that clients can cause. */
  limited(text: string, level: Limited = 'info'): void {
    if (this.#lines[level]++ < MOST_LINES) this.log(level, text);
  }

  /** Called once per second. Logs how many lines were left out, and starts the counts again. */
  tick(): void {
    for (const level of ['info', 'debug'] as const) {
      const leftOut = this.#lines[level] - MOST_LINES;
      if (leftOut > 0) this.log(level, `${this.#name}: ${leftOut} more lines like these`);
      this.#lines[level] = 0;
    }
  }
}
