// Key work of connections, one piece at a time and never more than a tenth of the node thread: a thousand handshakes
// wait for a thousand keys, and other work does not. A peer has one piece pending at a time, so the peer count bounds
// the queue.
import type { EllSwift, EllSwiftKey } from '../../crypto/ellswift.js';

/** Share of the thread's time that keys may take in the long run, and milliseconds they may take at once. */
const SHARE = 0.1;
const BURST_MS = 20;

type Job = () => void;
/** Takes a piece of work back; nothing once it was done. */
export type Cancel = () => void;

export class KeyExchangeQueue {
  readonly #waiting: { readonly urgent: Set<Job>; readonly others: Set<Job> } = { urgent: new Set(), others: new Set() };
  #credit = BURST_MS;
  #countedAt: number;
  #scheduled = false;
  readonly #curve: EllSwift;
  readonly #nowMs: () => number;

  /** @param nowMs milliseconds from an arbitrary start, never going back */
  constructor(curve: EllSwift, nowMs: () => number = () => performance.now()) {
    this.#curve = curve;
    this.#nowMs = nowMs;
    this.#countedAt = nowMs();
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.urgent.size + this.#waiting.others.size;
  }

  /** Makes a key. @param initiating for a peer that we call: before those who call us */
  createKey(initiating: boolean, done: (key: EllSwiftKey) => void): Cancel {
    return this.#submit(initiating, () => done(this.#curve.create()));
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

  /** One piece. */
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

  /** @returns milliseconds of work that may be done now; none below zero */
  #refill(): number {
    const now = this.#nowMs();
    this.#credit = Math.min(BURST_MS, this.#credit + (now - this.#countedAt) * SHARE);
    this.#countedAt = now;
    return this.#credit;
  }
}
