// The one lock of a wallet, Core's cs_wallet with two strengths: calls share it and may pause, exclusive work has the
// wallet for itself and may pause too. What waits begins in the order it came, so that neither kind keeps the other out.

interface Waiting {
  readonly isExclusive: boolean;
  /** The lock is taken for it. */
  readonly start: () => void;
}

export class WalletLock {
  /** Calls under way. */
  #calls = 0;
  #isExclusive = false;
  readonly #queue: Waiting[] = [];
  /** Changes that wait for the end of exclusive work. */
  readonly #changes: (() => void)[] = [];

  /** Whether exclusive work is under way. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /**
   * What a call does from its beginning to its end. Exclusive work that comes meanwhile waits for it, and calls that
   * come later wait for that: a call must not wait for exclusive work or for another call's beginning.
   */
  runCall<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#run(false, work);
  }
  /**
   * A change of memory, within a call or without one; at once unless exclusive work is under way, whose end it waits
   * for. Exclusive work makes its own changes without asking.
   */
  runChange<T>(work: () => T): T | Promise<T> {
    if (!this.#isExclusive) return work();
    return new Promise((resolve, reject) => {
      this.#changes.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
  /** Work while no call and no change is under way. */
  runExclusive<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#run(true, work);
  }

  #run<T>(isExclusive: boolean, work: () => T | Promise<T>): T | Promise<T> {
    if (this.#queue.length === 0 && this.#isFree(isExclusive)) {
      this.#acquire(isExclusive);
      return this.#runAcquired(isExclusive, work);
    }
    return new Promise<void>((begin) => this.#queue.push({ isExclusive, start: begin })).then(() => this.#runAcquired(isExclusive, work));
  }
  #isFree(isExclusive: boolean): boolean {
    return !this.#isExclusive && (!isExclusive || this.#calls === 0);
  }
  #acquire(isExclusive: boolean): void {
    if (isExclusive) this.#isExclusive = true;
    else this.#calls++;
  }
  #runAcquired<T>(isExclusive: boolean, work: () => T | Promise<T>): T | Promise<T> {
    let result: T | Promise<T> | undefined;
    try {
      result = work();
      return result instanceof Promise ? result.finally(() => this.#release(isExclusive)) : result;
    } finally {
      if (!(result instanceof Promise)) this.#release(isExclusive);
    }
  }
  #release(isExclusive: boolean): void {
    if (isExclusive) {
      this.#isExclusive = false;
      for (const change of this.#changes.splice(0)) change();
    } else this.#calls--;
    for (let next = this.#queue[0]; next !== undefined && this.#isFree(next.isExclusive); next = this.#queue[0]) {
      this.#queue.shift();
      this.#acquire(next.isExclusive);
      next.start();
    }
  }
}
