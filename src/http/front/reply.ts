// Step 5 of a request: sends replies, small ones at once and large ones in slices.
import type { FrontCounters } from '../../link/front-counters.js';
import { isShared, partsOf, type ReplyBody } from '../../link/messages.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import { type Compat, follows } from '../../policy/compat.js';
import type { Exchange, Header } from './exchange.js';
import { type FanOut, type SharedPart, SLICED_BYTES } from './fan-out.js';
import { errorPage, TYPE_DEFAULT, TYPE_JSON, TYPE_PAGE } from './pages.js';
import { NO_STORE, type RestReply } from './rest.js';

const QUEUE_FULL = 'Work queue depth exceeded';
/** Release whose status for a full work queue is 503 instead of 500. */
const QUEUE_FULL_503_RELEASE = 31;

/** A reply in parts up to this size is sent in one piece: copying it takes less time than a system call with many pieces. */
const COPIED_BYTES = 16 * 1024;

interface PartsOptions {
  /** Part of the reply that others share. */
  readonly shared?: SharedPart;
  readonly extra?: Header;
}

export class Replies {
  readonly fanOut: FanOut;
  readonly #state: SharedState;
  readonly #counters: FrontCounters;
  readonly #compat: Compat;

  /** @param compat decides the status while the work queue is full */
  constructor(state: SharedState, counters: FrontCounters, fanOut: FanOut, compat: Compat) {
    this.#compat = compat;
    this.#state = state;
    this.#counters = counters;
    this.fanOut = fanOut;
  }

  /** Sends the reply to a JSON-RPC body. @param body valid until this returns */
  sendJson(exchange: Exchange, status: number, body: ReplyBody): void {
    if (isShared(body)) {
      this.sendParts(exchange, TYPE_JSON, partsOf(body), { shared: body.shared });
      return;
    }
    this.#closeAtShutdown(exchange);
    if (body.length > SLICED_BYTES && status === 200) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      this.#counters.add('repliesSliced');
      this.fanOut.send(exchange, TYPE_JSON, { parts: [bytes], slabIndex: -1, release() {} });
      return;
    }
    const left = exchange.reply(status, body.length === 0 ? TYPE_DEFAULT : TYPE_JSON, body);
    // Copy: the link owns the bytes.
    if (left > 0) this.fanOut.adopt(exchange, typeof body === 'string' ? body : new Uint8Array(body), left);
  }

  /** Sends a reply with status 200 in parts, which are not copied if they are large. */
  sendParts(exchange: Exchange, type: string, parts: readonly Uint8Array[], { shared, extra }: PartsOptions = {}): void {
    let bytes = 0;
    for (const part of parts) bytes += part.byteLength;
    // Do not send a reply to HEAD in slices, because it must not have a body.
    if (bytes <= COPIED_BYTES || exchange.method === 'HEAD') {
      this.#sendWhole(exchange, 200, type, Buffer.concat(parts), extra);
      return;
    }
    this.#closeAtShutdown(exchange);
    if (bytes <= SLICED_BYTES) {
      const left = exchange.reply(200, type, parts, extra);
      if (left > 0) this.fanOut.adopt(exchange, parts, left);
      return;
    }
    this.#counters.add('repliesSliced');
    this.fanOut.send(exchange, type, { parts, slabIndex: -1, release() {}, ...(shared && { shared }) }, extra);
  }

  #sendWhole(exchange: Exchange, status: number, type: string, body: Uint8Array, extra?: Header): void {
    this.#closeAtShutdown(exchange);
    const left = exchange.reply(status, type, body, extra);
    if (left > 0) this.fanOut.adopt(exchange, body, left);
  }

  sendRest(exchange: Exchange, { status, type, body, extra, shared }: RestReply): void {
    if (status === 200) this.sendParts(exchange, type, body, { ...(extra && { extra }), ...(shared && { shared }) });
    else this.#sendWhole(exchange, status, type, Buffer.concat(body), extra);
  }

  /** Sends a reply without a body. */
  sendStatus(exchange: Exchange, status: number): void {
    exchange.reply(status, TYPE_DEFAULT, '');
  }

  /** Sends Core's page for a status, and closes the connection. */
  sendPage(exchange: Exchange, status: number): void {
    exchange.closeAfterReply();
    exchange.reply(status, TYPE_PAGE, errorPage(status));
  }

  sendUnauthorized(exchange: Exchange): void {
    exchange.reply(401, TYPE_DEFAULT, '', ['WWW-Authenticate', 'Basic realm="jsonrpc"']);
  }

  sendQueueFull(exchange: Exchange): void {
    this.#counters.add('refusedQueueFull');
    if (follows(this.#compat, QUEUE_FULL_503_RELEASE)) exchange.reply(503, TYPE_DEFAULT, QUEUE_FULL, NO_STORE);
    else exchange.reply(500, TYPE_DEFAULT, QUEUE_FULL);
  }

  #closeAtShutdown(exchange: Exchange): void {
    if (this.#state.has(STATE_FLAG.SHUTTING_DOWN)) exchange.closeAfterReply();
  }
}
