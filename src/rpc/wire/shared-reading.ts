// Large bodies that are read side by side: some milliseconds for all of them together in each turn of the loop. Values
// take many times the room of the text they stand for, so at most one body is held as more than a few of them; the
// others wait for it with their text alone. A block is one value: submissions pass long lists. Used by dispatch.ts on
// the node thread and by the desk of a front.
import { workClock } from '../../lib/work-clock.js';

/**
 * As so many values every body may be held while another one is read: a submission needs ten. Readers look at the
 * number now and then, so it is somewhat more; of bodies of 64 kB there may be two thousand.
 */
const FEW_VALUES = 512;

/** A body under way. */
export interface Reading {
  /** Values held of what was read. */
  readonly values: number;
  /**
   * Goes on.
   * @param ms when to pause; something is read even so
   * @param mostValues pauses also when more are held
   * @returns whether the end was reached
   */
  goOn(ms: number, mostValues: number): boolean;
}

/** The call that a body is read for. */
export interface ReadingFor {
  /** A turn of the loop is due after this long. */
  readonly sliceMs: number;
  /** The client has gone: the rest need not be read. */
  isDisconnected(): boolean;
  /** Asked before each step. A promise holds it back until it is settled. */
  yieldToUrgent?: (() => unknown) | undefined;
}

interface Waiting {
  readonly reading: Reading;
  readonly who: ReadingFor;
  readonly resolve: (whole: boolean) => void;
  readonly fail: (error: unknown) => void;
  /** Waits for a promise of breathe(). */
  held: boolean;
}

/** One per thread that reads. */
export class SharedReading {
  /** The first may become as many values as it likes. */
  readonly #waiting = new Set<Waiting>();
  #scheduled = false;

  /** As how many values a body may be held whose first step is made before read() takes it. */
  get mostValues(): number {
    return this.#waiting.size === 0 ? Number.POSITIVE_INFINITY : FEW_VALUES;
  }

  /**
   * Reads on until the end.
   * @returns whether it was reached; false: the client has gone
   * @throws what goOn() throws
   */
  read(reading: Reading, who: ReadingFor): Promise<boolean> {
    return new Promise((settle, fail) => {
      this.#waiting.add({ reading, who, resolve: settle, fail, held: false });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(this.#runTick);
  }

  #runTick = (): void => {
    this.#scheduled = false;
    const began = workClock.now();
    let first = true;
    let passed = false;
    // Steps may bring new bodies: they have their turn later.
    for (const one of [...this.#waiting]) {
      if (one.who.isDisconnected()) {
        this.#waiting.delete(one);
        one.resolve(false);
      } else if (first) {
        first = false;
        // Half of the turn is for the others.
        this.#step(one, this.#waiting.size > 1 ? one.who.sliceMs / 2 : one.who.sliceMs, Number.POSITIVE_INFINITY);
      } else if (!one.held && one.reading.values <= FEW_VALUES) {
        const ms = one.who.sliceMs - (workClock.now() - began);
        // One of them gets on in any case.
        if (ms <= 0 && passed) continue;
        passed = true;
        this.#step(one, Math.max(ms, 0), FEW_VALUES);
      }
    }
    this.#schedule();
  };

  #step(one: Waiting, ms: number, mostValues: number): void {
    if (one.held) return;
    const hold = one.who.yieldToUrgent?.();
    if (hold instanceof Promise) {
      one.held = true;
      const free = () => {
        one.held = false;
      };
      hold.then(free, free);
      return;
    }
    try {
      const whole = one.reading.goOn(ms, mostValues);
      if (!whole && one.reading.values > FEW_VALUES) return;
      // A body that holds few values goes to the end, so that each has its turn and another one is first.
      this.#waiting.delete(one);
      if (whole) one.resolve(true);
      else this.#waiting.add(one);
    } catch (error) {
      this.#waiting.delete(one);
      one.fail(error);
    }
  }
}
