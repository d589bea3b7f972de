// Runs the work of one end of a link once per event-loop tick, for as long as there is more to do.

export class TickLoop {
  #underWay = false;
  readonly #work: () => boolean;

  /** @param work work of one tick; returns true if there is more, for the next tick */
  constructor(work: () => boolean) {
    this.#work = work;
  }

  /** True if a tick runs or is scheduled. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /**
   * Starts the ticks unless they run already.
   * @param now run the first tick during this call; false: at the end of the current tick
   */
  startTicks(now = false): void {
    if (this.#underWay) return;
    this.#underWay = true;
    if (now) this.#tick();
    else setImmediate(this.#tick);
  }

  #tick = (): void => {
    // The thread's handler logs an exception. The rest of the work continues in the next tick.
    let more = true;
    try {
      more = this.#work();
    } finally {
      if (more) setImmediate(this.#tick);
      else this.#underWay = false;
    }
  };
}
