// Sends large replies to many sockets: in slices, one client after another (send-queue.ts), a bounded number of bytes
// per turn of the loop. A small call then waits for one turn at most. A socket that is full leaves the queue until it
// takes more. Used by front.ts for everything above SLICED_BYTES.
import type { Exchange, Header } from './exchange.js';
import { type Queued, SendQueue } from './send-queue.js';

// Bound on replies that are held for clients that do not read and that no other client shares: beyond it, the client
// that has read nothing for longest is cut off.
const HELD_BYTES = 4 * 1024 * 1024;

// A client that has read something within so long is no such client, whatever the others hold, up to a bound for all
// together: a few of the largest replies that the node thread makes.
const READS_MS = 2000;
const MOST_HELD_BYTES = 256 * 1024 * 1024;

/** Replies up to this size are sent whole. */
export const SLICED_BYTES = 256 * 1024;

// Larger slices cost fewer system calls. A turn is some tenths of a millisecond.
const SLICE_BYTES = 512 * 1024;
const TICK_BYTES = 1024 * 1024;

// What a client that is never read from may take besides the others, when room is made for a new reply.
const FIRST_BYTES = 128 * 1024;

// From so many replies in the queue on, sending them is ordinary work and not urgent, until few enough (FEW) are left.
const CROWD = 32;
const FEW = 4;

/** Bytes of another owner, which release() gives back. */
export interface FanOutBody {
  /** In order; concatenated they are the body. */
  readonly parts: readonly Uint8Array[];
  /** Slab that a part lies in, -1 when none does: eviction closes by it. */
  readonly slabIndex: number;
  /** A part that replies to other clients have too: counted once for all of them. */
  readonly shared?: Uint8Array;
  /** Called once when the bytes are not needed any more. */
  release(): void;
}

interface Job extends Queued {
  readonly exchange: Exchange;
  readonly body: FanOutBody;
  readonly parts: readonly Uint8Array[];
  /** Part being sent and where it begins in the body. */
  part: number;
  partStart: number;
  /** Bytes of the body taken by the socket. */
  offset: number;
  queued: boolean;
  over: boolean;
  /** The body is this client's alone and counts against what is held. */
  readonly own: boolean;
  /** Bytes that are held for it alone. */
  readonly ownBytes: number;
  /** When the socket took bytes last. */
  movedMs: number;
}

export class FanOut {
  readonly #jobs = new Set<Job>();
  readonly #queue = new SendQueue<Job>();
  readonly #onCrowd: (crowded: boolean) => void;
  readonly #nowMs: () => number;
  #crowded = false;
  #scheduled = false;
  #held = 0;
  /** Replies that a shared part is in. */
  readonly #sharedBy = new Map<Uint8Array, number>();
  #cut = 0;

