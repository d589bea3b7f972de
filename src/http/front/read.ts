// Step 3 of a request: receives its body within a limit for the bodies of all clients.
import { SUBMISSIONS } from '../../rpc/front/request-router.js';
import type { Admission } from './admit.js';
import type { BodyHandler, Exchange, ExchangeOwner } from './exchange.js';
import type { Replies } from './reply.js';
import { scanMethod } from './scan-method.js';

// Maximum size in bytes of bodies that are being received, as a multiple of the largest body.
const BODIES_AT_ONCE = 4;

export class BodyIntake implements ExchangeOwner {
  readonly #bodyLimit: number;
  readonly #admission: Admission;
  readonly #replies: Replies;
  readonly #onEnded: (exchange: Exchange) => void;
  #bodyBytes = 0;

  constructor(bodyLimit: number, admission: Admission, replies: Replies, onEnded: (exchange: Exchange) => void) {
    this.#bodyLimit = bodyLimit;
    this.#admission = admission;
    this.#replies = replies;
    this.#onEnded = onEnded;
  }

  read(exchange: Exchange, done: BodyHandler): void {
    exchange.readBody(this.#bodyLimit, done);
  }

  /**
   * Reserves memory for bodies that arrive in pieces, within a limit for all of them together. Users that may submit
   * blocks have the same amount again, so that other clients cannot use up the memory for a block.
   */
  reserve(sizeBytes: number, submits: boolean): boolean {
    const most = (submits ? 2 : 1) * BODIES_AT_ONCE * this.#bodyLimit;
    if (this.#bodyBytes + sizeBytes > most) return false;
    this.#bodyBytes += sizeBytes;
    return true;
  }

  release(sizeBytes: number): void {
    this.#bodyBytes -= sizeBytes;
  }

  refuse(exchange: Exchange, status: 413 | 500): void {
    if (status === 413) this.#admission.refuseLarge(exchange);
    else this.#replies.sendQueueFull(exchange);
  }

  maySecret(first: Uint8Array): boolean {
    return !SUBMISSIONS.has(scanMethod(first));
  }

  ended(exchange: Exchange): void {
    this.release(exchange.reservedBytes);
    this.#onEnded(exchange);
  }
}
