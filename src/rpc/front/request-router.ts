// Decides what happens with a body on a front. A call that the front can answer is answered. A getblocktemplate request
// is returned checked, with the envelope around its result. Calls that only need wallets go to the wallets' thread,
// everything else to the node thread. Large bodies take several event-loop ticks.
import type { TemplateRequest } from '../../template/request.js';
import { methodsOf } from '../declare/methods.js';
import {
  type CallInfo,
  checkAccess,
  checkElement,
  type DispatchedMethod,
  Dispatcher,
  type DispatchHooks,
  type DispatchObserver,
} from '../dispatch.js';
import { RpcError } from '../errors.js';
import { FRONT_RUNS } from '../methods/front-runs.js';
import { LongBatch } from '../wire/long-batch.js';
import { MethodNames } from '../wire/method-names.js';
import { envelopeAround, faultReply, isNotification, type Outcome, type Reply, singleReply } from '../wire/reply.js';
import { type ParsedBody, parseFault, parseRequest, type RequestEntry, type RequestOptions, RequestReader } from '../wire/request.js';
import { SharedReading } from '../wire/shared-reading.js';
import { type BodyWithoutBlock, isSubmitBlock, takeLongHex } from './block-hex.js';
import type { FrontContext } from './context.js';
import { KnownReplies, type ReplyKeeper } from './known-replies.js';
import { parseTemplateRequest } from './template-request.js';

/** Decision about a body. */
export type CallPlan =
  | { readonly kind: 'reply'; readonly status: number; readonly body: string | Uint8Array }
  | { readonly kind: 'forbidden' }
  | ThreadPlan
  | TemplatePlan;

/** The body runs on another thread. */
export interface ThreadPlan {
  readonly kind: 'node' | 'wallet';
  readonly method: string;
  /** Caches the body of the reply. */
  readonly cacheReply?: ReplyKeeper;
}

/** A single getblocktemplate in template mode with valid arguments. */
export interface TemplatePlan {
  readonly kind: 'template';
  readonly request: TemplateRequest;
  /** Text before and after the result; the suffix ends the body. */
  readonly prefix: string;
  readonly suffix: string;
  /** Returns the reply if the template cannot be provided. */
  error(code: number, message: string): Reply;
}

/** The user of a request, and what the user may call. */
export interface FrontCall {
  readonly user: string;
  /** Request target, such as /wallet/name. */
  readonly uri: string;
  /** Methods that the user may call; null: all. */
  readonly allowed: ReadonlySet<string> | null;
}

/** Methods that submit blocks and headers. They run before waiting calls, and even if their client has disconnected. */
export const SUBMISSIONS = new Set(['submitblock', 'submitheader']);

/**
 * Longest batch that a front answers. Longer ones go to the node thread, which runs them in slices, so that the front
 * is not delayed.
 */
const MAX_BATCH = 100;

/** A front answers a batch without a pause. */
const AT_ONCE: DispatchHooks = { sliceMs: Number.POSITIVE_INFINITY };

/** Milliseconds per event-loop tick in which all large bodies together are read. */
const READ_MS = 2;

/** The router of a front. */
export class RequestRouter {
  readonly #dispatcher: Dispatcher<FrontContext>;
  readonly #reading = new SharedReading();
  readonly #requests: RequestOptions | undefined;
  readonly #methods: ReadonlyMap<string, DispatchedMethod>;
  readonly #known: KnownReplies;
  readonly #observer: DispatchObserver | undefined;

