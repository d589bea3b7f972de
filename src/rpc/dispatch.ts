// JSON-RPC from bytes to bytes, on either kind of thread: a front dispatches what it can answer alone, the node thread
// the rest. A Dispatcher joins the declarations with the run functions of its thread. Nothing here knows sockets.
import { hideKeys } from '../address/descriptor/key-tokens.js';
import { yieldInQueue } from '../lib/slicer.js';
import { workClock } from '../lib/work-clock.js';
import type { TakenBlock } from '../link/messages.js';
import type { MethodSpec } from './declare/types.js';
import type { VersionedMethod } from './declare/versions.js';
import { RPC_CODE, RpcError, TypeFault } from './errors.js';
import { renderHelp } from './help.js';
import { toArguments } from './params.js';
import { BatchReply, ReplyQuota } from './wire/batch-reply.js';
import { encodeJson } from './wire/json-write.js';
import { LONG_BODY_BYTES, LongBatch } from './wire/long-batch.js';
import { DISCONNECTED_REPLY, faultReply, type Outcome, type Reply, singleReply } from './wire/reply.js';
import {
  type ParsedBody,
  parseFault,
  parseRequest,
  type RequestEntry,
  type RequestList,
  type RequestOptions,
  RequestReader,
} from './wire/request.js';
import { type Reading, SharedReading } from './wire/shared-reading.js';
import type { TakenSecrets } from './wire/taken-secrets.js';
import { JsonObject, type JsonResult, type JsonValue, RawBytes } from './wire/values.js';

/** What a run function may know of the call. */
export interface CallInfo {
  /** Authenticated user, empty when unknown. */
  readonly user: string;
  /** Request target, for /wallet/… */
  readonly path: string;
  /** Fires when the client has gone. */
  readonly signal?: AbortSignal | undefined;
  /** For long work between its slices: lets more urgent work in. A promise holds it back until it is settled. */
  readonly yieldToUrgent?: (() => unknown) | undefined;
  /** Passphrases and private keys that were taken out of the body; wiped when the call is over. */
  readonly taken?: TakenSecrets | undefined;
  /** Place of the request in its batch, when secrets were taken; undefined outside of batches. */
  readonly index?: number | undefined;
  /** What the thread prepares for a batch, as its lookahead left it; undefined outside of batches. */
  readonly prefetch?: BatchPrefetch | undefined;
  /** A block that the front took out of a submitblock, and the argument that stands for it; never of a batch. */
  readonly block?: TakenBlock | null;
}

/** A call with some members replaced. Its signal is made only when it is read, as that of the call. */
export class DerivedCall implements CallInfo {
  readonly user: string;
  readonly path: string;
  readonly yieldToUrgent: (() => unknown) | undefined;
  readonly taken: TakenSecrets | undefined;
  readonly index: number | undefined;
  readonly prefetch: BatchPrefetch | undefined;
  readonly #of: CallInfo;

  constructor(of: CallInfo, others: Pick<CallInfo, 'yieldToUrgent' | 'index' | 'prefetch'>) {
    this.#of = of;
    this.user = of.user;
    this.path = of.path;
    this.taken = of.taken;
    this.yieldToUrgent = others.yieldToUrgent ?? of.yieldToUrgent;
    this.index = others.index ?? of.index;
    this.prefetch = others.prefetch ?? of.prefetch;
  }

  get signal(): AbortSignal | undefined {
    return this.#of.signal;
  }
}

/** Work on entries of a batch whose turn has not come. It must not change what they answer. */
export interface BatchPrefetch {
  /** The entry of this index is next; each is, in order. @returns it, read once */
  reached(index: number): RequestEntry;
}

/** A method's code on one thread. */
export type Run<Context> = (ctx: Context, args: readonly JsonValue[], call: CallInfo) => JsonResult | Promise<JsonResult>;

/** Run functions by method name. */
export type RunTable<Context> = Readonly<Record<string, Run<Context>>>;

