// Queue of peers with pending work. The next peer is the one that used the least time of the thread lately. So a flood
// delays only its sender, and a rare message of another peer is handled at once, however many peers are busy.

/** Time in ms after which recorded use counts half. */
const HALF_LIFE_MS = 1_000;
/** Use in ms that a new peer starts with, so that reconnecting gives no advantage. */
const NEWCOMER_MS = 5;

interface Use {
  readonly ms: number;
  readonly atMs: number;
}

export class FairQueue<P extends object> {
  readonly #use = new WeakMap<P, Use>();
  readonly #waiting = new Set<P>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a peer that has work pending. */
  add(peer: P): void {
    if (!this.#use.has(peer)) this.#use.set(peer, { ms: NEWCOMER_MS, atMs: this.#nowMs() });
    this.#waiting.add(peer);
  }

  /** Removes and returns the next peer. */
  takeNext(): P | undefined {
    const now = this.#nowMs();
    let best: P | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const peer of this.#waiting) {
      const used = this.used(peer, now);
      // Among equals, the peer that waits longest goes first: sets keep their order.
      if (used >= least) continue;
      best = peer;
      least = used;
    }
    if (best !== undefined) this.#waiting.delete(best);
    return best;
  }

  /** Runs work and records its time for the peer. */
  chargeTo<T>(peer: P, work: () => T): T {
    const began = this.#nowMs();
    try {
      return work();
    } finally {
      this.charge(peer, this.#nowMs() - began);
    }
  }

  /** Records time that a peer used. @param ms real time */
  charge(peer: P, ms: number): void {
    const now = this.#nowMs();
    this.#use.set(peer, { ms: this.used(peer, now) + ms, atMs: now });
  }

  /** Returns the decayed use of a peer, ms. */
  used(peer: P, nowMs = this.#nowMs()): number {
    const use = this.#use.get(peer);
    return use === undefined ? 0 : use.ms * 0.5 ** ((nowMs - use.atMs) / HALF_LIFE_MS);
  }
}
