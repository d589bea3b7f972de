// Work of one end of the link in turns of the event loop, for as long as there is more. Used by front-link.ts and
// call-links.ts.

export class TickLoop {
  #underWay = false;
  readonly #work: () => boolean;

  /** @param work one turn's worth; true: there is more, and the next turn comes after a look at the sockets */
  constructor(work: () => boolean) {
    this.#work = work;
  }

  /** Whether a turn runs or is planned. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /**
   * Begins a row of turns unless one is under way.
   * @param now with a turn in this call, else with one at the end of this turn of the loop
   */
  startTicks(now = false): void {
    if (this.#underWay) return;
    this.#underWay = true;
    if (now) this.#tick();
    else setImmediate(this.#tick);
  }

  #tick = (): void => {
    // What throws is told by the thread's handler; what else lies on the link is done all the same.
    let more = true;
    try {
      more = this.#work();
    } finally {
      if (more) setImmediate(this.#tick);
      else this.#underWay = false;
    }
  };
}
