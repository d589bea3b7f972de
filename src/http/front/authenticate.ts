// Step 2 of a request: checks its credentials, and finds the methods that its user may call.
import type { FrontCounters } from '../../link/front-counters.js';
import { SUBMISSIONS } from '../../rpc/front/request-router.js';
import type { HttpOptions } from '../options.js';
import { MethodFilter } from './access.js';
import { Authenticator } from './auth.js';
import type { Exchange } from './exchange.js';
import type { Replies } from './reply.js';
import { WrongPasswords } from './wrong-passwords.js';

export class Authentication {
  readonly #auth: Authenticator;
  readonly #methods: MethodFilter;
  readonly #wrongPasswords: WrongPasswords;
  readonly #counters: FrontCounters;
  readonly #replies: Replies;

  /** @param warn writes to the log */
  constructor(options: HttpOptions, counters: FrontCounters, replies: Replies, warn: (text: string) => void) {
    this.#auth = new Authenticator(options.credentials);
    this.#methods = new MethodFilter(options.whitelist);
    this.#wrongPasswords = new WrongPasswords(warn);
    this.#counters = counters;
    this.#replies = replies;
  }

  /** Checks a request, and sets its call. @returns false if the request is answered here, perhaps later */
  authenticate(exchange: Exchange): boolean {
    const auth = this.#auth.check(exchange.authorization);
    if (auth.kind === 'user') {
      const allowed = this.#methods.allowed(auth.user);
      const submits = allowed === null || [...SUBMISSIONS].some((method) => allowed.has(method));
      exchange.call = { user: auth.user, uri: exchange.uri, allowed, submits };
      return true;
    }
    if (auth.kind === 'missing') this.#replies.sendUnauthorized(exchange);
    else {
      this.#counters.add('refusedAuth');
      this.#wrongPasswords.delayReply(exchange, exchange.remoteAddressText, () => this.#replies.sendUnauthorized(exchange));
    }
    return false;
  }
}
