// Order of large replies. Clients are finished one after another: with equal shares nearly all of a thousand clients
// would get their last byte at the very end, and the bytes would leave the processor's caches between the writes. So a
// reply that has started continues before others start. Two rules keep the queue fair: small replies have a lane of
// their own, which gets every second slice, and a reply that was sent SHARE_BYTES in a row goes to the end of its lane
// (docs/decisions/0070-finish-large-replies-in-order.md).

/** Replies up to this size use the lane for small replies. */
const LIGHT_BYTES = 1024 * 1024;

/** Bytes in a row after which a reply goes to the end of its lane: more than any template of ordinary transactions has. */
const SHARE_BYTES = 4 * 1024 * 1024;

/** A reply in the queue. */
export interface Queued {
  /** Size of the body in bytes. */
  readonly total: number;
  /**
   * Bytes sent since the reply was last put at the end of its lane. FanOut adds the bytes of a slice that filled the
   * socket. putBack() adds the bytes of all other slices.
   */
  share: number;
}

class Lane<T> {
  readonly begun: T[] = [];
  readonly fresh: T[] = [];

  takeNext(): T | undefined {
    return this.begun.shift() ?? this.fresh.shift();
  }
}

export class SendQueue<T extends Queued> {
  readonly #light = new Lane<T>();
  readonly #heavy = new Lane<T>();
  #lightNext = true;

  /** Adds a reply that waits for its first slice, or whose socket accepts bytes again. */
  add(reply: T, begun: boolean): void {
    const lane = this.#laneOf(reply);
    const past = reply.share >= SHARE_BYTES;
    if (past) reply.share = 0;
    (begun && !past ? lane.begun : lane.fresh).push(reply);
  }

  /** Removes and returns the next reply. */
  next(): T | undefined {
    const [first, second] = this.#lightNext ? [this.#light, this.#heavy] : [this.#heavy, this.#light];
    this.#lightNext = !this.#lightNext;
    return first.takeNext() ?? second.takeNext();
  }

  /** Puts back a reply whose socket accepted `sentBytes` and may accept more. */
  putBack(reply: T, sentBytes: number): void {
    const lane = this.#laneOf(reply);
    reply.share += sentBytes;
    if (reply.share < SHARE_BYTES) lane.begun.unshift(reply);
    else {
      reply.share = 0;
      lane.fresh.push(reply);
    }
  }

  /** Number of replies in the queue. */
  get size(): number {
    return [this.#light, this.#heavy].reduce((sum, { begun, fresh }) => sum + begun.length + fresh.length, 0);
  }

  #laneOf({ total }: T): Lane<T> {
    return total <= LIGHT_BYTES ? this.#light : this.#heavy;
  }
}
