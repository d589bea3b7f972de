// Who uses a wallet's private keys: calls that rely on them from their beginning to their end, however often they
// pause. Locking waits until none is under way, and so does what ends or exchanges the wallet (unloading, encryption);
// what comes later waits for that, so that an endless row of calls does not keep a wallet open. Core does this with
// cs_wallet.

export class KeyUse {
  #users = 0;
  #lockDue = false;
  /** The lock that is due was asked for by a call: no unlocking that began before takes it back. */
  #lockAsked = false;
  /** Something has the keys for itself. */
  #taken = false;
  readonly #forLock: (() => void)[] = [];
  readonly #forAlone: (() => void)[] = [];
  readonly #forEntry: (() => void)[] = [];
  readonly #lockNow: () => void;

  /** @param lockNow makes the keys unreadable */
  constructor(lockNow: () => void) {
    this.#lockNow = lockNow;
  }

  /**
   * Begins to use the keys, which stay as they are until `leave`.
   * @returns undefined when that is done, or what fulfils when it is
   */
  enter(): Promise<void> | undefined {
    if (this.#isOpen) {
      this.#users++;
      return undefined;
    }
    return new Promise((resolve) => this.#forEntry.push(resolve));
  }
  /** Like `enter`, for work that may be a part of a call that uses them: it never waits. */
  join(): void {
    this.#users++;
  }
  leave(): void {
    this.#users--;
    this.#proceed();
  }

  /** Locks as soon as nothing uses the keys. @returns undefined when that is done, or what fulfils when it is */
  lock(): Promise<void> | undefined {
    this.#lockAsked = true;
    this.expire();
    return this.#lockDue ? new Promise((resolve) => this.#forLock.push(resolve)) : undefined;
  }
  /** The end of an unlocking: locks as soon as nothing uses the keys, unless it is cancelled before. */
  expire(): void {
    this.#lockDue = true;
    this.#proceed();
  }
  /**
   * The wallet was unlocked again: the end of the time before does not count any more. What `lock` asked for is due
   * still.
   */
  cancelExpiry(): void {
    if (this.#lockAsked) return;
    this.#lockDue = false;
    this.#proceed();
  }

  /** Runs work while nothing uses the keys. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#users > 0 || this.#taken || this.#forAlone.length > 0) await new Promise<void>((resolve) => this.#forAlone.push(resolve));
    this.#taken = true;
    try {
      return await work();
    } finally {
      this.#taken = false;
      this.#proceed();
    }
  }

  get #isOpen(): boolean {
    return !this.#lockDue && !this.#taken && this.#forAlone.length === 0;
  }
  #proceed(): void {
    if (this.#lockDue && this.#users === 0) {
      this.#lockDue = false;
      this.#lockAsked = false;
      this.#lockNow();
    }
    if (!this.#lockDue) for (const done of this.#forLock.splice(0)) done();
    if (this.#users === 0 && !this.#taken && this.#forAlone.length > 0) {
      this.#taken = true;
      (this.#forAlone.shift() as () => void)();
    }
    if (!this.#isOpen) return;
    for (const entered of this.#forEntry.splice(0)) {
      this.#users++;
      entered();
    }
  }
}
