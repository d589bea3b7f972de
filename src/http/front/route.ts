// Step 4 of a request: decides about its body by rpc/front/request-router.ts, and executes the decision.
import type { FrontLink } from '../../link/front-link.js';
import { type TakenBlock, wholeBody } from '../../link/messages.js';
import { METHODS } from '../../rpc/declare/methods.js';
import { isHole } from '../../rpc/front/known-replies.js';
import { type CallPlan, type RequestRouter, SUBMISSIONS, type TemplatePlan, type ThreadPlan } from '../../rpc/front/request-router.js';
import { UNFILLED } from '../../rpc/reads/unfilled.js';
import { LONG_BODY_BYTES } from '../../rpc/wire/long-reading.js';
import type { Exchange } from './exchange.js';
import { TYPE_DEFAULT } from './pages.js';
import type { BodyIntake } from './read.js';
import type { Replies } from './reply.js';
import { scanMethod } from './scan-method.js';
import type { StoredReads } from './stored-reads.js';

/** A received body. */
interface Received {
  readonly body: Uint8Array;
  /** True if the connection owns the bytes: they are valid only during this event-loop task. */
  readonly shared: boolean;
  /** True if the body seems to submit a block or header. */
  readonly submits: boolean;
  /** Block that was taken out of the body. */
  readonly block: TakenBlock | null;
}

export interface CallRoutesDeps {
  readonly router: RequestRouter;
  readonly bodies: BodyIntake;
  readonly replies: Replies;
  readonly reads: StoredReads;
  readonly node: FrontLink;
  /** Returns the link to the wallets' thread; null until it runs, and without wallets. */
  wallets(): FrontLink | null;
  /** Answers a template request now or later. */
  template(exchange: Exchange, plan: TemplatePlan): void;
}

export class CallRoutes {
  readonly #deps: CallRoutesDeps;

  constructor(deps: CallRoutesDeps) {
    this.#deps = deps;
  }

  /** Handles a whole body. @param shared whether the connection owns the bytes */
  readonly route = (exchange: Exchange, body: Uint8Array, shared: boolean): void => {
    const { router, replies } = this.#deps;
    try {
      const known = router.knownReply(body, exchange.call);
      if (known !== null) {
        if (isHole(known)) this.#deps.reads.answerHole(exchange, known);
        else replies.sendJson(exchange, 200, known);
        return;
      }
      const read = this.#received(body, shared);
      const plan = router.plan(read.body, exchange.call);
      if (plan === null) void this.#readLong(exchange, read);
      else this.#execute(exchange, plan, read);
    } catch (error) {
      this.#failed(exchange, error);
    }
  };

  /** Takes the block out of a large submitblock. */
  #received(body: Uint8Array, shared: boolean): Received {
    const method = body.byteLength < LONG_BODY_BYTES ? '' : scanMethod(body);
    const taken = method === 'submitblock' ? this.#deps.router.withoutBlock(body) : null;
    return taken === null ? { body, shared, submits: SUBMISSIONS.has(method), block: null } : { ...taken, shared: false, submits: true };
  }

  /** Reads the rest of a large body in slices. */
  async #readLong(exchange: Exchange, { body, shared, submits, block }: Received): Promise<void> {
    const { router, bodies, replies } = this.#deps;
    // A body that arrived in one piece has reserved no memory yet.
    const copiedBytes = shared ? body.byteLength : 0;
    if (!bodies.reserve(copiedBytes, exchange.call.submits)) {
      replies.sendQueueFull(exchange);
      return;
    }
    const own = shared ? new Uint8Array(body) : body;
    if (shared && !submits) body.fill(0);
    try {
      // A block is processed even if its client has disconnected.
      const plan = await router.planLong(own, exchange.call, () => exchange.disconnected && !submits);
      if (plan !== null) this.#execute(exchange, plan, { body: own, shared: false, submits, block });
    } catch (error) {
      this.#failed(exchange, error);
    } finally {
      bodies.release(copiedBytes);
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    const text = `request failed: ${error instanceof Error ? error.stack : error}`;
    this.#deps.node.postNews({ news: 'notice', level: 'error', text });
    exchange.reply(500, TYPE_DEFAULT, 'Unhandled request');
  }

  #execute(exchange: Exchange, plan: CallPlan, read: Received): void {
    if (plan.kind === 'reply') this.#deps.replies.sendJson(exchange, plan.status, plan.body);
    else if (plan.kind === 'pieces') this.#deps.reads.answerPieces(exchange, plan.pieces);
    else if (plan.kind === 'forbidden') this.#deps.replies.sendStatus(exchange, 403);
    else if (plan.kind === 'template') this.#deps.template(exchange, plan);
    else this.#sendToThread(exchange, plan, read);
  }

  /** Sends a call to the thread that runs it. */
  #sendToThread(exchange: Exchange, plan: ThreadPlan, { body, shared, block }: Received): void {
    const { kind, method, secret, index, cacheReply } = plan;
    const { replies, node, wallets } = this.#deps;
    const waits = METHODS.get(method)?.waits === true;
    // Until the wallets' thread runs, calls of wallets go to the node thread.
    const link = (kind === 'wallet' ? wallets() : null) ?? node;
    const submission = SUBMISSIONS.has(method);
    // A submission that was read in slices runs even if its client has disconnected.
    if (exchange.disconnected && !submission) return;
    const priority = submission || secret;
    const { user, uri } = exchange.call;
    const id = link.call(
      { user, uri, method, body, index, block, shared, priority, submission, waits, plain: !secret },
      (status, reply) => {
        cacheReply?.(status, reply);
        if (status === UNFILLED) {
          this.#deps.reads.answer(exchange, wholeBody(reply));
          return;
        }
        replies.sendJson(exchange, status, reply);
      },
    );
    if (secret) body.fill(0);
    if (id === 0) {
      replies.sendQueueFull(exchange);
      return;
    }
    // A block is taken even if its client does not wait for the verdict.
    if (!submission) exchange.onDisconnect = () => link.cancel(id);
    if (waits) exchange.park();
  }
}
