// Queue of key exchanges, which run one at a time and use at most a tenth of the thread's time
// (docs/decisions/0029-key-exchange-throttled.md). Even a thousand handshakes delay only each other, not other work of
// the thread. Each peer has at most one entry, so the number of peers bounds the queue.
import type { EllSwift, EllSwiftKey } from '../../crypto/ellswift.js';

/** Share of the thread's time for keys in the long run, and milliseconds that they may take at once. */
const SHARE = 0.1;
const BURST_MS = 20;

type Job = () => void;
/** Cancels queued work; does nothing once the work was done. */
export type Cancel = () => void;

export class KeyExchangeQueue {
  readonly #waiting: { readonly urgent: Set<Job>; readonly others: Set<Job> } = { urgent: new Set(), others: new Set() };
  #credit = BURST_MS;
  #countedAt: number;
  #scheduled = false;
  readonly #curve: EllSwift;
  readonly #nowMs: () => number;

  /** @param nowMs returns milliseconds of a monotonic clock */
  constructor(curve: EllSwift, nowMs: () => number = () => performance.now()) {
    this.#curve = curve;
    this.#nowMs = nowMs;
    this.#countedAt = nowMs();
  }

  /** Number of queued entries. */
  get waiting(): number {
    return this.#waiting.urgent.size + this.#waiting.others.size;
  }

  /** Creates a key. @param initiating whether this node opened the connection; such keys go first */
  createKey(initiating: boolean, done: (key: EllSwiftKey) => void): Cancel {
    return this.#submit(initiating, () => done(this.#curve.createKey()));
  }

  /** Computes the secret shared with a peer. @param theirs 64 bytes */
  computeSecret(initiating: boolean, ours: EllSwiftKey, theirs: Uint8Array, done: (secret: Uint8Array) => void): Cancel {
    return this.#submit(initiating, () => done(this.#curve.sharedSecret(ours, theirs, initiating)));
  }

  #submit(urgent: boolean, job: Job): Cancel {
    const queue = urgent ? this.#waiting.urgent : this.#waiting.others;
    queue.add(job);
    this.#schedule();
    return () => queue.delete(job);
  }

  #schedule(): void {
    if (this.#scheduled || this.waiting === 0) return;
    this.#scheduled = true;
    const run = (): void => {
      this.#scheduled = false;
      this.#work();
      this.#schedule();
    };
    const missing = -this.#refill();
    if (missing < 0) setImmediate(run);
    else setTimeout(run, Math.ceil(missing / SHARE) + 1).unref();
  }

  /** Runs one entry. */
  #work(): void {
    const { urgent, others } = this.#waiting;
    const queue = urgent.size > 0 ? urgent : others;
    const [job] = queue;
    if (job === undefined) return;
    queue.delete(job);
    const began = this.#nowMs();
    job();
    this.#credit -= this.#nowMs() - began;
  }

  /** Adds the time that has passed to the credit. @returns milliseconds of work that may be done now; none if not above zero */
  #refill(): number {
    const now = this.#nowMs();
    this.#credit = Math.min(BURST_MS, this.#credit + (now - this.#countedAt) * SHARE);
    this.#countedAt = now;
    return this.#credit;
  }
}
