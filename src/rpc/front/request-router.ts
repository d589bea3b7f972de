// Decides what happens with a body on a front. A call that the front can answer is answered. A getblocktemplate request
// is returned checked, with the envelope around its result. Calls that only need wallets go to the wallets' thread,
// everything else to the node thread.
import type { ReplyBody } from '../../link/messages.js';
import type { TemplateRequest } from '../../template/index.js';
import { SECRET_PLACES } from '../declare/secret-places.js';
import { type CallInfo, checkAccess, type DispatchedMethod, Dispatcher, type DispatchHooks, type DispatchObserver } from '../dispatch.js';
import { RpcError } from '../errors.js';
import * as FRONT_RUNS from '../methods/front-runs.js';
import { LONG_BODY_BYTES, readInSlices } from '../wire/long-reading.js';
import { objectsIn } from '../wire/objects-in.js';
import { encodeEnvelope, envelopeAround, type FilledOutcome, faultReply, isNotification, type Reply, singleReply } from '../wire/reply.js';
import { RequestBody, type RequestEntry, type RequestOptions, RequestScan, scanRequest } from '../wire/request.js';
import { secretMethodIn } from '../wire/secret-places.js';
import { type BodyWithoutBlock, takeLongHex } from './block-hex.js';
import type { FrontContext } from './context.js';
import { batchKeeper, batchPieces, entryPieces, type Piece } from './known-batch.js';
import { isHole, type KnownBody, KnownReplies, type KnownReply, type ReplyKeeper } from './known-replies.js';
import { parseTemplateRequest } from './template-request.js';

/** Decision about a body. */
export type CallPlan =
  | { readonly kind: 'reply'; readonly status: number; readonly body: ReplyBody }
  /** A reply in pieces. Some of them are read jobs, or bytes that replies share. */
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'forbidden' }
  | ThreadPlan
  | TemplatePlan;

/** The body runs on another thread. */
export interface ThreadPlan {
  readonly kind: 'node' | 'wallet';
  /** Name of the method, or `batch`. */
  readonly method: string;
  /**
   * True if the body may contain secrets. Such a body goes through the priority port in memory of its own, and this
   * thread keeps no copy.
   */
  readonly secret: boolean;
  /** Index of the body (wire/request.ts), valid until the next plan. */
  readonly index: Int32Array;
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

/** An entry of a batch, and its bytes. */
interface BatchEntry {
  readonly bytes: Uint8Array;
  readonly entry: RequestEntry;
  /** True if the front answers it without the node thread. */
  readonly alone: boolean;
}

/** Methods that submit blocks and headers. They run before waiting calls, and even if their client has disconnected. */
export const SUBMISSIONS = new Set(['submitblock', 'submitheader']);

/**
 * Longest batch that a front answers. Longer ones go to the node thread, which runs them in slices, so that the front
 * is not delayed.
 */
const MAX_BATCH = 100;

const OPEN_BRACE = 0x7b;

/** A front answers a batch without a pause. */
const AT_ONCE: DispatchHooks = { sliceMs: Number.POSITIVE_INFINITY };

/** Milliseconds per event-loop tick in which large bodies are read. */
const READ_MS = 2;

export class RequestRouter {
  readonly #dispatcher: Dispatcher<FrontContext>;
  readonly #requests: RequestOptions | undefined;
  readonly #methods: ReadonlyMap<string, DispatchedMethod>;
  /** Cached replies of this front. */
  readonly known: KnownReplies;
  /** Scan for the next body; null while a body is planned. */
  #scan: RequestScan | null = null;
  readonly #observer: DispatchObserver | undefined;

  /** @param requests how requests are parsed; default: as Core 0.21 does */
  constructor(context: FrontContext, observer?: DispatchObserver, requests?: RequestOptions) {
    this.#requests = requests;
    this.#methods = context.methods;
    this.known = new KnownReplies(context);
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
   * Returns the cached reply to a body, or null if there is none: then call plan(). The bytes are valid
   * until the next call. Never throws. If a read job must run, the caller counts the end of the call.
   */
  knownReply(body: Uint8Array, { user, uri, allowed }: FrontCall): KnownBody | null {
    // Any other body may equal the target of a REST request, whose reply is cached as well.
    const known = body[0] === OPEN_BRACE ? this.known.find(body) : null;
    if (known === null || (allowed !== null && !allowed.has(known.method))) return null;
    return this.#takeReply(known, { user, path: uri });
  }

  /** Returns a cached reply, and counts the call unless a read job ends it. */
  #takeReply({ method, reply }: KnownReply, info: CallInfo): KnownBody {
    const token = this.#observer?.started(method, info);
    if (token !== undefined && !isHole(reply)) this.#observer?.finished(token, method, 0);
    return reply;
  }

