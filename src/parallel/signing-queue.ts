// Transactions that wait to be signed on the calling thread, one per tick. If the queue is long, other threads get
// equal shares of it, each in one message: a message to another thread and back costs as much as two signatures, and
// little more with eight.
import { yieldInQueue } from '../lib/time-slice.js';

/** Minimum number of transactions in a share. A message for a single transaction costs more than it saves. */
const LEAST_SHARE = 2;

export interface SigningQueueDeps<Work, Made> {
  /** Maximum number of shares that other threads have at a time. */
  readonly mostShares: number;
  /** Estimated microseconds that a share may take. */
  readonly shareUs: number;
  /** Returns true if other threads accept a share now. */
  readonly canPost: () => boolean;
  /** Signs a share on another thread. */
  readonly post: (works: readonly Work[]) => Promise<readonly Made[]>;
}

interface Waiting<Work, Made> {
  readonly work: Work;
  readonly us: number;
  readonly done: (made: Made | null) => void;
}

export class SigningQueue<Work, Made> {
  readonly #deps: SigningQueueDeps<Work, Made>;
  readonly #waiting: Waiting<Work, Made>[] = [];
  #running = false;
  #shares = 0;

  constructor(deps: SigningQueueDeps<Work, Made>) {
    this.#deps = deps;
  }

  /**
   * Adds a transaction.
   * @param us estimated time in microseconds
   * @returns the result of another thread; null if the caller must sign the transaction, in the tick in which it gets null
   */
  enqueue(work: Work, us: number): Promise<Made | null> {
    return new Promise((done) => {
      this.#waiting.push({ work, us, done });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      await yieldInQueue();
      const first = this.#waiting.shift() as Waiting<Work, Made>;
      this.#share();
      first.done(null);
    }
    this.#running = false;
  }

  /** Gives every free thread as many transactions as stay in this queue. */
  #share(): void {
    const { mostShares, canPost } = this.#deps;
    for (let free = mostShares - this.#shares; free > 0; free--) {
      const size = Math.ceil(this.#waiting.length / (free + 1));
      if (size < LEAST_SHARE || !canPost()) return;
      void this.#post(size);
    }
  }

  async #post(size: number): Promise<void> {
    const { shareUs, post } = this.#deps;
    const share: Waiting<Work, Made>[] = [];
    for (let us = 0; share.length < size; ) {
      us += this.#waiting[0].us;
      if (us > shareUs) break;
      share.push(this.#waiting.shift() as Waiting<Work, Made>);
    }
    if (share.length === 0) return;
    this.#shares++;
    // If a transaction cannot be prepared, or the pool is closed, each caller of this share signs its own transaction and
    // reports its own error.
    const made = await post(share.map(({ work }) => work)).catch(() => []);
    this.#shares--;
    for (const [i, { done }] of share.entries()) done(made[i] ?? null);
  }
}
