// Reads several large bodies concurrently, in a few milliseconds per event-loop tick for all of them together. Values
// take many times the memory of their text. So only the first body may be held as any number of values. All other bodies
// pause at FEW_VALUES values. A block is one value, so submissions overtake bodies with long lists.
import { workClock } from '../../lib/work-clock.js';

/**
 * Maximum number of values that a body may be parsed into before it is the first body in the queue. A submission needs
 * ten values. Readers check the number only now and then, so they can exceed it a little. Up to two thousand bodies of
 * 64 kB may wait.
 */
const FEW_VALUES = 512;

/** A body that is being read. */
export interface Reading {
  /** Number of values that are held. */
  readonly values: number;
  /**
   * Continues reading.
   * @param ms milliseconds after which to pause; at least something is read even if it is 0
   * @param mostValues also pause when more values are held
   * @returns whether the end was reached
   */
  goOn(ms: number, mostValues: number): boolean;
}

/** The call for which a body is read. */
export interface ReadingFor {
  /** Milliseconds of reading per event-loop tick. */
  readonly sliceMs: number;
  /** Returns whether the client has disconnected, so that the rest need not be read. */
  isDisconnected(): boolean;
  /** Called before each step. If it returns a promise, the body waits until that has settled. */
  yieldToUrgent?: (() => unknown) | undefined;
}

interface Waiting {
  readonly reading: Reading;
  readonly who: ReadingFor;
  readonly resolve: (whole: boolean) => void;
  readonly fail: (error: unknown) => void;
  /** True if the body waits for a promise of yieldToUrgent(). */
  held: boolean;
}

/** Reads the large bodies of a thread. */
export class SharedReading {
  /** Bodies that are being read, in order. The first one may become any number of values. */
  readonly #waiting = new Set<Waiting>();
  #scheduled = false;

  /**
   * Reads a body, in slices if it takes long.
   * @returns true if it was read at once; otherwise a promise of whether its end was reached: false if the client has
   *   disconnected. The promise rejects with what goOn() throws
   */
  read(reading: Reading, who: ReadingFor): true | Promise<boolean> {
    if (reading.goOn(who.sliceMs, this.#waiting.size === 0 ? Number.POSITIVE_INFINITY : FEW_VALUES)) return true;
    return this.readOn(reading, who);
  }

  /** Reads the rest of a body in slices. */
  readOn(reading: Reading, who: ReadingFor): Promise<boolean> {
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
    // Iterate over a copy: a step may add bodies.
    for (const one of [...this.#waiting]) {
      if (one.who.isDisconnected()) {
        this.#waiting.delete(one);
        one.resolve(false);
      } else if (first) {
        first = false;
        // The other bodies get half of the time.
        this.#step(one, this.#waiting.size > 1 ? one.who.sliceMs / 2 : one.who.sliceMs, Number.POSITIVE_INFINITY);
      } else if (!one.held && one.reading.values <= FEW_VALUES) {
        const ms = one.who.sliceMs - (workClock.now() - began);
        // Skip this body if the time is used up, unless no other body than the first has made progress in this tick.
        if (ms <= 0 && passed) continue;
        passed = true;
        this.#step(one, Math.max(ms, 0), FEW_VALUES);
      }
    }
    this.#schedule();
  };

  #step(one: Waiting, ms: number, mostValues: number): void {
    if (one.held) return;
    const pause = one.who.yieldToUrgent?.();
    if (pause instanceof Promise) {
      one.held = true;
      const free = () => {
        one.held = false;
      };
      pause.then(free, free);
      return;
    }
    try {
      const whole = one.reading.goOn(ms, mostValues);
      if (!whole && one.reading.values > FEW_VALUES) return;
      // A body that holds few values goes to the end, so that another one becomes the first.
      this.#waiting.delete(one);
      if (whole) one.resolve(true);
      else this.#waiting.add(one);
    } catch (error) {
      this.#waiting.delete(one);
      one.fail(error);
    }
  }
}
