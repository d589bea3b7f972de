// Runs JSON-RPC requests, from the bytes of a body to the bytes of a reply. A front dispatches the calls that it can
// answer by itself, the node thread and the wallets' thread dispatch the others. A Dispatcher combines the declarations
// with the run functions of its thread. It knows no sockets.
import { hideKeys } from '../address/descriptor/key-tokens.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { Batch, BatchCall, SLICE_MS } from './batch.js';
import type { BatchPrefetch, CallInfo, DispatchHooks } from './call.js';
import { type Parameters, parametersOf } from './declare/parameters.js';
import type { MethodSpec } from './declare/types.js';
import type { VersionedMethod } from './declare/versions.js';
import { RPC_CODE, RpcError, TypeFault } from './errors.js';
import { renderHelp } from './help.js';
import { toArguments } from './params.js';
import { encodeReadJob, PendingRead, type RunReadJob } from './reads/read-job.js';
import { ReplyQuota } from './wire/batch-reply.js';
import { encodeJson } from './wire/json-write.js';
import { LONG_BODY_BYTES, type Reading, readInSlices } from './wire/long-reading.js';
import { DISCONNECTED_REPLY, faultReply, type Outcome, type Reply, singleReply } from './wire/reply.js';
import { RequestBody, type RequestEntry, type RequestOptions, RequestScan } from './wire/request.js';
import { type JsonResult, type JsonValue, RawBytes } from './wire/values.js';

export type { BatchPrefetch, CallInfo, DispatchHooks } from './call.js';

/** Implementation of a method on one thread. */
export type Run<Context, P = Parameters, R = JsonResult> = (params: P, ctx: Context, call: CallInfo) => R | Promise<R>;

/** Run functions by method name. Each takes the parameters of its own declaration. */
export type RunTable<Context> = Readonly<Record<string, Run<Context, never>>>;

/**
 * Runs a method with positional arguments.
 * @throws RpcError, and whatever the run function throws
 */
export function runWith<Context>(
  runs: RunTable<Context>,
  spec: DispatchedMethod,
  args: readonly JsonValue[],
  ctx: Context,
  call: CallInfo,
): JsonResult | Promise<JsonResult> {
  return runs[spec.name](parametersOf(spec, args, call) as never, ctx, call);
}

/** Receives the start and the end of each call, for getrpcinfo and /metrics. */
export interface DispatchObserver {
  started(method: string, call: CallInfo): number;
  /** @param token returned by started() @param code error code, 0 for success */
  finished(token: number, method: string, code: number): void;
  /**
   * Called instead of finished() if the receiver of the reply runs a read job to finish the call.
   * @returns seconds that the call has taken so far
   */
  handedOn?(token: number): number;
}

/** A declaration, adapted to a release. Without `compat` and `shape` the declaration is used as for 0.21.1. */
export type DispatchedMethod = MethodSpec & Partial<Pick<VersionedMethod, 'compat' | 'declared' | 'shape'>>;

export interface DispatchDeps<Context> {
  readonly methods: ReadonlyMap<string, DispatchedMethod>;
  readonly runs: RunTable<Context>;
  readonly context: Context;
  /** Returns the status text while the node starts, null afterwards. */
  readonly warmup: () => string | null;
  /** Starts prefetches for later entries of a batch. Returns null if there is nothing to prefetch. */
  readonly prefetchBatch?: (ctx: Context, entries: RequestBody) => BatchPrefetch | null;
  readonly observer?: DispatchObserver;
  /** Called with exceptions other than RpcError. The client gets -1; the exception belongs in the log. */
  readonly onFault?: (method: string, error: unknown) => void;
  /** Runs read jobs for callers that do not (CallInfo.fillsReads). */
  readonly runReadJob?: RunReadJob;
  /** Limits the size of batch replies. Default: that of ReplyQuota. */
  readonly replyQuota?: ReplyQuota;
  /** How requests are parsed. Default: as Core 0.21 does. */
  readonly requests?: RequestOptions;
}

const FAULT_TEXT = 'Internal error';

/** Token of an entry that failed before the observer was called. */
const NOT_STARTED = -1;

/** Reply for a method that the user's list (-rpcwhitelist) does not contain. */
const FORBIDDEN: Reply = { status: 403, body: '' };

/** Combines declarations with the run functions of one thread. */
export class Dispatcher<Context> {
  readonly #deps: DispatchDeps<Context>;
  /**
   * A Map, because names come from requests: looking them up in an object would add each to the engine's table of
   * property names.
   */
  readonly #runs: ReadonlyMap<string, Run<Context>>;
  readonly #replyQuota: ReplyQuota;
  /** Creates the values of one large request at a time, because they take many times the memory of their text. */
  readonly #creating = new SerialQueue();