  /**
   * Decides about a body. Never throws.
   * @returns null if it takes longer to read the body: then call planLong() before the next plan()
   */
  plan(body: Uint8Array, call: FrontCall): CallPlan | null {
    const scan = this.#scan ?? new RequestScan();
    // While this body is planned, the front may read messages of the node thread, and these may start the plan of another
    // client's request. That plan must not use the same scan.
    this.#scan = null;
    const whole = scan.start(body).goOn(body.length < LONG_BODY_BYTES ? Number.POSITIVE_INFINITY : READ_MS);
    const plan = whole ? this.#planScanned(body, scan, call) : null;
    this.#scan = scan;
    return plan;
  }

  /**
   * Reads the rest of a large body in slices.
   * @param own copy of the body, or the body if nothing else overwrites it
   * @param isDisconnected returns whether the client has disconnected
   * @returns null if the client has disconnected
   */
  async planLong(own: Uint8Array, call: FrontCall, isDisconnected: () => boolean): Promise<CallPlan | null> {
    const scan = this.#scan!;
    this.#scan = null;
    scan.moveInto(own);
    const whole = await readInSlices(scan, READ_MS, isDisconnected);
    return whole ? this.#planScanned(own, scan, call) : null;
  }

  /** Large bodies are not answered here, so that the front is not delayed. */
  #planScanned(bytes: Uint8Array, scan: RequestScan, call: FrontCall): CallPlan {
    if (scan.fault !== null) return { kind: 'reply', ...faultReply(scan.fault) };
    const body = new RequestBody(bytes, scan.index, this.#requests);
    if (call.allowed) {
      const refused = checkAccess(body, (method) => call.allowed!.has(method));
      if (refused) return refused.status === 403 ? FORBIDDEN : { kind: 'reply', ...refused };
    }
    const secret = secretMethodIn(body, SECRET_PLACES) !== null;
    const elsewhere = secret || body.bytes.length >= LONG_BODY_BYTES || body.length > MAX_BATCH;
    if (elsewhere) return this.#threadFor(body, secret);
    if (!body.isBatch && body.at(0).method === 'getblocktemplate') return this.#template(body);
    const info: CallInfo = { user: call.user, path: call.uri };
    const plan = this.#dispatcher.answersAll(body) ? null : this.#threadFor(body, secret);
    const entries = plan?.kind === 'node' && body.isBatch ? this.#readEntries(body) : null;
    const known = entries && this.#knownBatch(entries, info);
    if (known !== null) return known;
    const keeper = plan?.kind === 'wallet' ? null : entries ? this.#batchKeeper(entries) : this.#keeper(body);
    if (plan !== null) return keeper === null ? plan : { ...plan, cacheReply: keeper };
    // Methods of a front are synchronous, so the result is not a promise.
    const { status, body: reply } = this.#dispatcher.dispatch(body, info, AT_ONCE) as Reply;
    keeper?.(status, reply);
    return { kind: 'reply', status, body: reply };
  }

