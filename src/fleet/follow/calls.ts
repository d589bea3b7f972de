// Calls from this front to nodes, until they end. A call ends with a reply, or in one of three ways that decide what
// the caller may do next:
//
//   refused   the node did not begin it and will not: any call may go to another node
//   lost      nothing is known about the node: a call that may be repeated may go to another node, and so may a held call
//             that was not released
//   unknown   the call was released and its node is gone: it may have been carried out
//
// The broker stores none of these messages, so they may be lost. A node that is silent about a call is queried about
// it. docs/decisions/0031-held-calls.md has the reasons.
import { randomBytes } from 'node:crypto';
import { encode, type FrontMessage, type NodeMessage } from '../messages.js';
import { Joiner, split } from '../pieces.js';

/** A call for a node. */
export interface OutgoingCall {
  readonly method: string;
  readonly user: string;
  readonly uri: string;
  readonly plain: boolean;
  readonly body: Uint8Array;
  readonly block: { readonly token: string; readonly bytes: Uint8Array } | null;
  /** True if the node waits for `go` before it runs the call, and never runs the call twice. */
  readonly held: boolean;
}

/** How a call ended. */
export type CallEnd =
  | { readonly kind: 'reply'; readonly status: number; readonly body: Uint8Array; readonly epoch: number }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unknown' };

export interface CallsDeps {
  /** Sends a message to a node. Its answers arrive in receiveMessage(). */
  send(node: string, id: string, body: Uint8Array, isLarge: boolean): void;
  pieceBytes(): number;
  /** Returns the run id of a node that is alive; null otherwise. */
  run(node: string): string | null;
  nowMs(): number;
}

interface Pending {
  readonly id: string;
  readonly node: string;
  readonly run: string;
  readonly call: OutgoingCall;
  readonly done: (end: CallEnd) => void;
  released: boolean;
  lastMessageMs: number;
  /** Time at which the node was first missing; null while it is alive. */
  missedMs: number | null;
  resent: number;
}

/** Time of silence about a call after which its node is queried. */
const ASK_MS = 1_000;
/** Time that a released call waits for a silent node. The node may only have been paused. */
const PATIENCE_MS = 30_000;
const MOST_RESENT = 5;
const MOST_REPLY_BYTES = 512 << 20;
const MOST_REPLIES = 4_096;

export class Calls {
  readonly #deps: CallsDeps;
  readonly #pending = new Map<string, Pending>();
  readonly #joiner = new Joiner(MOST_REPLY_BYTES, MOST_REPLIES);
  #lastId = 0;
  /** Number of ended calls by kind of end. */
  readonly ends = { reply: 0, refused: 0, lost: 0, unknown: 0 };
  readonly #prefix = randomBytes(9).toString('base64url');

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  get underWay(): number {
    return this.#pending.size;
  }

  /** Sends a call. @param signal fires when the client disconnects; then `done` is not called */
  send(node: string, call: OutgoingCall, signal: AbortSignal | null, done: (end: CallEnd) => void): void {
    const run = this.#deps.run(node);
    if (run === null) {
      done({ kind: 'lost' });
      return;
    }
    const id = `${this.#prefix}-${++this.#lastId}`;
    const pending: Pending = { id, node, run, call, done, released: false, lastMessageMs: this.#deps.nowMs(), missedMs: null, resent: 0 };
    this.#pending.set(id, pending);
    // A released call runs to its end even without its client, because its outcome counts.
    signal?.addEventListener('abort', () => {
      if (this.#pending.get(id) !== pending || pending.released) return;
      this.#forgetCall(pending);
      this.#sendMessage(pending, { kind: 'done', id });
    });
    this.#post(pending);
  }

  /** Processes an answer of a node. */
  receiveMessage(message: NodeMessage): void {
    if (!('id' in message)) return;
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    pending.lastMessageMs = this.#deps.nowMs();
    switch (message.kind) {
      case 'held':
        pending.released = true;
        this.#sendMessage(pending, { kind: 'go', id: pending.id });
        break;
      case 'unknown':
        this.#unknown(pending);
        break;
      case 'refused':
        this.#settleCall(pending, { kind: 'refused', why: message.why });
        break;
      case 'result': {
        const body = this.#joiner.add(pending.id, message);
        if (body === null) break;
        // A piece was lost. The next query brings the whole reply again.
        if (body === false) {
          if (!pending.call.held) this.#resend(pending);
          break;
        }
        if (pending.call.held) this.#sendMessage(pending, { kind: 'done', id: pending.id });
        this.#settleCall(pending, { kind: 'reply', status: message.status, body: new Uint8Array(body), epoch: message.epoch });
        break;
      }
      default:
    }
  }

  /** Handles the broker's notice that no process subscribes to the node's subject. */
  onNoResponder(id: string): void {
    const pending = this.#pending.get(id);
    if (pending && !pending.released) this.#settleCall(pending, { kind: 'lost' });
  }

  /** Queries nodes that are silent about their calls. To be called several times per second. */
  checkPending(): void {
    const now = this.#deps.nowMs();
    for (const pending of [...this.#pending.values()]) {
      const run = this.#deps.run(pending.node);
      if (run === pending.run) {
        pending.missedMs = null;
        if (now - pending.lastMessageMs < ASK_MS) continue;
        pending.lastMessageMs = now;
        this.#joiner.drop(pending.id);
        this.#sendMessage(pending, { kind: 'ask', id: pending.id });
      } else if (run !== null) this.#settleCall(pending, { kind: pending.released ? 'unknown' : 'lost' });
      else if (!pending.released) this.#settleCall(pending, { kind: 'lost' });
      else {
        pending.missedMs ??= now;
        if (now - pending.missedMs > PATIENCE_MS) this.#settleCall(pending, { kind: 'unknown' });
      }
    }
  }

  /** Handles a node's answer that it does not know the call: the call did not arrive, or was dropped. */
  #unknown(pending: Pending): void {
    if (pending.released) this.#settleCall(pending, { kind: 'unknown' });
    else this.#resend(pending);
  }

  #resend(pending: Pending): void {
    if (++pending.resent > MOST_RESENT) this.#settleCall(pending, { kind: 'lost' });
    else this.#post(pending);
  }

  #post({ id, node, call }: Pending): void {
    const { method, user, uri, plain, body, block, held } = call;
    const whole = block === null ? body : new Uint8Array(Buffer.concat([body, block.bytes]));
    const pieces = split(whole, this.#deps.pieceBytes());
    const common = { kind: 'call' as const, id, method, user, uri, held, plain, bodyBytes: body.length, token: block?.token ?? '' };
    pieces.forEach((bytes, at) => {
      this.#deps.send(node, id, encode({ ...common, bytes, at, of: pieces.length }), pieces.length > 1);
    });
  }

  #sendMessage({ node, id }: Pending, message: FrontMessage): void {
    this.#deps.send(node, id, encode(message), false);
  }

  #settleCall(pending: Pending, end: CallEnd): void {
    this.#forgetCall(pending);
    this.ends[end.kind]++;
    pending.done(end);
  }

  #forgetCall(pending: Pending): void {
    this.#pending.delete(pending.id);
    this.#joiner.drop(pending.id);
  }
}
