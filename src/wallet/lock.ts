// The lock of a wallet: Core's cs_wallet with a shared and an exclusive mode. Calls share the lock and may pause.
// Exclusive work has the wallet for itself and may pause too. Waiting work starts in the order of arrival, so calls and
// exclusive work cannot starve each other.

interface Waiting {
  readonly isExclusive: boolean;
  /** Starts the waiting work, for which the lock is already acquired. */
  readonly start: () => void;
}

export class WalletLock {
  /** Number of running calls. */
  #calls = 0;
  #isExclusive = false;
  readonly #queue: Waiting[] = [];
  /** Changes that wait until exclusive work ends. */
  readonly #changes: (() => void)[] = [];

  /** True if exclusive work is running. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /**
   * Runs a call from its beginning to its end. Exclusive work waits for running calls, and later calls wait for
   * exclusive work. So a running call must not wait for exclusive work or for the start of another call: that is a
   * deadlock.
   */
  runCall<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#run(false, work);
  }
  /**
   * Runs a synchronous change of memory, within a call or without one. The change runs at once, or after the exclusive
   * work if there is any. Exclusive work itself changes memory without this method.
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
  /** Runs work while no call and no change is running. */
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
