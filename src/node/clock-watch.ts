// Watches for a clock that is so far behind the tip that the node would refuse every block on it. While it is, no
// templates are handed out, and warnings, log, -alertnotify and a metric say why.
import type { Logger } from '../log/logger.js';

const BEHIND =
  'The clock of this machine is more than two hours behind the chain: blocks made now would be refused, so there are no templates. Check date and time';

/** What is made for miners, as far as the clock decides about it. */
export interface ClockedWork {
  /** Whether no work can be made because of the clock. */
  readonly clockBehind: boolean;
  /** The answer is another one than before. */
  clockChanged(): void;
}

/** Compares the clock with the chain when it is asked to. */
export class ClockWatch {
  #behind = false;
  readonly #work: ClockedWork;
  readonly #log: Logger;
  readonly #alert: (text: string) => void;

  /** @param alert runs -alertnotify */
  constructor(work: ClockedWork, log: Logger, alert: (text: string) => void) {
    this.#work = work;
    this.#log = log;
    this.#alert = alert;
  }

  /** Whether the clock is behind now. Tells of it when that has changed. */
  look(): boolean {
    const behind = this.#work.clockBehind;
    if (behind === this.#behind) return behind;
    this.#behind = behind;
    if (behind) {
      this.#log.warn(BEHIND);
      this.#alert(BEHIND);
    } else this.#log.info('The clock of this machine is no longer behind the chain: there are templates again.');
    this.#work.clockChanged();
    return behind;
  }

  /** What getmininginfo and others show under `warnings`; empty when all is well. */
  get text(): string {
    return this.look() ? BEHIND : '';
  }
}
