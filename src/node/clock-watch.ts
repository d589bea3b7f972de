// Detects a clock so far behind the tip that the node would refuse every new block. Meanwhile the node makes no templates.
// `warnings`, the log, -alertnotify and a metric report the cause.
import type { Logger } from '../log/logger.js';

const BEHIND =
  'The clock of this machine is more than two hours behind the chain. The node would reject every new block, so it makes no templates. Set the date and time of the system';

/** Producer of work for miners that depends on the clock. */
export interface ClockedWork {
  /** True if the clock prevents new work. */
  readonly clockBehind: boolean;
  /** Called when `clockBehind` has changed. */
  clockChanged(): void;
}

/** Checks whether the clock is behind the chain. Reports when that begins and ends. */
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

  /** Returns whether the clock is behind now. Logs and alerts if the result has changed. */
  checkClock(): boolean {
    const behind = this.#work.clockBehind;
    if (behind === this.#behind) return behind;
    this.#behind = behind;
    if (behind) {
      this.#log.warn(BEHIND);
      this.#alert(BEHIND);
    } else this.#log.info('The clock of this machine is no longer behind the chain. The node makes templates again.');
    this.#work.clockChanged();
    return behind;
  }

  /** Text for `warnings` of getmininginfo and other calls; empty if the clock is right. */
  get text(): string {
    return this.checkClock() ? BEHIND : '';
  }
}