/** What a dispatcher tells its owner: for getrpcinfo and /metrics. */
export interface DispatchObserver {
  started(method: string, call: CallInfo): number;
  /** @param code error code, 0 for success */
  finished(token: number, method: string, code: number): void;
}

/** What a dispatcher does between the entries of a batch. */
export interface DispatchHooks {
  /**
   * Lets more urgent work in; called between any two entries. A promise holds the next entry back until it is settled.
   */
  yieldToUrgent?(): unknown;
  /** A batch gives the event loop a turn after this long. */
  readonly sliceMs?: number;
}

/** A declaration, with what a version makes of it; without that it is as 0.21.1 has it. */
export type DispatchedMethod = MethodSpec & Partial<Pick<VersionedMethod, 'compat' | 'shape'>>;

/** Everything a dispatcher is made of. */
export interface DispatchDeps<Context> {
  readonly methods: ReadonlyMap<string, DispatchedMethod>;
  readonly runs: RunTable<Context>;
  readonly context: Context;
  /** Status text while the node starts, null afterwards. */
  readonly warmup: () => string | null;
  /** Prepares later entries of a batch while earlier ones run; null when there is nothing to prepare. */
  readonly prefetchBatch?: (ctx: Context, entries: RequestList) => BatchPrefetch | null;
  readonly observer?: DispatchObserver;
  /** Called with exceptions that are no RpcError: they are answered as -1 and belong in the log. */
  readonly onFault?: (method: string, error: unknown) => void;
  /** Bounds of the replies of batches; by default what ReplyRoom says. */
  readonly replyQuota?: ReplyQuota;
  /** How requests are read; by default as Core 0.21 does. */
  readonly requests?: RequestOptions;
}

/** Where a parsed body is to be dispatched. */
export type Place = 'here' | 'elsewhere';

const FAULT_TEXT = 'Internal error';

/** No call was announced to the observer: the entry failed before. */
const NOT_STARTED = -1;

/** Milliseconds of a batch between turns of the event loop. */
const SLICE_MS = 5;

/** For a method that is not on the user's list. */
const FORBIDDEN: Reply = { status: 403, body: '' };

/** Joins declarations and run functions of one thread. */
export class Dispatcher<Context> {
  readonly #deps: DispatchDeps<Context>;
  /** By name: names come from requests, and a record would have to make each known to all of the program first. */
  readonly #runs: ReadonlyMap<string, Run<Context>>;
  readonly #replyQuota: ReplyQuota;
  readonly #reading = new SharedReading();

  constructor(deps: DispatchDeps<Context>) {
    this.#deps = deps;
    this.#runs = new Map(Object.entries(deps.runs));
    this.#replyQuota = deps.replyQuota ?? new ReplyQuota();
  }

