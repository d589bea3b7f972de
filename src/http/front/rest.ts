// Handles REST requests on a front (-rest). The front parses the request, the node thread answers with status and body,
// and the front adds the content type and the caching headers. Blocks never pass the node thread: it returns read jobs,
// which the front's render threads run (stored-reads.ts). As in Core there are no credentials; the limits on addresses and
// sizes are those of RPC calls. Replies and read jobs are cached like those of calls (rpc/front/known-replies.ts).
import type { FrontLink } from '../../link/front-link.js';
import { isShared, partsOf, type ReplyBody } from '../../link/messages.js';
import { type Compat, shows } from '../../policy/compat.js';
import { RpcError } from '../../rpc/errors.js';
import { isHole, type KnownReplies } from '../../rpc/front/known-replies.js';
import { isWithoutUndo } from '../../rpc/reads/read-job.js';
import { decodeUnfilled, type Hole, UNFILLED } from '../../rpc/reads/unfilled.js';
import {
  hasBody,
  isStored,
  neverChanges,
  noSuchFormat,
  REST_PREFIX,
  type RestCall,
  RestFault,
  type RestFormat,
  readRest,
  restLasting,
  type StoredCall,
} from '../../rpc/rest/request.js';
import type { Exchange, Header } from './exchange.js';
import type { SharedPart } from './fan-out.js';
import { TYPE_BYTES, TYPE_DEFAULT, TYPE_JSON, TYPE_TEXT } from './pages.js';
import type { SharedResult } from './shared-result.js';

/** Functions of the front that the REST handler needs. */
export interface RestDeps {
  readonly compat: Compat;
  readonly link: FrontLink;
  /** Returns the text of the current start phase; null after the start. */
  warmup(): string | null;
  /** Cached replies of the front. */
  readonly known: KnownReplies;
  /** Counts a call that a cached reply ended. */
  count(method: string): void;
  /** Reads the body of a request. The bytes are valid until the handler returns. */
  readBody(exchange: Exchange, limit: number, done: (body: Uint8Array) => void): void;
  /** Sends a complete reply. */
  send(exchange: Exchange, reply: RestReply): void;
  /** Answers that the work queue is full. */
  refuse(exchange: Exchange): void;
  /** Runs a read job. Never rejects. */
  read(exchange: Exchange, hole: Hole): Promise<SharedResult | RpcError>;
}

/** A complete reply. */
export interface RestReply {
  readonly status: number;
  readonly type: string;
  /** Parts of the body in order. */
  readonly body: readonly Uint8Array[];
  readonly extra?: Header;
  /** Part of the body that other replies share. */
  readonly shared?: SharedPart;
}

/** Maximum size in bytes of a request body: a list of up to fifteen outpoints, possibly as hex. */
const BODY_BYTES = 64 * 1024;

const NOTHING = new Uint8Array(0);
const LINE_FEED = Buffer.from('\n');
const CACHE = 'Cache-Control';
const CACHEABLE: Header = [CACHE, 'public, immutable, max-age=86400'];
/** Header of replies that caches must not store. */
export const NO_STORE: Header = [CACHE, 'no-store'];
/** Release since which Core sends caching headers. */
export const CACHE_RELEASE = 32;

const TYPES: Readonly<Record<Exclude<RestFormat, null>, string>> = { bin: TYPE_BYTES, hex: TYPE_TEXT, json: TYPE_JSON };

/** Returns whether a request target belongs to the REST interface. */
export const isRestTarget = (target: string): boolean => target.startsWith(REST_PREFIX);

/** REST handler of a front. */
export class RestFront {
  readonly #deps: RestDeps;
  readonly #noStore: Header | undefined;

  constructor(deps: RestDeps) {
    this.#deps = deps;
    this.#noStore = shows(deps.compat, { since: CACHE_RELEASE }) ? NO_STORE : undefined;
  }

  /** Handles a request whose target belongs to the REST interface. */
  handleRequest(exchange: Exchange): void {
    const warmup = this.#deps.warmup();
    if (warmup !== null) this.#fault(exchange, 503, `Service temporarily unavailable: ${warmup}`);
    else if (hasBody(exchange.uri)) this.#deps.readBody(exchange, BODY_BYTES, (body) => this.#read(exchange, body));
    else this.#read(exchange, NOTHING);
  }

