// Connects a getblocktemplate call to template/view: the view provides parts or an error, and this class sends them.
// Small replies are joined and sent at once, large ones are sent in slices (fan-out.ts).
import { wholeBody } from '../../link/messages.js';
import type { TemplatePlan } from '../../rpc/front/request-router.js';
import type { TemplateBody, TemplateCall } from '../../template/view/template-view.js';
import { isLoopback } from './access.js';
import type { Exchange, Header } from './exchange.js';
import { type FanOut, SLICED_BYTES } from './fan-out.js';
import { TYPE_DEFAULT, TYPE_JSON } from './pages.js';

/** Called when the call was answered. `failed` is true if the reply is an error. */
export type TemplateDone = (failed: boolean) => void;

export class TemplateExchange implements TemplateCall {
  readonly #exchange: Exchange;
  readonly #plan: TemplatePlan;
  readonly #fanOut: FanOut;
  readonly #done: TemplateDone;
  readonly acceptsGzip: boolean;

  constructor(exchange: Exchange, plan: TemplatePlan, fanOut: FanOut, done: TemplateDone) {
    this.acceptsGzip = acceptsGzip(exchange);
    this.#exchange = exchange;
    this.#plan = plan;
    this.#fanOut = fanOut;
    this.#done = done;
  }

  get request() {
    return this.#plan.request;
  }

  get prefix(): string {
    return this.#plan.prefix;
  }

  get suffix(): string {
    return this.#plan.suffix;
  }

  get aborted(): boolean {
    return this.#exchange.disconnected;
  }

  set onAborted(handler: (() => void) | null) {
    this.#exchange.onDisconnect = handler;
  }

  send(body: TemplateBody): void {
    this.#done(false);
    let total = 0;
    for (const part of body.parts) total += part.byteLength;
    const extra: Header | undefined = body.encoding === 'gzip' ? ['Content-Encoding', 'gzip'] : undefined;
    if (total > SLICED_BYTES) {
      this.#fanOut.send(this.#exchange, TYPE_JSON, body, extra);
      return;
    }
    const whole = Buffer.concat(body.parts, total);
    const left = this.#exchange.reply(200, TYPE_JSON, whole, extra);
    if (left > 0) this.#fanOut.adopt(this.#exchange, whole, left);
    body.release();
  }

  fail(code: number, message: string): void {
    this.#done(true);
    const { status, body } = this.#plan.error(code, message);
    this.#exchange.reply(status, body === '' ? TYPE_DEFAULT : TYPE_JSON, wholeBody(body));
  }
}

/**
 * Returns whether to send a compressed template. Clients on this machine get uncompressed templates, because over
 * loopback bytes cost less than compression, and many libraries accept gzip although their users did not ask for it.
 */
function acceptsGzip(exchange: Exchange): boolean {
  return exchange.acceptEncoding !== '' && asksForGzip(exchange.acceptEncoding) && !isLoopback(exchange.remoteAddress);
}

/** Returns whether an Accept-Encoding value accepts gzip (RFC 9110, 12.5.3). */
export function asksForGzip(value: string): boolean {
  return value.split(',').some((entry) => {
    const [coding, ...parameters] = entry.toLowerCase().split(';');
    return coding.trim() === 'gzip' && !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter));
  });
}
