// Step 1 of a request: checks everything that its socket and its head decide before the credentials, in Core's order.
import type { FrontCounters } from '../../link/front-counters.js';
import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import { follows } from '../../policy/compat.js';
import type { HttpOptions } from '../options.js';
import { AddressFilter, isLoopback } from './access.js';
import type { Exchange } from './exchange.js';
import { TYPE_DEFAULT } from './pages.js';
import type { Replies } from './reply.js';
import { CACHE_RELEASE, isRestTarget, NO_STORE } from './rest.js';
import { SocketQuota } from './socket-quota.js';
import { isStream } from './template-stream.js';

/** Maximum number of different causes of refusals that are logged. Error texts of the TLS library could be many causes. */
const MOST_CAUSES = 64;

const ONLY_POST = 'JSONRPC server handles only POST requests';
const HANDLED_METHODS = new Set(['POST', 'GET', 'HEAD', 'PUT']);

/** Purpose of an admitted request. */
export type Wanted = 'rest' | 'stream' | 'calls';

export class Admission {
  readonly #options: HttpOptions;
  readonly #state: SharedState;
  readonly #counters: FrontCounters;
  readonly #replies: Replies;
  readonly #warn: (text: string) => void;
  readonly #addresses: AddressFilter;
  readonly #sockets: SocketQuota;
  /**
   * True once a disallowed address has connected. Until then the address check per request is skipped, which costs 20 %
   * of a small call.
   */
  #sawDisallowed = false;
  /** Causes of refusals that were logged. */
  readonly #loggedCauses = new Set<string>();

  /** @param warn writes to the log */
  constructor(options: HttpOptions, state: SharedState, counters: FrontCounters, replies: Replies, warn: (text: string) => void) {
    this.#options = options;
    this.#state = state;
    this.#counters = counters;
    this.#replies = replies;
    this.#warn = warn;
    this.#addresses = new AddressFilter(options.allow);
    this.#sockets = new SocketQuota(options.sockets, warn);
  }

  /**
   * Counts a new socket.
   * @param address of the client, 4 or 16 bytes
   * @returns whether the socket may stay open; if not, the caller closes it
   */
  socketOpened(address: Uint8Array): boolean {
    if (!this.#sockets.opened()) return false;
    this.#counters.add('connectionsOpen', 1);
    if (!isLoopback(address) && !this.#addresses.allows(address)) this.#sawDisallowed = true;
    return true;
  }

  /** Counts a closed socket. A socket that socketOpened() refused must be reported before any other. */
  socketClosed(): void {
    if (this.#sockets.closed()) this.#counters.add('connectionsOpen', -1);
  }

  /** Checks a request. @returns null if it was answered */
  admit(exchange: Exchange): Wanted | null {
    const { method, uri } = exchange;
    const { bodyLimit, compat, rest } = this.#options;
    if (exchange.contentLength > bodyLimit) this.refuseLarge(exchange);
    else if (this.#sawDisallowed && !this.#addresses.allows(exchange.remoteAddress)) {
      this.#counters.add('refusedAddress');
      this.logRefusal(exchange.remoteAddressText, 'its address is not in -rpcallowip');
      this.#replies.sendStatus(exchange, 403);
    } else if (this.#state.has(STATE_FLAG.SHUTTING_DOWN)) this.#replies.sendPage(exchange, 503);
    else if (method === 'DELETE') this.#replies.sendStatus(exchange, 405);
    else if (!HANDLED_METHODS.has(method)) this.#replies.sendPage(exchange, 501);
    else if (isStream(exchange)) return 'stream';
    else if (rest && isRestTarget(uri)) return 'rest';
    else if (uri !== '/' && !uri.startsWith('/wallet/'))
      exchange.reply(404, TYPE_DEFAULT, '', follows(compat, CACHE_RELEASE) ? NO_STORE : undefined);
    else if (method !== 'POST') exchange.reply(405, TYPE_DEFAULT, ONLY_POST);
    else return 'calls';
    return null;
  }

  /** Answers a request whose body is too large. */
  refuseLarge(exchange: Exchange): void {
    this.logRefusal(exchange.remoteAddressText, `a body of more than ${this.#options.bodyLimit} bytes`);
    this.#replies.sendPage(exchange, 413);
  }

  /** Answers a request whose head or body is malformed. */
  refuseMalformed(exchange: Exchange, cause: string): void {
    this.logRefusal(exchange.remoteAddressText, cause);
    this.#replies.sendPage(exchange, 400);
  }

  /**
   * Logs why a client was refused. Each cause is logged once, so that clients cannot fill the log.
   * @param cause such as "a head with a NUL byte"
   */
  logRefusal(address: string, cause: string): void {
    if (this.#loggedCauses.has(cause) || this.#loggedCauses.size >= MOST_CAUSES) return;
    this.#loggedCauses.add(cause);
    this.#warn(`Refused an HTTP client at ${address}: ${cause}. Further refusals with this cause are not logged.`);
  }
}
