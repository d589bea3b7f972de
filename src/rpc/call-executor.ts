// The desk of a thread that runs calls: whole bodies from the fronts in, replies out. Keeps the list of calls under way
// for getrpcinfo and tells metrics how long each took. Called by link and by tests.

import type { Clock } from '../lib/clock.js';
import type { PassedSecrets, TakenBlock } from '../link/messages.js';
import type { Compat } from '../policy/compat.js';
import { methodsOf } from './declare/methods.js';
import { SECRET_PLACES } from './declare/secret-places.js';
import { type CallInfo, type DispatchDeps, Dispatcher, type DispatchHooks } from './dispatch.js';
import { DISCONNECTED_REPLY, type Reply } from './wire/reply.js';
import { SecretSearch } from './wire/secret-search.js';
import { TakenSecrets } from './wire/taken-secrets.js';

/** A call under way. */
export interface ActiveCommand {
  readonly method: string;
  readonly startedMs: number;
}

/** Calls under way; shared by the desk, which writes, and getrpcinfo, which reads through NodeContext. */
export class ActiveCommands {
  /** All but the newest, which is mostly over before another begins. */
  readonly #calls = new Map<number, ActiveCommand>();
  #newest: ActiveCommand | null = null;
  #last = 0;

  start(method: string, startedMs: number): number {
    if (this.#newest !== null) this.#calls.set(this.#last, this.#newest);
    this.#newest = { method, startedMs };
    return ++this.#last;
  }

  /** @returns when it started, 0 when unknown */
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

/** Who calls. */
export interface RpcCaller {
  readonly user: string;
  /** Request target. */
  readonly uri: string;
  readonly signal?: AbortSignal;
  /** The body was searched: no passphrase and no private key in it. */
  readonly plain?: boolean;
  /** What a front has taken out of a submitblock. */
  readonly block?: TakenBlock | null;
  /** Secrets that were taken out of a single request on another thread. */
  readonly taken?: PassedSecrets | null;
}

/** What a desk needs besides the context. */
export interface CallExecutorDeps<Context>
  extends Pick<DispatchDeps<Context>, 'runs' | 'prefetchBatch' | 'warmup' | 'requests' | 'onFault'> {
  readonly active: ActiveCommands;
  /** Whether there are wallets. */
  readonly wallets: boolean;
  /** Before each call. */
  readonly onStart?: (method: string, user: string) => void;
  /** After each call. @param code error code, 0 for success */
  readonly onCall?: (method: string, seconds: number, code: number) => void;
}

/** One per thread. */
export class CallExecutor<Context extends { readonly compat: Compat; readonly clock: Clock }> {
  readonly #dispatcher: Dispatcher<Context>;

  constructor(context: Context, deps: CallExecutorDeps<Context>) {
    const { active } = deps;
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
      },
    });
  }

  /** Never rejects. Synchronous when every entry is. */
  executeBody(body: Uint8Array, call: RpcCaller, hooks: DispatchHooks = {}): Reply | Promise<Reply> {
    if (call.taken) return this.#executeSecret(body, true, new ExecutorCall(call, hooks, TakenSecrets.of(call.taken)), hooks);
    const search = call.plain ? null : SecretSearch.in(body, SECRET_PLACES);
    const info = new ExecutorCall(call, hooks, search?.taken);
    if (search === null) return this.#dispatcher.dispatchBytes(body, info, hooks);
    // Not breathing: a submission that is looked through here would wait for itself.
    const { yieldToUrgent: breathe, ...turns } = hooks;
    const whole = this.#dispatcher.read(search, info, turns);
    if (whole === true && search.taken.size === 0) return this.#dispatcher.dispatchBytes(body, info, hooks);
    return this.#executeSecret(body, whole, info, hooks);
  }

  async #executeSecret(body: Uint8Array, whole: true | Promise<boolean>, info: ExecutorCall, hooks: DispatchHooks): Promise<Reply> {
    try {
      return (await whole) ? await this.#dispatcher.dispatchBytes(body, info, hooks) : DISCONNECTED_REPLY;
    } finally {
      info.taken?.wipe();
    }
  }
}

/** What run functions see of a call. A signal is made only for those that look: it costs more than most calls. */
class ExecutorCall implements CallInfo {
  readonly user: string;
  readonly path: string;
  readonly yieldToUrgent: (() => unknown) | undefined;
  readonly taken: TakenSecrets | undefined;
  readonly #call: RpcCaller;

  constructor(call: RpcCaller, hooks: DispatchHooks, taken?: TakenSecrets) {
    this.#call = call;
    this.user = call.user;
    this.path = call.uri;
    this.yieldToUrgent = hooks.yieldToUrgent;
    this.taken = taken;
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal;
  }

  get block(): TakenBlock | null {
    return this.#call.block ?? null;
  }
}
