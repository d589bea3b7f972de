// The order of large replies. Clients are finished one after another: a template given to a thousand waiters
// in equal shares reaches nearly all of them at the very end, and its bytes leave the processor's caches between
// writing and reading. So a reply that has begun goes on before others begin. Two things keep that fair: lighter
// replies have a lane of their own, which gets every second slice, and a reply that took a fair share in a row goes to
// the back of its lane. Used by fan-out.ts.

/** Replies up to this size never wait behind a row of heavier ones. */
const LIGHT_BYTES = 1024 * 1024;

/** A reply that has had so much in a row lets others pass: more than any template of ordinary transactions. */
const SHARE_BYTES = 4 * 1024 * 1024;

/** What the queue knows of a reply. */
export interface Queued {
  /** Bytes in all. */
  readonly total: number;
  /**
   * Bytes sent since it was last at the back; the owner adds those of a slice that filled the socket, back() the
   * others.
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

  /** A reply that waits for its first slice, or whose client takes bytes again. */
  add(reply: T, begun: boolean): void {
    const lane = this.#laneOf(reply);
    const past = reply.share >= SHARE_BYTES;
    if (past) reply.share = 0;
    (begun && !past ? lane.begun : lane.fresh).push(reply);
  }

  /** Takes out the next reply. */
  next(): T | undefined {
    const [first, second] = this.#lightNext ? [this.#light, this.#heavy] : [this.#heavy, this.#light];
    this.#lightNext = !this.#lightNext;
    return first.takeNext() ?? second.takeNext();
  }

  /** Puts back a reply that took so many bytes and could take more. */
  back(reply: T, sentBytes: number): void {
    const lane = this.#laneOf(reply);
    reply.share += sentBytes;
    if (reply.share < SHARE_BYTES) lane.begun.unshift(reply);
    else {
      reply.share = 0;
      lane.fresh.push(reply);
    }
  }

  /** Replies that wait for a slice. */
  get size(): number {
    return [this.#light, this.#heavy].reduce((sum, { begun, fresh }) => sum + begun.length + fresh.length, 0);
  }

  #laneOf({ total }: T): Lane<T> {
    return total <= LIGHT_BYTES ? this.#light : this.#heavy;
  }
}