  /**
   * Whether every entry can be answered on this thread: it is malformed, unknown, has a run function here, or the node
   * starts still.
   */
  place(parsed: ParsedBody): Place {
    if (parsed.kind === 'fault' || this.#deps.warmup() !== null) return 'here';
    const alone = parsed.kind === 'single' ? this.answersAlone(parsed.entry) : parsed.entries.every((entry) => this.answersAlone(entry));
    return alone ? 'here' : 'elsewhere';
  }

  /** Whether this thread has what one entry needs. */
  answersAlone(entry: RequestEntry): boolean {
    return entry.error !== null || this.#runs.has(entry.method) || !this.#deps.methods.has(entry.method);
  }

  /** Checked positional arguments of an entry, for callers that run the method themselves (parked long polls). */
  arguments(entry: RequestEntry): { spec: DispatchedMethod; args: readonly JsonValue[] } {
    if (entry.error) throw entry.error;
    const warmup = this.#deps.warmup();
    if (warmup !== null) throw new RpcError(RPC_CODE.IN_WARMUP, warmup);
    const spec = this.#deps.methods.get(entry.method);
    if (!spec) throw new RpcError(RPC_CODE.METHOD_NOT_FOUND, 'Method not found');
    return { spec, args: toArguments(spec, entry.params, renderHelp) };
  }

  /** Runs one entry; never rejects. Synchronous when the method is. */
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
      const result = run(context, args, call);
      if (result instanceof Promise) return this.#later(entry, token, result, call, spec);
      return this.#finished(entry, token, { result: encodeResult(result, spec) });
    } catch (error) {
      return this.#finished(entry, token, this.failed(entry, error, call));
    }
  }

  async #later(entry: RequestEntry, token: number, result: Promise<JsonResult>, call: CallInfo, spec: DispatchedMethod): Promise<Outcome> {
    try {
      return this.#finished(entry, token, { result: encodeResult(await result, spec) });
    } catch (error) {
      return this.#finished(entry, token, this.failed(entry, error, call));
    }
  }

  #finished(entry: RequestEntry, token: number, outcome: Outcome): Outcome {
    if (token !== NOT_STARTED) this.#deps.observer?.finished(token, entry.method, 'error' in outcome ? outcome.error.code : 0);
    return outcome;
  }

  /** A whole body; never rejects. Synchronous when every entry is. Batch entries run one after another. */
  dispatch(parsed: ParsedBody, call: CallInfo, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    if (parsed.kind === 'fault') return faultReply(parsed.error);
    if (parsed.kind === 'batch') return this.#batch(parsed.entries, this.#prepared(parsed.entries, call), hooks);
    const { entry } = parsed;
    const outcome = this.execute(entry, call);
    return outcome instanceof Promise ? outcome.then((value) => singleReply(entry, value)) : singleReply(entry, outcome);
  }

  /** Bytes to bytes. */
  dispatchBytes(body: Uint8Array, call: CallInfo, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    const long = LongBatch.in(body, undefined, this.#deps.requests);
    if (long !== null) return this.#longBatch(long, call, hooks);
    if (body.length < LONG_BODY_BYTES) return this.dispatch(parseRequest(body, this.#deps.requests), call, hooks);
    const reader = new RequestReader(body, this.#deps.requests);
    // Not breathing: a submission that is read here would wait for itself.
    const whole = this.read(reader, call, { sliceMs: hooks.sliceMs ?? SLICE_MS });
    return whole === true ? this.dispatch(reader.body, call, hooks) : this.#longSingle(reader, whole, call, hooks);
  }

  #prepared(entries: RequestList, call: CallInfo): CallInfo {
    const { context, prefetchBatch: lookAhead, warmup } = this.#deps;
    const ahead = warmup() === null ? lookAhead?.(context, entries) : null;
    if (!ahead) return call;
    return new DerivedCall(call, { prefetch: ahead });
  }

  /** Entries one after another: without a promise as long as all are synchronous and quick, awaiting from there on. */
  #batch(entries: RequestList, call: CallInfo, hooks: DispatchHooks): Reply | Promise<Reply> {
    const reply = new BatchReply(this.#replyQuota);
    const turnMs = hooks.sliceMs ?? SLICE_MS;
    const started = workClock.now();
    for (let i = 0; i < entries.length && !reply.full; i++) {
      const hold = i > 0 ? hooks.yieldToUrgent?.() : undefined;
      if (hold instanceof Promise) return this.#batchLater(entries, reply, hold, call, hooks);
      const entry = call.prefetch?.reached(i) ?? (entries.at(i) as RequestEntry);
      const outcome = this.execute(entry, callAt(call, i));
      if (outcome instanceof Promise || workClock.now() - started > turnMs) {
        const first = Promise.resolve(outcome).then((value) => reply.add(entry, value));
        return this.#batchLater(entries, reply, first, call, hooks);
      }
      reply.add(entry, outcome);
    }
    return reply.finish();
  }

  /**
   * Reads a body, in turns when that takes long.
   * @returns true, or later whether the end was reached: the client may go before
   */
  read(reading: Reading, call: CallInfo, hooks: DispatchHooks): true | Promise<boolean> {
    const { sliceMs: turnMs = SLICE_MS } = hooks;
    if (reading.goOn(turnMs, this.#reading.mostValues)) return true;
    return this.#reading.read(reading, {
      sliceMs: turnMs,
      isDisconnected: () => call.signal?.aborted === true,
      yieldToUrgent: hooks.yieldToUrgent,
    });
  }

  /** A large request that is no batch. */
  async #longSingle(reader: RequestReader, whole: Promise<boolean>, call: CallInfo, hooks: DispatchHooks): Promise<Reply> {
    return (await whole) ? this.dispatch(reader.body, call, hooks) : DISCONNECTED_REPLY;
  }

  /** A batch whose entries are read when they are due. Nothing runs unless the whole body is JSON. */
  async #longBatch(batch: LongBatch, call: CallInfo, hooks: DispatchHooks): Promise<Reply> {
    try {
      if (!(await this.read(batch, call, hooks))) return DISCONNECTED_REPLY;
    } catch (error) {
      return faultReply(parseFault(error));
    }
    return this.#batchLater(batch, new BatchReply(this.#replyQuota), yieldInQueue(), this.#prepared(batch, call), hooks);
  }

  /** The rest of a batch. @param first what to wait for before the next entry; it may add an outcome */
  async #batchLater(
    entries: RequestList,
    reply: BatchReply,
    first: Promise<unknown>,
    call: CallInfo,
    hooks: DispatchHooks,
  ): Promise<Reply> {
    const turnMs = hooks.sliceMs ?? SLICE_MS;
    const waited = reply.count;
    let turn = workClock.now();
    await first;
    // When the wait was for permission and not for an outcome, the next entry has breathed already.
    let breathed = reply.count === waited;
    while (reply.count < entries.length && !reply.full) {
      // Awaiting a settled promise gives the event loop no turn: the clock decides, not the kind of outcome.
      if (workClock.now() - turn > turnMs) {
        await yieldInQueue();
        turn = workClock.now();
      }
      const hold = breathed ? undefined : hooks.yieldToUrgent?.();
      if (hold instanceof Promise) await hold;
      breathed = false;
      const entry = call.prefetch?.reached(reply.count) ?? (entries.at(reply.count) as RequestEntry);
      const outcome = this.execute(entry, callAt(call, reply.count));
      reply.add(entry, outcome instanceof Promise ? await outcome : outcome);
    }
    return reply.finish();
  }

  /** What a caller is told of an error: in the words of the release that is followed, and without the keys it gave. */
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

