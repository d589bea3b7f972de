// Transactions in line for the thread that asks to sign them, one a turn of the loop. When the line is long, other
// threads get equal shares of it: each in one message, since a trip to another thread and back costs as much as two
// signatures, and little more with eight. Used by pooled-signer.ts.
import { yieldInQueue } from '../lib/slicer.js';

/** A share takes no less: with two a trip pays. */
const LEAST_SHARE = 2;

export interface SigningQueueDeps<Work, Made> {
  /** Shares that may be elsewhere at once. */
  readonly mostShares: number;
  /** Estimated microseconds that a share may take. */
  readonly shareUs: number;
  /** Whether other threads take a share now. */
  readonly canPost: () => boolean;
  /** Signs a share elsewhere. */
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
   * @param us what it takes, in microseconds
   * @returns what another thread made of it; null in the turn in which it is to be signed here
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

  /** Gives every thread that is free as much as stays here. */
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
    // One that cannot be prepared, or a pool that has ended, is no matter of the others: each is signed here, and says
    // what is wrong with it.
    const made = await post(share.map(({ work }) => work)).catch(() => []);
    this.#shares--;
    for (const [i, { done }] of share.entries()) done(made[i] ?? null);
  }
}