  /**
   * Takes the block out of a submitblock, for the node thread.
   * @param body large body whose method seems to be submitblock; it is not changed
   * @returns null if the body must go to the node thread as it is
   */
  withoutBlock(body: Uint8Array): BodyWithoutBlock | null {
    const taken = takeLongHex(body);
    if (taken === null) return null;
    const requests = scanRequest(taken.body, this.#requests);
    if (requests instanceof RpcError || requests.isBatch || requests.methodOf(0) !== 'submitblock') return null;
    try {
      return this.#dispatcher.arguments(requests.at(0)).args[0] === taken.block.token ? taken : null;
    } catch (error) {
      // The node thread will return this error.
      if (error instanceof RpcError) return null;
      throw error;
    }
  }

  /**
   * Returns the thread for a body. The wallets' thread runs only methods of wallets. The node thread passes such entries
   * of a mixed batch on to it.
   */
  #threadFor(body: RequestBody, secret: boolean): ThreadPlan {
    let kind: ThreadPlan['kind'] = 'wallet';
    for (let i = 0; i < body.length && kind === 'wallet'; i++)
      if (this.#methods.get(body.methodOf(i) ?? '')?.runs !== 'wallet') kind = 'node';
    return { kind, method: body.isBatch ? 'batch' : body.at(0).method, secret, index: body.index };
  }

  /** Returns the entries of a batch of calls that change nothing and whose replies a front may make or cache; else null. */
  #readEntries(body: RequestBody): BatchEntry[] | null {
    const entries: BatchEntry[] = [];
    const texts = objectsIn(body.bytes);
    if (texts.length !== body.length) return null;
    for (const [i, bytes] of texts.entries()) {
      if (!body.isObject(i)) return null;
      const entry = body.at(i);
      const alone = this.#dispatcher.answersAlone(entry);
      if (isNotification(entry) || (!alone && !this.#methods.get(entry.method)?.cacheable)) return null;
      entries.push({ bytes, entry, alone });
    }
    return entries;
  }

  /** Answers a batch if all replies are cached or can be made here. */
  #knownBatch(entries: readonly BatchEntry[], info: CallInfo): CallPlan | null {
    // The bytes of a cached reply are valid until the next search.
    const known: (readonly Piece[] | null)[] = [];
    const methods: KnownReply[] = [];
    for (const { bytes, alone } of entries) {
      const found = alone ? null : this.known.find(bytes);
      if (found === null && !alone) return null;
      if (found !== null) methods.push(found);
      known.push(found && entryPieces(found.reply));
    }
    for (const one of methods) this.#takeReply(one, info);
    const pieces = batchPieces(
      entries.map(({ entry }, i) => {
        if (known[i] != null) return known[i];
        // Methods of a front are synchronous, and they return no read jobs.
        return [Buffer.from(encodeEnvelope(entry, this.#dispatcher.execute(entry, info) as FilledOutcome))];
      }),
    );
    if (pieces.some((piece) => 'job' in piece || piece.buffer instanceof SharedArrayBuffer)) return { kind: 'pieces', pieces };
    return { kind: 'reply', status: 200, body: Buffer.concat(pieces as Uint8Array[]) };
  }

  #batchKeeper(entries: readonly BatchEntry[]): ReplyKeeper | null {
    return batchKeeper(entries.map(({ bytes, entry, alone }) => (alone ? null : this.#entryKeeper(bytes, entry))));
  }

  /** Returns a function that caches the reply; null if the reply must not be cached. */
  #keeper(body: RequestBody): ReplyKeeper | null {
    return body.isBatch ? null : this.#entryKeeper(body.bytes, body.at(0));
  }

  #entryKeeper(bytes: Uint8Array, entry: RequestEntry): ReplyKeeper | null {
    const { method } = entry;
    const spec = this.#methods.get(method);
    if (!spec?.cacheable || isNotification(entry)) return null;
    const lasting = spec.cacheable === 'blocks' ? 'blocks' : spec.runs === 'front' ? 'tip' : 'moment';
    return this.known.replyKeeper(bytes, { method, around: envelopeAround(entry) }, lasting);
  }

  #template(body: RequestBody): CallPlan {
    const entry = body.at(0);
    try {
      const request = parseTemplateRequest(this.#dispatcher.arguments(entry).args[0] ?? null);
      // The node thread answers light templates, whose transactions it must keep, and templates with limits.
      if (request.mode === 'proposal' || request.light || request.limits !== null) return this.#threadFor(body, false);
      if (isNotification(entry)) return { kind: 'reply', status: 204, body: '' };
      const [prefix, suffix] = envelopeAround(entry);
      const error = (code: number, message: string) => singleReply(entry, { error: new RpcError(code, message) });
      return { kind: 'template', request, prefix, suffix, error };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { kind: 'reply', ...singleReply(entry, this.#dispatcher.failed(entry, error, {})) };
    }
  }
}

const FORBIDDEN: CallPlan = { kind: 'forbidden' };
