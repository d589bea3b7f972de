// The newest facts of the node on a front: tip and start phase.
import type { FrontLink } from '../../link/front-link.js';
import type { PublishedTip } from '../../link/messages.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';

export class Published {
  readonly #state: SharedState;
  readonly #link: FrontLink;
  /** Set when the node thread has posted it. */
  tip: PublishedTip;
  /** Text of the start phase; null after the start. */
  warmup: string | null;

  constructor(state: SharedState, link: FrontLink, tip: PublishedTip, warmup: string | null) {
    this.#state = state;
    this.#link = link;
    this.tip = tip;
    this.warmup = warmup;
  }

  /**
   * Returns the newest tip. The node thread posts the facts of a tip before it increments the epoch. So a newer epoch
   * means that its facts wait in this front's port.
   */
  freshTip(): PublishedTip {
    if (this.#state.epoch !== this.tip.epoch) this.#link.drain();
    return this.tip;
  }

  /**
   * Returns the text of the current start phase; null after the start. All fronts change at the same moment, so that
   * no front refuses a call that another front already answers.
   */
  warmingUp(): string | null {
    if (this.warmup === null) return null;
    const started = this.#state.has(STATE_FLAG.STARTED);
    this.#link.drain();
    if (started) this.warmup = null;
    return this.warmup;
  }
}