  /** @param requests how requests are parsed; default: as Core 0.21 does */
  constructor(context: FrontContext, observer?: DispatchObserver, requests?: RequestOptions) {
    this.#requests = requests;
    this.#methods = methodsOf(context.wallets, context.compat);
    this.#known = new KnownReplies(context);
    this.#observer = observer;
    this.#dispatcher = new Dispatcher<FrontContext>({
      methods: this.#methods,
      runs: FRONT_RUNS,
      context,
      warmup: () => context.warmup(),
      ...(observer ? { observer } : {}),
    });
  }

  /**
   * Returns the cached reply to a body, or null if there is none: then call plan(). The bytes are valid until the next
   * call. Never throws.
   */
  knownReply(body: Uint8Array, { user, uri, allowed }: FrontCall): Uint8Array | null {
    const known = this.#known.find(body);
    if (known === null || (allowed !== null && !allowed.has(known.method))) return null;
    if (this.#observer !== undefined) this.#observer.finished(this.#observer.started(known.method, { user, path: uri }), known.method, 0);
    return known.reply;
  }

  /** Decides about a body. Never throws. */
  plan(body: Uint8Array, call: FrontCall): CallPlan {
    return this.#planParsed(parseRequest(body, this.#requests), call, body);
  }

  /**
   * Decides about a body that may contain secrets. It becomes text here only if there is no other way to check whether
   * its methods are allowed.
   * @param method that takes the secrets
   */
  planSecret(body: Uint8Array, call: FrontCall, method: string): CallPlan {
    const named = new MethodNames(body);
    named.goOn(Number.POSITIVE_INFINITY);
    return this.#planNamed(named, call, method) ?? this.plan(body, call);
  }

  /**
   * Decides about a large body, which is read in slices together with others: checks whether its methods are allowed
   * and which thread runs them, if possible by the names of the methods alone. Only a template is answered here;
   * everything else goes to another thread, so that the front is not delayed.
   * @param isDisconnected returns whether the client has disconnected
   * @returns null if the client has disconnected
   */
  async planLong(body: Uint8Array, call: FrontCall, isDisconnected: () => boolean): Promise<CallPlan | null> {
    const named = new MethodNames(body);
    if (!(await this.#reading.read(named, { sliceMs: READ_MS, isDisconnected: isDisconnected }))) return null;
    const template = call.allowed !== null && named.names?.has('getblocktemplate');
    const plan = template ? null : this.#planNamed(named, call, '');
    if (plan !== null) return plan;
    let refused = null as Reply | null;
    const batch = LongBatch.in(body, (source) => {
      if (call.allowed) refused ??= checkElement(source, (method) => call.allowed!.has(method));
    });
    const reader = batch ?? new RequestReader(body, this.#requests);
    try {
      if (!(await this.#reading.read(reader, { sliceMs: READ_MS, isDisconnected: isDisconnected }))) return null;
    } catch (error) {
      return { kind: 'reply', ...faultReply(parseFault(error)) };
    }
    if (reader instanceof RequestReader) return this.#planParsed(reader.body, call, null);
    return refused ? refusal(refused) : { kind: 'node', method: 'batch' };
  }

  /**
   * Takes the block out of a submitblock, for the node thread.
   * @param body large body whose method seems to be submitblock; it is not changed
   * @returns null if the body must go to the node thread as it is. Never throws.
   */
  withoutBlock(body: Uint8Array): BodyWithoutBlock | null {
    const taken = takeLongHex(body);
    if (taken === null) return null;
    const parsed = parseRequest(taken.body, this.#requests);
    if (!isSubmitBlock(parsed)) return null;
    try {
      return this.#dispatcher.arguments(parsed.entry).args[0] === taken.block.token ? taken : null;
    } catch (error) {
      // The node thread will return this error.
      if (error instanceof RpcError) return null;
      throw error;
    }
  }

  /**
   * Decides by the names of the methods.
   * @param method name to use if the names are not clear
   * @returns null if the body must be parsed
   */
  #planNamed(named: MethodNames, { allowed }: FrontCall, method: string): CallPlan | null {
    const { names } = named;
    if (names === null) return allowed === null ? { kind: 'node', method } : null;
    if (allowed !== null) for (const name of names) if (!allowed.has(name)) return FORBIDDEN;
    const [first] = names;
    return { kind: this.#threadOf(names), method: named.isBatch ? 'batch' : first };
  }

  /**
   * Returns the thread for some methods. The wallets' thread runs only methods of wallets. The node thread passes such
   * entries of a mixed batch on to it.
   */
  #threadOf(names: Iterable<string>): ThreadPlan['kind'] {
    for (const name of names) if (this.#methods.get(name)?.runs !== 'wallet') return 'node';
    return 'wallet';
  }

  /** Decides about a parsed body. @param body the bytes of the body; null if the body is large */
  #planParsed(parsed: ParsedBody, call: FrontCall, body: Uint8Array | null): CallPlan {
    if (call.allowed) {
      const refused = checkAccess(parsed, (method) => call.allowed!.has(method));
      if (refused) return refusal(refused);
    }
    if (parsed.kind === 'single' && parsed.entry.method === 'getblocktemplate') return this.#template(parsed.entry);
    const long = parsed.kind === 'batch' ? parsed.entries.length > MAX_BATCH : body === null && parsed.kind === 'single';
    const info: CallInfo = { user: call.user, path: call.uri };
    if (parsed.kind !== 'fault' && (long || this.#dispatcher.place(parsed) === 'elsewhere')) {
      if (parsed.kind === 'batch') return { kind: this.#threadOf(parsed.entries.map(({ method }) => method)), method: 'batch' };
      const { method } = parsed.entry;
      const kind = this.#threadOf([method]);
      const storeReply = kind === 'node' ? this.#keeper(parsed.entry, body) : null;
      return storeReply === null ? { kind, method } : { kind, method, cacheReply: storeReply };
    }
    const storeReply = parsed.kind === 'single' ? this.#keeper(parsed.entry, body) : null;
    // Methods of a front are synchronous, so the result is not a promise.
    const { status, body: reply } = this.#dispatcher.dispatch(parsed, info, AT_ONCE) as Reply;
    if (status === 200) storeReply?.(reply);
    return { kind: 'reply', status, body: reply };
  }

  /** Returns a function that caches the reply; null if the reply must not be cached. */
  #keeper(entry: RequestEntry, body: Uint8Array | null): ReplyKeeper | null {
    const spec = this.#methods.get(entry.method);
    if (body === null || spec?.cacheable !== true || entry.error !== null || isNotification(entry)) return null;
    return this.#known.replyKeeper(body, entry, spec.runs === 'front' ? 'tip' : 'moment');
  }

  #template(entry: RequestEntry): CallPlan {
    const reply = (outcome: Outcome): Reply => singleReply(entry, outcome);
    try {
      const request = parseTemplateRequest(this.#dispatcher.arguments(entry).args);
      // The node thread answers light templates, whose transactions it must keep, and templates with limits.
      if (request.mode === 'proposal' || request.light || request.limits !== null) return { kind: 'node', method: entry.method };
      if (isNotification(entry)) return { kind: 'reply', status: 204, body: '' };
      const [prefix, suffix] = envelopeAround(entry);
      const error = (code: number, message: string) => reply({ error: new RpcError(code, message) });
      return { kind: 'template', request, prefix, suffix, error };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { kind: 'reply', ...reply(this.#dispatcher.failed(entry, error, {})) };
    }
  }
}

const FORBIDDEN: CallPlan = { kind: 'forbidden' };

/** Converts the reply for a forbidden method to a plan. */
function refusal(reply: Reply): CallPlan {
  return reply.status === 403 ? FORBIDDEN : { kind: 'reply', ...reply };
}
