// Sends large replies to many sockets fairly: round robin, one slice each, a bounded number of bytes per turn of the loop. A small
// call then waits for one turn at most, and the last client is served no later than with a loop that writes everything at
// once. A socket that is full leaves the round until it takes more. Used by front.ts for everything above SLICED_BYTES.
import type { Exchange, Header } from './exchange.js';

// Replies of one client alone, held because it does not read: so many bytes in all, then whoever has read nothing for longest is cut off.
const HELD_BYTES = 4 * 1024 * 1024;

/** Replies up to this size are sent whole. */
export const SLICED_BYTES = 256 * 1024;

// 128 kB pieces keep the round fair when many wait; few receivers get larger ones, which cost fewer system calls.
const SMALL_SLICE_BYTES = 128 * 1024;
const LARGE_SLICE_BYTES = 256 * 1024;
const TURN_BYTES = 1024 * 1024;
const FEW_RECEIVERS = 4;

/** Bytes that somebody else owns and wants to have back. */
export interface FanOutBody {
  /** In order; concatenated they are the body. */
  readonly parts: readonly Uint8Array[];
  /** Slab that a part lies in, -1 when none does: eviction closes by it. */
  readonly slabIndex: number;
  /** Called once when the bytes are not needed any more. */
  release(): void;
}

interface Job {
  readonly exchange: Exchange;
  readonly body: FanOutBody;
  readonly parts: readonly Uint8Array[];
  readonly total: number;
  /** Part being sent and where it begins in the body. */
  part: number;
  partStart: number;
  /** Bytes of the body taken by the socket. */
  offset: number;
  queued: boolean;
  over: boolean;
  /** The body is this client's alone and counts against what is held. */
  readonly own: boolean;
}

export class FanOut {
  readonly #jobs = new Set<Job>();
  #round: Job[] = [];
  #scheduled = false;
  #held = 0;
  #cut = 0;

  /** Replies being sent. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Takes over a 200 reply of any length. The body is released even when the client has gone already. */
  send(exchange: Exchange, type: string, body: FanOutBody, extra?: Header): void {
    let total = 0;
    const parts = body.parts.filter((part) => part.byteLength > 0);
    for (const part of parts) total += part.byteLength;
    const job: Job = {
      exchange,
      body,
      parts,
      total,
      part: 0,
      partStart: 0,
      offset: 0,
      queued: false,
      over: false,
      own: body.slabIndex < 0,
    };
    exchange.onGone = () => this.#finish(job);
    this.#jobs.add(job);
    if (job.own) this.#held += job.total;
    if (!exchange.startPieces(type, extra, () => this.#enqueue(job))) {
      this.#finish(job);
      return;
    }
    if (job.own) {
      // What the socket takes at once makes room for others.
      this.#slice(job, this.#held > HELD_BYTES ? job.total : SMALL_SLICE_BYTES);
      if (job.over) return;
      this.#makeRoom(job);
    }
    this.#enqueue(job);
  }

  /** Takes over the end of a reply that a socket took only the beginning of. */
  adopt(exchange: Exchange, body: string | Uint8Array, left: number): void {
    const whole = typeof body === 'string' ? Buffer.from(body) : body;
    const total = whole.byteLength;
    const job: Job = {
      exchange,
      body: { parts: [whole], slabIndex: -1, release() {} },
      parts: [whole],
      total,
      part: 0,
      partStart: 0,
      offset: total - left,
      queued: false,
      over: false,
      own: true,
    };
    exchange.onGone = () => this.#finish(job);
    exchange.resumeWith(() => this.#enqueue(job));
    this.#jobs.add(job);
    this.#held += total;
    this.#makeRoom(job);
  }

  /** Bytes of replies held for one client each. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Clients cut off because they did not read. */
  get cutOff(): number {
    return this.#cut;
  }

  /**
   * Fairness ends where memory does: what sockets take is sent at once, and whoever has waited longest for its client to read is cut off,
   * until the rest fits. Jobs move to the end when they get on.
   */
  #makeRoom(newest: Job): void {
    for (const job of [...this.#jobs]) {
      if (this.#held <= HELD_BYTES) return;
      if (!job.own || job === newest) continue;
      this.#slice(job, job.total);
      if (job.over) continue;
      this.#cut++;
      job.exchange.close();
    }
  }

  /** Cuts off every reader of a slab; returns how many there were. */
  evict(slabIndex: number): number {
    const readers = [...this.#jobs].filter((job) => job.body.slabIndex === slabIndex);
    for (const job of readers) job.exchange.close();
    return readers.length;
  }

  #enqueue(job: Job): void {
    if (job.queued || job.over) return;
    job.queued = true;
    this.#round.push(job);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  #turn = (): void => {
    this.#scheduled = false;
    const slice = this.#round.length <= FEW_RECEIVERS ? LARGE_SLICE_BYTES : SMALL_SLICE_BYTES;
    let budget = TURN_BYTES;
    let at = 0;
    while (at < this.#round.length && budget > 0) {
      const job = this.#round[at++];
      job.queued = false;
      if (job.over) continue;
      const sent = this.#slice(job, slice);
      budget -= Math.max(sent, 1024);
      if (sent > 0 && !job.over) this.#requeue(job);
    }
    this.#round.splice(0, at);
    if (this.#round.length > 0 && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#turn);
    }
  };

  #requeue(job: Job): void {
    job.queued = true;
    this.#round.push(job);
  }

  /** Sends up to a slice; returns the bytes taken, 0 when the socket is full or the reply is over. */
  #slice(job: Job, sliceBytes: number): number {
    let sent = 0;
    while (sent < sliceBytes) {
      const part = job.parts[job.part];
      const from = job.offset - job.partStart;
      const piece = part.subarray(from, Math.min(part.byteLength, from + sliceBytes - sent));
      const offset = job.exchange.push(piece, job.total);
      if (offset < 0) {
        this.#finish(job);
        return 0;
      }
      const taken = offset - job.offset;
      if (taken > 0 && job.own) {
        this.#jobs.delete(job);
        this.#jobs.add(job);
      }
      job.offset = offset;
      sent += taken;
      if (offset === job.total) {
        this.#finish(job);
        return sent;
      }
      while (job.part < job.parts.length && offset - job.partStart >= job.parts[job.part].byteLength) {
        job.partStart += job.parts[job.part].byteLength;
        job.part++;
      }
      if (taken < piece.byteLength) return 0;
    }
    return sent;
  }

  #finish(job: Job): void {
    if (job.over) return;
    job.over = true;
    this.#jobs.delete(job);
    if (job.own) this.#held -= job.total;
    job.body.release();
  }
}
