// Runs calls on the node thread or the wallets' thread: whole bodies from the fronts in, replies out. Keeps the list of
// calls in progress for getrpcinfo, and reports the duration of each call to metrics.

import type { Clock } from '../lib/clock.js';
import type { PassedSecrets, TakenBlock } from '../link/messages.js';
import type { Compat } from '../policy/compat.js';
import { methodsOf } from './declare/methods.js';
import { SECRET_PLACES } from './declare/secret-places.js';
import { type CallInfo, type DispatchDeps, Dispatcher, type DispatchHooks } from './dispatch.js';
import { LONG_BODY_BYTES } from './wire/long-reading.js';
import { DISCONNECTED_REPLY, type Reply } from './wire/reply.js';
import { RequestBody, type RequestOptions } from './wire/request.js';
import { SecretSearch } from './wire/secret-search.js';
import { TakenSecrets } from './wire/taken-secrets.js';

/** A call in progress. */
export interface ActiveCommand {
  readonly method: string;
  readonly startedMs: number;
}

/** Calls in progress. The executor updates the list, getrpcinfo reads it through NodeContext. */
export class ActiveCommands {
  /** All calls except the newest, which usually ends before another one starts. */
  readonly #calls = new Map<number, ActiveCommand>();
  #newest: ActiveCommand | null = null;
  #last = 0;

  start(method: string, startedMs: number): number {
    if (this.#newest !== null) this.#calls.set(this.#last, this.#newest);
    this.#newest = { method, startedMs };
    return ++this.#last;
  }

  /** Removes a call. @returns when it started, by the monotonic clock in milliseconds; 0 if it is unknown */
  finish(token: number): number {
    if (token === this.#last && this.#newest !== null) {
      const { startedMs } = this.#newest;
      this.#newest = null;
      return startedMs;
    }
    const call = this.#calls.get(token);
    this.#calls.delete(token);
    return call?.startedMs ?? 0;
  }

  list(): ActiveCommand[] {
    return this.#newest === null ? [...this.#calls.values()] : [...this.#calls.values(), this.#newest];
  }
}

/** A request as the link delivers it. */
export interface RpcCaller {
  readonly user: string;
  /** Request target, such as /wallet/name. */
  readonly uri: string;
  readonly signal?: AbortSignal;
  /** True if the receiver of the reply runs read jobs (reads/unfilled.ts). */
  readonly fillsReads?: boolean;
  /** True if the body contains no secret. */
  readonly plain?: boolean;
  /** Index of the body (wire/request.ts); null if it was not scanned. */
  readonly index?: Int32Array | null;
  /** Block that a front took out of a submitblock. */
  readonly block?: TakenBlock | null;
  /** Secrets that another thread took out of a single request. */
  readonly taken?: PassedSecrets | null;
}

/** Dependencies of the executor, other than the context. */
export interface CallExecutorDeps<Context>
  extends Pick<DispatchDeps<Context>, 'runs' | 'prefetchBatch' | 'warmup' | 'requests' | 'onFault' | 'runReadJob'> {
  readonly active: ActiveCommands;
  /** True if wallets are enabled. */
  readonly wallets: boolean;
  /** Called before each call. */
  readonly onStart?: (method: string, user: string) => void;
  /** Called after each call, except those that the receiver of the reply finishes. @param code error code, 0 for success */
  readonly onCall?: (method: string, seconds: number, code: number) => void;
}

/** Runs the calls of a thread. */
export class CallExecutor<Context extends { readonly compat: Compat; readonly clock: Clock }> {
  readonly #dispatcher: Dispatcher<Context>;
  readonly #requests: RequestOptions | undefined;

  constructor(context: Context, deps: CallExecutorDeps<Context>) {
    const { active } = deps;
    this.#requests = deps.requests;
    this.#dispatcher = new Dispatcher<Context>({
      ...deps,
      methods: methodsOf(deps.wallets, context.compat),
      context,
      observer: {
        started: (method, call) => {
          deps.onStart?.(method, call.user);
          return active.start(method, context.clock.monotonicMs());
        },
        finished: (token, method, code) => {
          const startedMs = active.finish(token);
          deps.onCall?.(method, (context.clock.monotonicMs() - startedMs) / 1000, code);
        },
        handedOn: (token) => (context.clock.monotonicMs() - active.finish(token)) / 1000,
      },
    });
  }

  /** Runs a body. Never rejects. Returns the reply without a promise if all entries run synchronously. */
  executeBody(bytes: Uint8Array, call: RpcCaller, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    const info = new ExecutorCall(call);
    const { index } = call;
    const scanned = index ? new RequestBody(bytes, index, this.#requests) : this.#dispatcher.scan(bytes, info, hooks);
    if (scanned instanceof Promise) return scanned.then((body) => this.#execute(body, call, info, hooks));
    return this.#execute(scanned, call, info, hooks);
  }

  #execute(body: RequestBody | Reply, call: RpcCaller, info: ExecutorCall, hooks: DispatchHooks): Reply | Promise<Reply> {
    if (!(body instanceof RequestBody)) return body;
    if (call.taken) {
      info.taken = TakenSecrets.of(call.taken);
      return this.#executeSecret(body, true, info, hooks);
    }
    const search = call.plain ? null : SecretSearch.in(body, SECRET_PLACES);
    if (search === null) return this.#dispatcher.dispatch(body, info, hooks);
    info.taken = search.taken;
    if (body.bytes.length < LONG_BODY_BYTES) search.goOn(Number.POSITIVE_INFINITY);
    else return this.#executeSecret(body, this.#dispatcher.read(search, info, hooks), info, hooks);
    return search.taken.size === 0 ? this.#dispatcher.dispatch(body, info, hooks) : this.#executeSecret(body, true, info, hooks);
  }

  async #executeSecret(body: RequestBody, whole: true | Promise<boolean>, info: ExecutorCall, hooks: DispatchHooks): Promise<Reply> {
    try {
      return whole === true || (await whole) ? await this.#dispatcher.dispatch(body, info, hooks) : DISCONNECTED_REPLY;
    } finally {
      info.taken?.wipe();
    }
  }
}

/**
 * A call as run functions see it. The signal is created only when it is read, because it costs more than most calls.
 */
class ExecutorCall implements CallInfo {
  readonly user: string;
  readonly path: string;
  readonly fillsReads: boolean | undefined;
  taken: TakenSecrets | undefined;
  readonly #call: RpcCaller;

  constructor(call: RpcCaller) {
    this.#call = call;
    this.user = call.user;
    this.path = call.uri;
    this.fillsReads = call.fillsReads;
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal;
  }

  get block(): TakenBlock | null {
    return this.#call.block ?? null;
  }
}
