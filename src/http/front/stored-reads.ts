// Fills replies of the node thread that contain read jobs (rpc/reads/unfilled.ts): runs the jobs on render threads and
// sends the results. Clients that ask for the same at the same time, or shortly afterwards, share one result.
import { yieldToLoop } from '../../lib/time-slice.js';
import type { RenderPool } from '../../parallel/render-pool.js';
import { RPC_CODE, RpcError } from '../../rpc/errors.js';
import type { Piece } from '../../rpc/front/known-batch.js';
import { isSmallJob, type ReadResult } from '../../rpc/reads/read-job.js';
import { decodeUnfilled, type EntryFacts, type Hole } from '../../rpc/reads/unfilled.js';
import { ReplyQuota } from '../../rpc/wire/batch-reply.js';
import { encodeEnvelope, envelopeAround, errorReply, faultReply } from '../../rpc/wire/reply.js';
import type { Exchange } from './exchange.js';
import { TYPE_JSON } from './pages.js';
import type { Replies } from './reply.js';
import { SharedResult } from './shared-result.js';

export interface StoredReadsDeps {
  readonly pool: RenderPool<ReadResult>;
  /** Runs a small job on this thread. */
  readonly render: (job: string) => ReadResult;
  readonly replies: Replies;
  /** Number of fronts, which share the limits on memory. */
  readonly fronts: number;
  /** Logs a line for the operator. */
  log(line: string): void;
  /** Counts a call that ended. */
  count(method: string, seconds: number, failed: boolean): void;
}

interface Running {
  readonly result: Promise<SharedResult | RpcError>;
  readonly abort: AbortController;
  users: number;
}

/** Bytes of results that are cached, of all fronts together. */
const CACHED_BYTES = 32 << 20;
/**
 * Bytes of results that wait for their clients or are being rendered, of all fronts together. Jobs beyond wait. A job
 * counts with the size of the last large results, because its own is not known before.
 */
const MOST_BYTES = 128 << 20;
/** Milliseconds after which jobs that wait for memory are checked again, because readers free memory without notice. */
const RETRY_MS = 100;
/** Share of an estimate that remains after a smaller result. */
const DECAY = 0.9;
/** Bytes of a cached result besides its parts and its job. */
const ENTRY_BYTES = 1024;
/** Largest reply of a batch, and bytes of all batches that wait for results, of all fronts together. */
const BATCH_BYTES = 256 << 20;
const ALL_BATCHES_BYTES = 512 << 20;
/** Pieces of a batch that are made at once: four jobs, and the text between them. */
const BATCH_PIECES = 8;
/** Milliseconds of small jobs after which a batch yields to the event loop. */
const SLICE_MS = 5;

export class StoredReads {
  readonly #deps: StoredReadsDeps;
  readonly #running = new Map<string, Running>();
  /** Results by job, the least recently used first. */
  readonly #cached = new Map<string, SharedResult>();
  #cachedBytes = 0;
  readonly #waiting: ((reserved: number) => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  readonly #batchQuota: ReplyQuota;
  #estimate = 1 << 20;
  /** Number of jobs that were given to the pool. */
  #started = 0;
  /** Sum of the estimates of running jobs. */
  #reserved = 0;

  constructor(deps: StoredReadsDeps) {
    this.#deps = deps;
    const all = ALL_BATCHES_BYTES / deps.fronts;
    this.#batchQuota = new ReplyQuota({ each: Math.min(BATCH_BYTES, all), all });
  }

  /** Ends the render threads. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    await this.#deps.pool.close();
  }

  /** Fills and sends a reply to a JSON-RPC body. @param body valid until this returns */
  answer(exchange: Exchange, body: Uint8Array | string): void {
    const pieces = decodeUnfilled(body);
    const [first] = pieces;
    if (pieces.length === 1 && typeof first === 'object') this.answerHole(exchange, first);
    else this.answerPieces(exchange, pieces);
  }

