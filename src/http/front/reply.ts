// Step 5 of a request: sends replies, small ones at once and large ones in slices.
import type { FrontCounters } from '../../link/front-counters.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { Exchange } from './exchange.js';
import { type FanOut, SLICED_BYTES } from './fan-out.js';
import { errorPage, TYPE_DEFAULT, TYPE_JSON, TYPE_PAGE } from './pages.js';
import type { RestReply } from './rest.js';

const QUEUE_FULL = 'Work queue depth exceeded';

export class Replies {
  readonly fanOut: FanOut;
  readonly #state: SharedState;
  readonly #counters: FrontCounters;

  constructor(state: SharedState, counters: FrontCounters, fanOut: FanOut) {
    this.#state = state;
    this.#counters = counters;
    this.fanOut = fanOut;
  }

  /** Sends the reply to a JSON-RPC body. @param body valid until this returns */
  sendJson(exchange: Exchange, status: number, body: string | Uint8Array): void {
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

  sendRest(exchange: Exchange, { status, type, body, extra }: RestReply): void {
    this.#closeAtShutdown(exchange);
    const bytes = body.length === 1 ? body[0]! : null;
    // Do not send a reply to HEAD in slices, because it must not have a body.
    if (status === 200 && exchange.method !== 'HEAD' && (bytes === null || bytes.length > SLICED_BYTES)) {
      this.#counters.add('repliesSliced');
      this.fanOut.send(exchange, type, { parts: body, slabIndex: -1, release() {} }, extra);
      return;
    }
    const whole = bytes ?? Buffer.concat(body);
    const left = exchange.reply(status, type, whole, extra);
    if (left > 0) this.fanOut.adopt(exchange, whole, left);
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
    exchange.reply(500, TYPE_DEFAULT, QUEUE_FULL);
  }

  #closeAtShutdown(exchange: Exchange): void {
    if (this.#state.has(STATE_FLAG.SHUTTING_DOWN)) exchange.closeAfterReply();
  }
}
