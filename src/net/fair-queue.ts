// The peer to serve next: of those with work pending, the one that took the least of the node thread lately. A peer
// that floods only delays itself, and what an honest one sends now and then is handled at once, however many others
// are busy.

/** What a peer used counts half after this long, ms. */
const HALF_LIFE_MS = 1_000;
/** What a new peer is charged with at first, ms: reconnecting gives no advantage over peers that stay. */
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

  /** The peer has work pending. */
  add(peer: P): void {
    if (!this.#use.has(peer)) this.#use.set(peer, { ms: NEWCOMER_MS, atMs: this.#nowMs() });
    this.#waiting.add(peer);
  }

  /** Takes the next peer out. */
  takeNext(): P | undefined {
    const now = this.#nowMs();
    let best: P | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const peer of this.#waiting) {
      const used = this.used(peer, now);
      // Among equals the one that waits longest: sets keep their order.
      if (used >= least) continue;
      best = peer;
      least = used;
    }
    if (best !== undefined) this.#waiting.delete(best);
    return best;
  }

  /** The peer used so much of the thread. @param ms real time */
  charge(peer: P, ms: number): void {
    const now = this.#nowMs();
    this.#use.set(peer, { ms: this.used(peer, now) + ms, atMs: now });
  }

  /** What still counts of a peer's use, ms. */
  used(peer: P, nowMs = this.#nowMs()): number {
    const use = this.#use.get(peer);
    return use === undefined ? 0 : use.ms * 0.5 ** ((nowMs - use.atMs) / HALF_LIFE_MS);
  }
}