  constructor(deps: DispatchDeps<Context>) {
    this.#deps = deps;
    this.#runs = new Map(Object.entries(deps.runs as Readonly<Record<string, Run<Context>>>));
    this.#replyQuota = deps.replyQuota ?? new ReplyQuota();
  }

  /**
   * Returns whether every request can be answered on this thread: it is malformed or unknown, it has a run function
   * here, or the node is still starting.
   */
  answersAll(body: RequestBody): boolean {
    if (this.#deps.warmup() !== null) return true;
    for (let i = 0; i < body.length; i++) if (!this.answersAlone(body.at(i))) return false;
    return true;
  }

  /** Returns whether this thread can answer an entry. */
  answersAlone(entry: RequestEntry): boolean {
    return entry.error !== null || this.#runs.has(entry.method) || !this.#deps.methods.has(entry.method);
  }

  /**
   * Returns the checked positional arguments of an entry, for callers that run the method themselves (parked long
   * polls).
   * @throws RpcError
   */
  arguments(entry: RequestEntry): { spec: DispatchedMethod; args: readonly JsonValue[] } {
    if (entry.error) throw entry.error;
    const warmup = this.#deps.warmup();
    if (warmup !== null) throw new RpcError(RPC_CODE.IN_WARMUP, warmup);
    const spec = this.#deps.methods.get(entry.method);
    if (!spec) throw new RpcError(RPC_CODE.METHOD_NOT_FOUND, 'Method not found');
    return { spec, args: toArguments(spec, entry.params, renderHelp) };
  }

  /** Runs one entry. Never rejects. Returns the outcome without a promise if the method is synchronous. */
  execute(entry: RequestEntry, call: CallInfo): Outcome | Promise<Outcome> {
    const { observer, context } = this.#deps;
    let token = NOT_STARTED;
    try {
      const { args, spec } = this.arguments(entry);
      const run = this.#runs.get(entry.method);
      if (run === undefined) {
        throw new RpcError(RPC_CODE.INTERNAL_ERROR, `${entry.method} does not run on this thread`);
      }
      if (observer) token = observer.started(entry.method, call);
      const result = run(parametersOf(spec, args, call), context, call);
      if (result instanceof Promise) return this.#later(entry, token, result, call, spec);
      if (result instanceof PendingRead && !call.fillsReads) return this.#later(entry, token, Promise.resolve(result), call, spec);
      return this.#finished(entry, token, encodeResult(result, spec));
    } catch (error) {
      return this.#finished(entry, token, this.failed(entry, error, call));
    }
  }

  async #later(entry: RequestEntry, token: number, result: Promise<JsonResult>, call: CallInfo, spec: DispatchedMethod): Promise<Outcome> {
    try {
      const value = await result;
      const filled = value instanceof PendingRead && !call.fillsReads ? await this.#runRead(value, call) : value;
      return this.#finished(entry, token, encodeResult(filled, spec));
    } catch (error) {
      return this.#finished(entry, token, this.failed(entry, error, call));
    }
  }