  /** Fills and sends a reply in pieces. */
  answerPieces(exchange: Exchange, pieces: readonly (string | Piece)[]): void {
    void this.#answerBatch(exchange, pieces);
  }

  /** Fills and sends a reply to a single request. */
  answerHole(exchange: Exchange, hole: Hole): void {
    void this.#answerOne(exchange, hole);
  }

  async #answerOne(exchange: Exchange, hole: Hole): Promise<void> {
    const result = await this.run(exchange, hole);
    const { entry } = hole;
    if (exchange.disconnected) return;
    if (result instanceof RpcError) {
      const { status, body } = errorReply(entry, result, entry.version === 2);
      this.#deps.replies.sendJson(exchange, status, body);
      return;
    }
    const [prefix, suffix] = envelopeAround(entry);
    this.#deps.replies.sendParts(exchange, TYPE_JSON, [Buffer.from(prefix), ...result.parts, Buffer.from(suffix)], { shared: result });
  }

  async #answerBatch(exchange: Exchange, pieces: readonly (string | Piece)[]): Promise<void> {
    const quota = this.#batchQuota;
    const waits = new Waits(exchange);
    const results: Promise<readonly Uint8Array[]>[] = [];
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let begun = performance.now();
    try {
      for (const [i] of pieces.entries()) {
        if (performance.now() - begun > SLICE_MS) {
          await yieldToLoop();
          begun = performance.now();
        }
        while (results.length < pieces.length && results.length < i + BATCH_PIECES)
          results.push(this.#piece(waits, pieces[results.length]));
        const more = await results[i];
        if (exchange.disconnected) return;
        const size = more.reduce((sum, { byteLength }) => sum + byteLength, 0);
        if (bytes + size > quota.each || !quota.reserveSize(size)) {
          const { status, body } = faultReply(new RpcError(RPC_CODE.OUT_OF_MEMORY, 'The reply of this batch is too large'));
          waits.leave();
          this.#deps.replies.sendJson(exchange, status, body);
          return;
        }
        bytes += size;
        for (const part of more) parts.push(part);
      }
      this.#deps.replies.sendParts(exchange, TYPE_JSON, parts);
    } finally {
      quota.releaseSize(bytes);
    }
  }

  async #piece(waits: Waits, piece: string | Piece): Promise<readonly Uint8Array[]> {
    if (typeof piece === 'string') return [Buffer.from(piece)];
    if (!('job' in piece)) return [piece];
    const { entry } = piece;
    const result = await this.#run(waits, piece);
    if (result instanceof RpcError) return [Buffer.from(encodeEnvelope(entry, { error: result }))];
    const [prefix, suffix] = around(entry);
    return [prefix, ...result.parts, suffix];
  }

  /** Runs a job for a client. The job is dropped if all its clients disconnect before it starts. Never rejects. */
  run(exchange: Exchange, hole: Hole): Promise<SharedResult | RpcError> {
    return this.#run(new Waits(exchange), hole);
  }

  async #run(waits: Waits, { job, method, seconds }: Hole): Promise<SharedResult | RpcError> {
    const begunMs = performance.now();
    const result = await this.#resultOf(waits, job);
    this.#deps.count(method, seconds + (performance.now() - begunMs) / 1000, result instanceof RpcError);
    return result;
  }

  async #resultOf(waits: Waits, job: string): Promise<SharedResult | RpcError> {
    const cached = this.#cached.get(job);
    if (cached !== undefined) {
      this.#cached.delete(job);
      this.#cached.set(job, cached);
      return cached;
    }
    if (isSmallJob(job)) {
      const result = this.#outcome(this.#deps.render(job));
      if (result instanceof SharedResult) this.#keep(job, result);
      return result;
    }
    const running = this.#running.get(job) ?? this.#start(job);
    running.users++;
    const leave = (): void => {
      if (--running.users > 0) return;
      running.abort.abort();
      if (this.#running.get(job) === running) this.#running.delete(job);
    };
    waits.add(leave);
    const result = await running.result;
    waits.delete(leave);
    return result;
  }

  #start(job: string): Running {
    const abort = new AbortController();
    const running: Running = { abort, users: 0, result: this.#render(job, abort.signal) };
    this.#running.set(job, running);
    void running.result.then(() => {
      if (this.#running.get(job) === running) this.#running.delete(job);
    });
    return running;
  }

  async #render(job: string, signal: AbortSignal): Promise<SharedResult | RpcError> {
    const { pool, log } = this.#deps;
    const reserved = await new Promise<number>((resolve) => {
      this.#waiting.push(resolve);
      this.#startWaiting();
    });
    let held = 0;
    try {
      const result = await pool.run(job, signal);
      if (result === null) return new RpcError(RPC_CODE.MISC_ERROR, 'The client has disconnected');
      const shared = this.#outcome(result);
      if (shared instanceof RpcError) return shared;
      this.#estimate = Math.max(shared.byteLength, Math.ceil(this.#estimate * DECAY));
      this.#keep(job, shared);
      held = shared.byteLength;
      return shared;
    } catch (error) {
      log(`Rendering a reply failed: ${error instanceof Error ? error.message : error}`);
      return new RpcError(RPC_CODE.MISC_ERROR, 'Internal error');
    } finally {
      this.#started--;
      this.#reserved += held - reserved;
      // The clients get the result in this event-loop task. From then on the replies count.
      setImmediate(() => {
        this.#reserved -= held;
        this.#startWaiting();
      });
      this.#startWaiting();
    }
  }

  #outcome(result: ReadResult): SharedResult | RpcError {
    if ('parts' in result) return new SharedResult(result.parts);
    if (result.log !== null) this.#deps.log(result.log);
    return new RpcError(result.code, result.message);
  }

  /**
   * Returns whether another job may start. The pool gets no more jobs than threads, because the first large results
   * would exceed the estimates of all jobs that wait in the pool.
   */
  #mayStart(): boolean {
    if (this.#started >= this.#deps.pool.threads) return false;
    const most = MOST_BYTES / this.#deps.fronts;
    const held = this.#deps.replies.fanOut.heldBytes;
    return this.#reserved === 0 ? held < most : this.#reserved + held + this.#estimate <= most;
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#mayStart()) {
      this.#reserved += this.#estimate;
      this.#started++;
      this.#waiting.shift()?.(this.#estimate);
    }
    if (this.#waiting.length > 0) this.#retryLater();
  }

  #retryLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#deps.replies.fanOut.cutStalled();
      this.#startWaiting();
    }, RETRY_MS).unref();
  }

  #keep(job: string, result: SharedResult): void {
    const most = CACHED_BYTES / this.#deps.fronts;
    const size = cachedBytes(job, result);
    // Another rendering of the same job was cached while this one ran.
    if (size > most / 2 || this.#cached.has(job)) return;
    this.#cached.set(job, result);
    this.#cachedBytes += size;
    for (const [oldest, old] of this.#cached) {
      if (this.#cachedBytes <= most) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= cachedBytes(oldest, old);
    }
  }
}

const cachedBytes = (job: string, { byteLength }: SharedResult): number => byteLength + job.length + ENTRY_BYTES;

/** Jobs for which a client waits. */
class Waits {
  readonly #leave = new Set<() => void>();

  constructor(exchange: Exchange) {
    exchange.onDisconnect = () => this.leave();
  }

  add(leave: () => void): void {
    this.#leave.add(leave);
  }

  delete(leave: () => void): void {
    this.#leave.delete(leave);
  }

  /** Leaves all jobs. */
  leave(): void {
    for (const leave of this.#leave) leave();
    this.#leave.clear();
  }
}

function around(entry: EntryFacts): readonly [Uint8Array, Uint8Array] {
  const [prefix, suffix] = envelopeAround(entry);
  return [Buffer.from(prefix), Buffer.from(suffix.slice(0, -1))];
}
