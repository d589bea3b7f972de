// Sends large replies (above SLICED_BYTES) to many sockets in slices, one client after another (send-queue.ts), with a
// limited number of bytes per event-loop tick. A small call then waits for at most one tick. A socket that is full
// leaves the queue until it drains.
import type { Exchange, Header } from './exchange.js';
import { type Queued, SendQueue } from './send-queue.js';

// Maximum size in bytes of replies that are held for clients that do not read, without bytes that several clients
// share. Above this limit, the client that has read nothing for the longest time is disconnected.
const HELD_BYTES = 4 * 1024 * 1024;

// A client that has read something within READS_MS is not disconnected, up to a limit for all clients together: a few
// of the largest replies that the node thread makes. The system accepts more bytes for a socket when a third of its
// buffer (up to 4 MB on Linux) is free, so a client that reads 256 kB/s seems to read nothing for five seconds.
const READS_MS = 10_000;
const MOST_HELD_BYTES = 256 * 1024 * 1024;

/** Replies up to this size are sent at once. */
export const SLICED_BYTES = 256 * 1024;

// Bytes per slice, and per event-loop tick. Larger slices need fewer system calls. Sending the bytes of a tick takes some
// tenths of a millisecond.
const SLICE_BYTES = 512 * 1024;
const TICK_BYTES = 1024 * 1024;

// First bytes of a reply that are offered to its socket at once while the memory limit is not reached.
const FIRST_BYTES = 128 * 1024;

// onCrowd(true) is called when CROWD replies are in the queue, and onCrowd(false) when only FEW are left.
const CROWD = 32;
const FEW = 4;

/** Bytes that several replies share, identified by the object. */
export interface SharedPart {
  readonly byteLength: number;
}

/** The body of a reply. Its bytes belong to another owner, to which release() returns them. */
export interface FanOutBody {
  /** Parts of the body in order. */
  readonly parts: readonly Uint8Array[];
  /** Index of the slab that contains a part; -1 if no slab does. evict() disconnects the readers of a slab by this index. */
  readonly slabIndex: number;
  /** A part that several replies share: its bytes count once for all of them. */
  readonly shared?: SharedPart;
  /** Called once when the bytes are no longer needed. */
  release(): void;
}

interface Job extends Queued {
  readonly exchange: Exchange;
  readonly body: FanOutBody;
  readonly parts: readonly Uint8Array[];
  /** Index of the part that is being sent, and its offset in the body. */
  part: number;
  partStart: number;
  /** Bytes of the body that the socket has accepted. */
  offset: number;
  queued: boolean;
  over: boolean;
  /** True if the body lies in no slab, so that its bytes count as held. */
  readonly own: boolean;
  /** Bytes that only this reply holds. */
  readonly ownBytes: number;
  /** Time when the socket last accepted bytes. */
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
  /** Number of replies that contain a shared part. */
  readonly #sharedBy = new Map<SharedPart, number>();
  #cut = 0;

  /**
   * @param onCrowd called when many replies wait for their slices (true), and when few of them are left (false);
   *   clients that do not read do not count
   * @param nowMs a monotonic clock
   */
  constructor(onCrowd: (crowded: boolean) => void = () => {}, nowMs: () => number = () => performance.now()) {
    this.#onCrowd = onCrowd;
    this.#nowMs = nowMs;
  }

  /** Number of replies that are being sent. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Sends a reply with status 200 of any length. Releases the body even if the client has disconnected. */
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
      // Bytes that the socket accepts at once need not be held.
      this.#slice(job, this.#held > HELD_BYTES ? job.total : FIRST_BYTES);
      if (job.over) return;
      this.#enforceHeldLimit(job);
    }
    this.#enqueue(job);
  }

  /**
   * Sends the rest of a reply of which the socket accepted only the beginning.
   * @param left bytes that are not sent yet
   */
  adopt(exchange: Exchange, body: string | Uint8Array | readonly Uint8Array[], left: number): void {
    const parts = typeof body === 'string' ? [Buffer.from(body)] : body instanceof Uint8Array ? [body] : body;
    const total = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const job: Job = {
      exchange,
      body: { parts, slabIndex: -1, release() {} },
      parts,
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
    skipSent(job);
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

  /** Bytes of replies that are held and lie in no slab. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Number of clients that were disconnected because they did not read. */
  get cutOff(): number {
    return this.#cut;
  }

  /**
   * Enforces the limit on held bytes, which is more important than fairness. Offers every held reply to its socket, and
   * disconnects the clients that have read nothing for the longest time, until the rest is within the limit or only
   * clients that read are left. Jobs that make progress move to the end of the list.
   */
  #enforceHeldLimit(newest: Job | null): void {
    const reading = this.#nowMs() - READS_MS;
    for (const job of [...this.#jobs]) {
      if (this.#held <= HELD_BYTES) return;
      if (!job.own || job === newest) continue;
      // All following jobs made progress more recently.
      if (this.#held <= MOST_HELD_BYTES && job.movedMs > reading) return;
      this.#slice(job, job.total);
      if (job.over || (this.#held <= MOST_HELD_BYTES && job.movedMs > reading)) continue;
      this.#cut++;
      job.exchange.close();
    }
  }

  /** Enforces the limit on held bytes, for replies that wait until others are sent. */
  cutStalled(): void {
    this.#enforceHeldLimit(null);
  }

  /** Disconnects every reader of a slab. @returns number of disconnected readers */
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
      // Continue even if a socket threw: the other clients are not affected.
      const waiting = this.#queue.size;
      if (this.#crowded && waiting <= FEW) this.#onCrowd((this.#crowded = false));
      if (waiting > 0) this.#schedule();
    }
  };

  /** Sends slices for one event-loop tick. */
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
      this.#queue.putBack(job, sent);
    }
  }

  /** Sends up to `sliceBytes`. @returns whether the socket accepted all of them and may accept more */
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
    else skipSent(job);
    return taken === offered;
  }

  /**
   * Offers pieces to the socket.
   * @throws the socket's exception, after closing the connection, because nothing would send the rest
   */
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

/** Moves to the part that contains the next byte. */
function skipSent(job: Job): void {
  while (job.offset - job.partStart >= job.parts[job.part].byteLength) job.partStart += job.parts[job.part++].byteLength;
}
