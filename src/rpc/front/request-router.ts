// A front's desk: decides what becomes of a body, at once unless it is large. Replies it can give alone it gives; a
// template request is handed back checked, with the envelope around its result; calls of wallets alone go to the
// wallets' thread, everything else to the node thread. Called by http/front.
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
import { parseTemplateRequest, type TemplateRequest } from './template-request.js';

/** What is to be done with a call. */
export type CallPlan =
  | { readonly kind: 'reply'; readonly status: number; readonly body: string | Uint8Array }
  | { readonly kind: 'forbidden' }
  | ThreadPlan
  | TemplatePlan;

/** It runs on another thread. */
export interface ThreadPlan {
  readonly kind: 'node' | 'wallet';
  readonly method: string;
  /** Is shown the reply's body. */
  readonly cacheReply?: ReplyKeeper;
}

/** A single getblocktemplate in template mode whose arguments are in order. */
export interface TemplatePlan {
  readonly kind: 'template';
  readonly request: TemplateRequest;
  /** Envelope around the result; the suffix ends the body. */
  readonly prefix: string;
  readonly suffix: string;
  /** The reply when the template cannot be given after all. */
  error(code: number, message: string): Reply;
}

/** Who calls, and what they may. */
export interface FrontCall {
  readonly user: string;
  /** Request target. */
  readonly uri: string;
  /** Methods of the user's list; null for everything. */
  readonly allowed: ReadonlySet<string> | null;
}

/** Blocks and headers: they jump the queue of the link, and are taken even if their client has gone. */
export const SUBMISSIONS = new Set(['submitblock', 'submitheader']);

/** Longer batches go to the node thread, where they are cut into turns: a front must not be kept. */
const MAX_BATCH = 100;

/** A batch that a front answers takes no turns. */
const AT_ONCE: DispatchHooks = { sliceMs: Number.POSITIVE_INFINITY };

/** Large bodies, all of them together, are read for so long in one turn of the loop. */
const READ_MS = 2;

/** One per front thread. */
export class RequestRouter {
  readonly #dispatcher: Dispatcher<FrontContext>;
  readonly #reading = new SharedReading();
  readonly #requests: RequestOptions | undefined;
  readonly #methods: ReadonlyMap<string, DispatchedMethod>;
  readonly #known: KnownReplies;
  readonly #observer: DispatchObserver | undefined;