  #read(exchange: Exchange, body: Uint8Array): void {
    try {
      const call = readRest(exchange.uri, body, this.#deps.compat);
      if (call === null) this.#send(exchange, { status: 404, type: TYPE_DEFAULT, body: [] });
      else if (!this.#answerKnown(exchange, call)) this.#callNode(exchange, call, body);
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /** Answers a request if its reply is cached. */
  #answerKnown(exchange: Exchange, call: RestCall): boolean {
    const { known, count } = this.#deps;
    const found = restLasting(call) === null ? null : known.find(Buffer.from(exchange.uri, 'latin1'));
    if (found === null) return false;
    const { method, reply } = found;
    if (isHole(reply)) void this.#sendRead(exchange, call, reply);
    else {
      count(method);
      this.#answer(exchange, call, 200, reply);
    }
    return true;
  }

  #callNode(exchange: Exchange, call: RestCall, body: Uint8Array): void {
    const { link, known } = this.#deps;
    const method = `rest/${call.endpoint}`;
    const sent = { user: '', uri: exchange.uri, method, body };
    const lasting = restLasting(call);
    const keep = lasting && known.replyKeeper(Buffer.from(exchange.uri, 'latin1'), { method, around: ['', ''] }, lasting);
    const id = link.call({ ...sent, shared: true, priority: false, submission: false, waits: false, plain: true }, (status, reply) => {
      keep?.(status, reply);
      this.#answer(exchange, call, status, reply);
    });
    if (id === 0) this.#deps.refuse(exchange);
    else exchange.onDisconnect = () => link.cancel(id);
  }

  /** Handles the node thread's reply. @param body valid until this returns */
  #answer(exchange: Exchange, call: RestCall, status: number, body: ReplyBody): void {
    if (isShared(body)) this.#found(exchange, call, partsOf(body));
    else if (status === UNFILLED) void this.#sendRead(exchange, call, decodeUnfilled(body)[0] as Hole);
    else if (status !== 200) this.#fault(exchange, status, Buffer.from(body).toString());
    else this.#found(exchange, call, [Buffer.from(body)]);
  }

  async #sendRead(exchange: Exchange, call: RestCall, hole: Hole): Promise<void> {
    const result = await this.#deps.read(exchange, { ...hole, method: `rest/${call.endpoint}` });
    if (exchange.disconnected) return;
    if (result instanceof RpcError) {
      if (call.endpoint === 'spenttxouts' && isWithoutUndo(result)) this.#fault(exchange, 404, `${call.hash.text} undo not available`);
      else this.#fault(exchange, 500, isStored(call) ? `I/O error reading ${call.hash.text}` : result.message);
      return;
    }
    try {
      if (call.endpoint === 'blockpart') assertPart(call, result);
      this.#found(exchange, call, call.format === 'bin' ? result.parts : [...result.parts, LINE_FEED], result);
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    if (!(error instanceof RestFault)) throw error;
    this.#fault(exchange, error.status, error.message);
  }

  /** Sends a reply with status 200. */
  #found(exchange: Exchange, call: RestCall, body: readonly Uint8Array[], shared?: SharedPart): void {
    const extra = this.#noStore && (neverChanges(call) ? CACHEABLE : NO_STORE);
    this.#send(exchange, { status: 200, type: TYPES[call.format ?? 'bin'], body, ...(extra && { extra }), ...(shared && { shared }) });
  }

  #fault(exchange: Exchange, status: number, message: string): void {
    this.#send(exchange, { status, type: TYPE_TEXT, body: [Buffer.from(`${message}\r\n`)] });
  }

  #send(exchange: Exchange, reply: RestReply): void {
    this.#deps.send(exchange, this.#noStore ? { extra: this.#noStore, ...reply } : reply);
  }
}

/** Throws if a part of a block does not exist, or was requested in a format that it does not have. */
function assertPart({ part, hash, format }: Extract<StoredCall, { endpoint: 'blockpart' }>, { byteLength }: SharedResult): void {
  if (byteLength === 0) throw new RestFault(400, `Bad block part offset/size ${part.offset}/${part.size} for ${hash.text}`);
  if (format === null) noSuchFormat();
  if (format === 'json') throw new RestFault(400, 'JSON output is not supported for this request type');
}