  /**
   * @param onCrowd told when very many replies wait for their slices, and when few are left of them; clients that don't
   * read don't count
   * @param nowMs a clock that never goes back
   */
  constructor(onCrowd: (crowded: boolean) => void = () => {}, nowMs: () => number = () => performance.now()) {
    this.#onCrowd = onCrowd;
    this.#nowMs = nowMs;
  }

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
      share: 0,
      part: 0,
      partStart: 0,
      offset: 0,
      queued: false,
      over: false,
      own: body.slabIndex < 0,
      ownBytes: body.slabIndex < 0 ? total - (body.shared?.byteLength ?? 0) : 0,
      movedMs: this.#nowMs(),
    };
    exchange.onDisconnect = () => this.#finish(job);
    this.#jobs.add(job);
    this.#addHeldBytes(job);
    if (!exchange.startPieces(type, extra, () => this.#enqueue(job))) {
      this.#finish(job);
      return;
    }
    if (job.own) {
      // What the socket takes at once makes room for others.
      this.#slice(job, this.#held > HELD_BYTES ? job.total : FIRST_BYTES);
      if (job.over) return;
      this.#enforceHeldLimit(job);
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
      share: 0,
      part: 0,
      partStart: 0,
      offset: total - left,
      queued: false,
      over: false,
      own: true,
      ownBytes: total,
      movedMs: this.#nowMs(),
    };
    exchange.onDisconnect = () => this.#finish(job);
    exchange.resumeWith(() => this.#enqueue(job));
    this.#jobs.add(job);
    this.#addHeldBytes(job);
    this.#enforceHeldLimit(job);
  }

  #addHeldBytes(job: Job): void {
    this.#held += job.ownBytes;
    const { shared } = job.body;
    if (shared === undefined) return;
    const users = this.#sharedBy.get(shared) ?? 0;
    if (users === 0) this.#held += shared.byteLength;
    this.#sharedBy.set(shared, users + 1);
  }

  #subtractHeldBytes(job: Job): void {
    this.#held -= job.ownBytes;
    const { shared } = job.body;
    if (shared === undefined) return;
    const users = (this.#sharedBy.get(shared) ?? 1) - 1;
    if (users > 0) this.#sharedBy.set(shared, users);
    else {
      this.#sharedBy.delete(shared);
      this.#held -= shared.byteLength;
    }
  }

  /** Bytes of replies that are in no slab. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Clients cut off because they did not read. */
  get cutOff(): number {
    return this.#cut;
  }

  /**
   * The memory bound comes before fairness: what sockets take is sent at once, and the clients that read nothing for
   * longest are cut off, until the rest fits or only clients that read are left. Jobs that progress move to the end.
   */
  #enforceHeldLimit(newest: Job): void {
    const reading = this.#nowMs() - READS_MS;
    for (const job of [...this.#jobs]) {
      if (this.#held <= HELD_BYTES) return;
      if (!job.own || job === newest) continue;
      // All that follow got on later.
      if (this.#held <= MOST_HELD_BYTES && job.movedMs > reading) return;
      this.#slice(job, job.total);
      if (job.over || (this.#held <= MOST_HELD_BYTES && job.movedMs > reading)) continue;
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
    this.#queue.add(job, job.offset > 0);
    if (!this.#crowded && this.#queue.size >= CROWD) this.#onCrowd((this.#crowded = true));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#runTick);
  }

  #runTick = (): void => {
    this.#scheduled = false;
    try {
      this.#sendSlices();
    } finally {
      // Also when a socket threw: the others have nothing to do with it.
      const waiting = this.#queue.size;
      if (this.#crowded && waiting <= FEW) this.#onCrowd((this.#crowded = false));
      if (waiting > 0) this.#schedule();
    }
  };

  /** A turn's worth of slices. */
  #sendSlices(): void {
    for (let budget = TICK_BYTES; budget > 0; ) {
      const job = this.#queue.next();
      if (!job) break;
      job.queued = false;
      if (job.over) continue;
      const before = job.offset;
      const more = this.#slice(job, Math.min(budget, SLICE_BYTES));
      const sent = job.offset - before;
      budget -= Math.max(sent, 1024);
      if (!more || job.over) {
        job.share += sent;
        continue;
      }
      job.queued = true;
      this.#queue.back(job, sent);
    }
  }

  /** Sends up to a slice. @returns whether the socket took all of it and may take more */
  #slice(job: Job, sliceBytes: number): boolean {
    const pieces: Uint8Array[] = [];
    let offered = 0;
    let from = job.offset - job.partStart;
    for (let at = job.part; at < job.parts.length && offered < sliceBytes; at++) {
      const piece = job.parts[at].subarray(from, from + sliceBytes - offered);
      pieces.push(piece);
      offered += piece.byteLength;
      from = 0;
    }
    const offset = this.#push(job, pieces);
    if (offset < 0) {
      this.#finish(job);
      return false;
    }
    const taken = offset - job.offset;
    if (taken > 0 && job.own) {
      job.movedMs = this.#nowMs();
      this.#jobs.delete(job);
      this.#jobs.add(job);
    }
    job.offset = offset;
    if (offset === job.total) this.#finish(job);
    else {
      while (offset - job.partStart >= job.parts[job.part].byteLength) job.partStart += job.parts[job.part++].byteLength;
    }
    return taken === offered;
  }

  /** @throws what the socket throws, which is cut off then: nothing would send the rest */
  #push(job: Job, pieces: readonly Uint8Array[]): number {
    try {
      return job.exchange.push(pieces, job.total);
    } catch (error) {
      this.#finish(job);
      job.exchange.close();
      throw error;
    }
  }

  #finish(job: Job): void {
    if (job.over) return;
    job.over = true;
    this.#jobs.delete(job);
    this.#subtractHeldBytes(job);
    job.body.release();
  }
}