  /** @param requests how they are read; by default as Core 0.21 does */
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
   * The reply to a body that asks what another one has asked before, its id apart; null: it is to be planned. The bytes
   * are right until the next call. Never throws.
   */
  knownReply(body: Uint8Array, { user, uri, allowed }: FrontCall): Uint8Array | null {
    const known = this.#known.find(body);
    if (known === null || (allowed !== null && !allowed.has(known.method))) return null;
    if (this.#observer !== undefined) this.#observer.finished(this.#observer.started(known.method, { user, path: uri }), known.method, 0);
    return known.reply;
  }

  /** Never throws. */
  plan(body: Uint8Array, call: FrontCall): CallPlan {
    return this.#planParsed(parseRequest(body, this.#requests), call, body);
  }

  /**
   * The same for a body that may hold secrets, of which no text is made here unless there is no other way to see
   * whether its methods are allowed.
   * @param method that takes them
   */
  planSecret(body: Uint8Array, call: FrontCall, method: string): CallPlan {
    const named = new MethodNames(body);
    named.goOn(Number.POSITIVE_INFINITY);
    return this.#planNamed(named, call, method) ?? this.plan(body, call);
  }

  /**
   * The same for a large body, read in turns with the others: whether its methods are allowed and which thread runs
   * them is decided here, by their names alone where these are plain to see, and what is answered with a template;
   * everything else is another thread's, for a front must not be kept.
   * @param gone whether the client still waits
   * @returns null when it does not
   */
  async planLong(body: Uint8Array, call: FrontCall, gone: () => boolean): Promise<CallPlan | null> {
    const named = new MethodNames(body);
    if (!(await this.#reading.read(named, { sliceMs: READ_MS, isDisconnected: gone }))) return null;
    const template = call.allowed !== null && named.names?.has('getblocktemplate');
    const plan = template ? null : this.#planNamed(named, call, '');
    if (plan !== null) return plan;
    let refused = null as Reply | null;
    const batch = LongBatch.in(body, (source) => {
      if (call.allowed) refused ??= checkElement(source, (method) => call.allowed!.has(method));
    });
    const reader = batch ?? new RequestReader(body, this.#requests);
    try {
      if (!(await this.#reading.read(reader, { sliceMs: READ_MS, isDisconnected: gone }))) return null;
    } catch (error) {
      return { kind: 'reply', ...faultReply(parseFault(error)) };
    }
    if (reader instanceof RequestReader) return this.#planParsed(reader.body, call, null);
    return refused ? refusal(refused) : { kind: 'node', method: 'batch' };
  }

  /**
   * A submitblock with its block decoded, for the node thread. Null: the body goes there as it is, whatever it is.
   * Never throws.
   * @param body that scanning found to be a submitblock; it is left as it was
   */
  withoutBlock(body: Uint8Array): BodyWithoutBlock | null {
    const taken = takeLongHex(body);
    if (taken === null) return null;
    const parsed = parseRequest(taken.body, this.#requests);
    if (!isSubmitBlock(parsed)) return null;
    try {
      return this.#dispatcher.arguments(parsed.entry).args[0] === taken.block.token ? taken : null;
    } catch (error) {
      // The node thread has words for it.
      if (error instanceof RpcError) return null;
      throw error;
    }
  }

  /** By the methods' names alone; null when they must be read. @param method when they are not plain to see */
  #planNamed(named: MethodNames, { allowed }: FrontCall, method: string): CallPlan | null {
    const { names } = named;
    if (names === null) return allowed === null ? { kind: 'node', method } : null;
    if (allowed !== null) for (const name of names) if (!allowed.has(name)) return FORBIDDEN;
    const [first] = names;
    return { kind: this.#threadOf(names), method: named.isBatch ? 'batch' : first };
  }

  /** The wallets' thread runs nothing but calls of wallets; the node thread hands it those of a mixed batch. */
  #threadOf(names: Iterable<string>): ThreadPlan['kind'] {
    for (const name of names) if (this.#methods.get(name)?.runs !== 'wallet') return 'node';
    return 'wallet';
  }

  /** @param body null for a large one */
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
      const keep = kind === 'node' ? this.#keeper(parsed.entry, body) : null;
      return keep === null ? { kind, method } : { kind, method, cacheReply: keep };
    }
    const keep = parsed.kind === 'single' ? this.#keeper(parsed.entry, body) : null;
    // Front methods are synchronous, so their replies are.
    const { status, body: reply } = this.#dispatcher.dispatch(parsed, info, AT_ONCE) as Reply;
    if (status === 200) keep?.(reply);
    return { kind: 'reply', status, body: reply };
  }

  /** What keeps the reply to a call, where that is allowed. */
  #keeper(entry: RequestEntry, body: Uint8Array | null): ReplyKeeper | null {
    const spec = this.#methods.get(entry.method);
    if (body === null || spec?.cacheable !== true || entry.error !== null || isNotification(entry)) return null;
    return this.#known.replyKeeper(body, entry, spec.runs === 'front' ? 'tip' : 'moment');
  }

  #template(entry: RequestEntry): CallPlan {
    const reply = (outcome: Outcome): Reply => singleReply(entry, outcome);
    try {
      const request = parseTemplateRequest(this.#dispatcher.arguments(entry).args);
      // A light template is small, and its transactions are held on the node thread, as are templates with limits.
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

/** What becomes of a call that a list of methods does not allow. */
function refusal(reply: Reply): CallPlan {
  return reply.status === 403 ? FORBIDDEN : { kind: 'reply', ...reply };
}