  async #runRead({ job }: PendingRead, { signal }: CallInfo): Promise<RawBytes> {
    const result = await this.#deps.runReadJob!(encodeReadJob(job), signal);
    if ('code' in result) throw new RpcError(result.code, result.message);
    return new RawBytes(result.parts);
  }

  #finished(entry: RequestEntry, token: number, outcome: Outcome): Outcome {
    if ('read' in outcome) return { read: outcome.read, seconds: this.#deps.observer?.handedOn?.(token) ?? 0 };
    if (token !== NOT_STARTED) this.#deps.observer?.finished(token, entry.method, 'error' in outcome ? outcome.error.code : 0);
    return outcome;
  }

  /**
   * Runs a scanned body, batch entries one after another. Never rejects. Returns the reply without a promise if all
   * entries run synchronously.
   */
  dispatch(body: RequestBody, call: CallInfo, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    if (body.isBatch) return this.#batch(body, call, hooks);
    const entry = body.at(0);
    // A block is a single value and must not wait for other bodies.
    const isShort = body.bytes.length < LONG_BODY_BYTES || entry.method === 'submitblock';
    if (isShort || !this.#deps.methods.has(entry.method)) return this.#single(entry, call);
    const whole = this.#creating.run(() => this.read(entry, call, hooks));
    return whole.then((read) => (read ? this.#single(entry, call) : DISCONNECTED_REPLY));
  }

  #single(entry: RequestEntry, call: CallInfo): Reply | Promise<Reply> {
    const outcome = this.execute(entry, call);
    if (!(outcome instanceof Promise)) return singleReply(entry, outcome);
    // The bytes of a small body may be overwritten while the method runs.
    entry.keep();
    return outcome.then((value) => singleReply(entry, value));
  }

  /** Scans a body, in slices if it is large. @returns the reply if the body is not JSON, or the client has disconnected */
  scan(bytes: Uint8Array, call: CallInfo, hooks: DispatchHooks = {}): RequestBody | Reply | Promise<RequestBody | Reply> {
    const scan = new RequestScan().start(bytes);
    const scanned = (): RequestBody | Reply =>
      scan.fault === null ? new RequestBody(bytes, scan.index, this.#deps.requests) : faultReply(scan.fault);
    // The bytes of a small body may be overwritten after the current task.
    if (bytes.length < LONG_BODY_BYTES) {
      scan.goOn(Number.POSITIVE_INFINITY);
      return scanned();
    }
    return this.read(scan, call, hooks).then((read) => (read ? scanned() : DISCONNECTED_REPLY));
  }

  /** Scans and runs a body. Never rejects. */
  dispatchBytes(bytes: Uint8Array, call: CallInfo, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    const scanned = this.scan(bytes, call, hooks);
    const run = (body: RequestBody | Reply) => (body instanceof RequestBody ? this.dispatch(body, call, hooks) : body);
    return scanned instanceof Promise ? scanned.then(run) : run(scanned);
  }

  #batch(body: RequestBody, call: CallInfo, hooks: DispatchHooks): Reply | Promise<Reply> {
    const { context, prefetchBatch, warmup } = this.#deps;
    // The bytes of a small body may be overwritten while a method runs.
    const entries = body.bytes.length < LONG_BODY_BYTES ? body.copied() : body;
    const prefetch = warmup() === null ? (prefetchBatch?.(context, entries) ?? null) : null;
    const execute = (entry: RequestEntry, one: CallInfo) => this.execute(entry, one);
    return new Batch(entries, new BatchCall(call, prefetch), this.#replyQuota, execute, hooks).run();
  }

  /** Reads a large body in slices. @returns whether the end was reached: false if the client has disconnected */
  read(reading: Reading, call: CallInfo, { sliceMs = SLICE_MS }: DispatchHooks): Promise<boolean> {
    return readInSlices(reading, sliceMs, () => call.signal?.aborted === true);
  }

  /**
   * Converts an exception to an outcome: in the words of the release that -compat selects, and without the private keys
   * of the request.
   */
  failed(entry: RequestEntry, error: unknown, { taken }: Pick<CallInfo, 'taken'>): Outcome {
    if (error instanceof TypeFault && this.#deps.methods.get(entry.method)?.compat?.strictArguments) {
      return { error: new RpcError(RPC_CODE.TYPE_ERROR, error.later) };
    }
    if (error instanceof RpcError) {
      const message = hideKeys(error.message, taken?.keys);
      return { error: message === error.message ? error : new RpcError(error.code, message) };
    }
    this.#deps.onFault?.(entry.method, error);
    const text = error instanceof Error && error.message ? error.message : FAULT_TEXT;
    return { error: new RpcError(RPC_CODE.MISC_ERROR, text) };
  }
}

/** Encodes a result as JSON text. A result that consists of bytes stays as it is, and so does a pending read. */
function encodeResult(result: JsonResult, { shape }: DispatchedMethod): Outcome {
  if (result instanceof PendingRead) return { read: result.job, seconds: 0 };
  if (result instanceof RawBytes) return { result: result.parts };
  return { result: encodeJson(shape ? shape(result) : result) };
}

/**
 * Checks a body against a user's method list (-rpcwhitelist). A malformed single request is answered before the list is
 * checked; in a batch the first bad element decides.
 * @returns null if the body is allowed, else the reply
 */
export function checkAccess(body: RequestBody, allows: (method: string) => boolean): Reply | null {
  if (!body.isBatch) {
    const { error, method } = body.at(0);
    return error !== null || allows(method) ? null : FORBIDDEN;
  }
  for (let i = 0; i < body.length; i++) {
    if (!body.isObject(i)) return faultReply(new RpcError(RPC_CODE.INVALID_REQUEST, 'Invalid Request object'));
    const method = body.methodOf(i);
    if (method === null) return faultReply(new RpcError(RPC_CODE.PARSE_ERROR, 'JSON value is not a string as expected'));
    if (!allows(method)) return FORBIDDEN;
  }
  return null;
}