/** A batch's call for one of its requests. */
function callAt(call: CallInfo, index: number): CallInfo {
  return call.taken?.size ? new DerivedCall(call, { index }) : call;
}

/** As text, or as the bytes that it is already. */
function encodeResult(result: JsonResult, { shape }: DispatchedMethod): string | readonly Uint8Array[] {
  if (result instanceof RawBytes) return result.parts;
  return encodeJson(shape ? shape(result) : result);
}

/**
 * A user's method list against a body (-rpcwhitelist): null when allowed, otherwise the reply. Malformed single
 * requests are answered before the list is asked; in a batch the first bad element decides.
 */
export function checkAccess(parsed: ParsedBody, allows: (method: string) => boolean): Reply | null {
  if (parsed.kind === 'fault') return null;
  if (parsed.kind === 'single') return parsed.entry.error || allows(parsed.entry.method) ? null : FORBIDDEN;
  for (const { source } of parsed.entries) {
    const refused = checkElement(source, allows);
    if (refused) return refused;
  }
  return null;
}

/** The same for one element of a batch. */
export function checkElement(source: JsonValue, allows: (method: string) => boolean): Reply | null {
  if (!(source instanceof JsonObject)) return faultReply(new RpcError(RPC_CODE.INVALID_REQUEST, 'Invalid Request object'));
  const method = source.get('method');
  if (typeof method !== 'string') return faultReply(new RpcError(RPC_CODE.PARSE_ERROR, 'JSON value is not a string as expected'));
  return allows(method) ? null : FORBIDDEN;
}
