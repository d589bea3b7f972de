// Detects a clock so far behind the tip that the node would refuse every new block. Meanwhile the node makes no templates.
// `warnings`, the log, -alertnotify and a metric report the cause. Also detects that the clock was set: jobs of Stratum
// clients continue from the time of the tip, so a block could have a time that the node refuses.
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';

const BEHIND =
  'The clock of this machine is more than two hours behind the chain. The node would reject every new block, so it makes no templates. Set the date and time of the system';

/** Change of the clock between two checks, in seconds, above which clients get new jobs. Checks come every second. */
const JUMP_SECONDS = 60;

/** Producer of work for miners that depends on the clock. */
export interface ClockedWork {
  /** True if the clock prevents new work. */
  readonly clockBehind: boolean;
  /** Called when `clockBehind` has changed. */
  clockChanged(): void;
  /** Called when the clock was set to another time, and `clockBehind` is the same as before. */
  clockSet(): void;
}

/** Checks whether the clock is behind the chain. Reports when that begins and ends. */
export class ClockWatch {
  #behind = false;
  /** Difference between the clock and the monotonic clock at the last check, seconds. */
  #offsetSeconds: number;
  readonly #clock: Clock;
  readonly #work: ClockedWork;
  readonly #log: Logger;
  readonly #alert: (text: string) => void;

  /** @param alert runs -alertnotify */
  constructor(clock: Clock, work: ClockedWork, log: Logger, alert: (text: string) => void) {
    this.#clock = clock;
    this.#offsetSeconds = this.#offset;
    this.#work = work;
    this.#log = log;
    this.#alert = alert;
  }

  /** Returns whether the clock is behind now. Logs and alerts if the result has changed. */
  checkClock(): boolean {
    const behind = this.#work.clockBehind;
    const jumped = this.#takeJump();
    if (behind === this.#behind) {
      if (jumped && !behind) this.#work.clockSet();
      return behind;
    }
    this.#behind = behind;
    if (behind) {
      this.#log.warn(BEHIND);
      this.#alert(BEHIND);
    } else this.#log.info('The clock of this machine is no longer behind the chain. The node makes templates again.');
    this.#work.clockChanged();
    return behind;
  }

  get #offset(): number {
    return this.#clock.nowSeconds() - this.#clock.monotonicMs() / 1000;
  }

  /** Returns whether the clock was set since the last check. */
  #takeJump(): boolean {
    const before = this.#offsetSeconds;
    this.#offsetSeconds = this.#offset;
    const jump = Math.round(this.#offsetSeconds - before);
    if (Math.abs(jump) < JUMP_SECONDS) return false;
    this.#log.info(`The clock of this machine was set ${jump < 0 ? 'back' : 'forward'} by ${Math.abs(jump)} seconds.`);
    return true;
  }

  /** Text for `warnings` of getmininginfo and other calls; empty if the clock is right. */
  get text(): string {
    return this.checkClock() ? BEHIND : '';
  }
}
