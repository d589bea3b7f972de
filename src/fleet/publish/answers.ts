// Calls of fronts at a node: who may call what, held calls, and what has become of them. Knows no broker (publisher.ts)
// and runs nothing itself (the link to the node thread does).
//
//   call ──► refused                       stopping, queue full, no such account: certainly not begun
//   call ──► running ──► result            methods that may be repeated
//   call ──► held ──(go)──► running ──► result, kept until `done`      all others: begun only while the front still wants it
import type { CallPlan, FrontCall } from '../../rpc/front/plan.js';
import type { CallMessage, FrontMessage, NodeMessage } from '../messages.js';
import type { AccountAccess } from '../options.js';
import { Joiner, split } from '../pieces.js';

/** A call as the node thread gets it. */
export interface AnswerCall {
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  readonly plain: boolean;
  readonly body: Uint8Array;
  readonly block: { readonly token: string; readonly bytes: Uint8Array } | null;
}

export interface AnswersDeps {
  readonly accounts: readonly AccountAccess[];
  /** What a list of methods makes of a body. */
  plan(body: Uint8Array, call: FrontCall): CallPlan | Promise<CallPlan | null>;
  /** Hands a call to the node thread. @returns its number, 0 when too much is under way */
  run(call: AnswerCall, done: (status: number, body: Uint8Array | string) => void): number;
  /** The client has gone. */
  cancel(number: number): void;
  pieceBytes(): number;
  /** Number of tip changes that the node thread has told of. */
  epoch(): number;
  nowMs(): number;
}

type Respond = (message: NodeMessage) => void;

interface Call {
  state: 'checking' | 'held' | 'running' | 'done';
  readonly message: CallMessage;
  readonly held: boolean;
  body: Uint8Array | null;
  number: number;
  respond: Respond;
  result: { readonly status: number; readonly bytes: Uint8Array } | null;
  atMs: number;
}

/** A held call whose front says nothing is dropped; so is a result that no front takes. */
const HELD_MS = 15_000;
const KEPT_MS = 60_000;
/** Results that are kept, and calls that are incomplete. */
const MOST_KEPT_BYTES = 64 << 20;
const MOST_INCOMPLETE_BYTES = 128 << 20;
const MOST_INCOMPLETE = 256;
const MOST_CALLS = 8_192;

export class Answers {
  readonly #deps: AnswersDeps;
  readonly #access: ReadonlyMap<string, ReadonlySet<string> | null>;
  readonly #calls = new Map<string, Call>();
  readonly #joiner = new Joiner(MOST_INCOMPLETE_BYTES, MOST_INCOMPLETE);
  #keptBytes = 0;
  #running = 0;
  #stopping = false;
  #onIdle: (() => void) | null = null;
  calls = 0;
  refused = 0;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
    this.#access = new Map(deps.accounts.map(({ account, methods }) => [account, methods === null ? null : new Set(methods)]));
  }

  get running(): number {
    return this.#running;
  }

  /** Whether an account may call at all, or a method. */
  admits(account: string, method?: string): boolean {
    const access = this.#access.get(account);
    return access !== undefined && (access === null || method === undefined || access.has(method));
  }

  /** Takes a message about calls. */
  take(account: string, message: Extract<FrontMessage, { kind: 'call' | 'go' | 'ask' | 'done' }>, respond: Respond): void {
    const key = `${account}/${message.id}`;
    switch (message.kind) {
      case 'call':
        this.#call(account, key, message, respond);
        break;
      case 'go':
        this.#go(key, message.id, respond);
        break;
      case 'ask':
        this.#tell(key, message.id, respond);
        break;
      case 'done':
        this.#forget(key);
        break;
    }
  }

  /** Nothing is begun any more. @param idle called when nothing runs */
  stop(idle: () => void): void {
    this.#stopping = true;
    this.#onIdle = idle;
    this.#lookIdle();
  }

  /** Drops what no front has asked after; to be called now and then. */
  expire(): void {
    const now = this.#deps.nowMs();
    for (const [key, call] of this.#calls) {
      if (call.state === 'held' && now - call.atMs > HELD_MS) this.#forget(key);
      else if (call.state === 'done' && (now - call.atMs > KEPT_MS || this.#keptBytes > MOST_KEPT_BYTES)) this.#forget(key);
    }
  }

  #call(account: string, key: string, message: CallMessage, respond: Respond): void {
    const { id } = message;
    const access = this.#access.get(account);
    const refuse = (why: string): void => {
      this.refused++;
      this.#joiner.drop(key);
      respond({ kind: 'refused', id, why });
    };
    if (access === undefined) {
      refuse('this account may not call here');
      return;
    }
    if (this.#calls.has(key)) {
      this.#tell(key, id, respond);
      return;
    }
    if (this.#stopping) {
      refuse('the node stops');
      return;
    }
    if (this.#calls.size >= MOST_CALLS) {
      refuse('Work queue depth exceeded');
      return;
    }
    const bytes = this.#joiner.add(key, message);
    if (bytes === null) return;
    if (bytes === false || message.bodyBytes > bytes.length) {
      refuse('the call came incomplete');
      return;
    }
    this.calls++;
    const call: Call = {
      state: 'checking',
      message: { ...message, bytes: EMPTY },
      held: message.held,
      body: bytes,
      number: 0,
      respond,
      result: null,
      atMs: this.#deps.nowMs(),
    };
    this.#calls.set(key, call);
    const user = `${account}/${message.user}`;
    if (access === null) {
      this.#admitted(key, call, user);
      return;
    }
    const plan = this.#deps.plan(bytes.subarray(0, message.bodyBytes), { user, uri: message.uri, allowed: access });
    if (plan instanceof Promise) void plan.then((decided) => this.#planned(key, call, user, decided));
    else this.#planned(key, call, user, plan);
  }

  #planned(key: string, call: Call, user: string, plan: CallPlan | null): void {
    if (this.#calls.get(key) !== call) return;
    if (plan?.kind === 'node' || plan?.kind === 'template') {
      this.#admitted(key, call, user);
      return;
    }
    // Nothing has been done, so nothing need be kept.
    this.#calls.delete(key);
    if (plan?.kind === 'reply') this.#send(call.respond, call.message.id, plan.status, bytesOf(plan.body));
    else this.#send(call.respond, call.message.id, 403, EMPTY);
  }

  #admitted(key: string, call: Call, user: string): void {
    if (!call.held) {
      this.#run(key, call, user);
      return;
    }
    call.state = 'held';
    call.atMs = this.#deps.nowMs();
    call.respond({ kind: 'held', id: call.message.id });
  }

  #go(key: string, id: string, respond: Respond): void {
    const call = this.#calls.get(key);
    if (call?.state !== 'held') {
      this.#tell(key, id, respond);
      return;
    }
    call.respond = respond;
    if (this.#stopping) {
      this.#calls.delete(key);
      this.refused++;
      respond({ kind: 'refused', id, why: 'the node stops' });
      return;
    }
    this.#run(key, call, `${key.slice(0, key.indexOf('/'))}/${call.message.user}`);
  }

  #run(key: string, call: Call, user: string): void {
    const { message } = call;
    const bytes = call.body as Uint8Array;
    call.body = null;
    call.state = 'running';
    this.#running++;
    const body = bytes.subarray(0, message.bodyBytes);
    const block = message.token === '' ? null : { token: message.token, bytes: new Uint8Array(bytes.subarray(message.bodyBytes)) };
    const { uri, method, plain } = message;
    call.number = this.#deps.run({ user, uri, method, plain, body, block }, (status, reply) => {
      this.#running--;
      if (this.#calls.get(key) === call) this.#finish(key, call, status, bytesOf(reply));
      this.#lookIdle();
    });
    if (call.number !== 0) return;
    this.#running--;
    this.refused++;
    this.#calls.delete(key);
    call.respond({ kind: 'refused', id: message.id, why: 'Work queue depth exceeded' });
    this.#lookIdle();
  }

  #finish(key: string, call: Call, status: number, bytes: Uint8Array): void {
    call.state = 'done';
    call.atMs = this.#deps.nowMs();
    if (call.held) {
      call.result = { status, bytes };
      this.#keptBytes += bytes.length;
    } else this.#calls.delete(key);
    this.#send(call.respond, call.message.id, status, bytes);
  }

  /** What has become of a call. */
  #tell(key: string, id: string, respond: Respond): void {
    const call = this.#calls.get(key);
    if (!call) respond({ kind: 'unknown', id });
    else if (call.result) this.#send(respond, id, call.result.status, call.result.bytes);
    else {
      call.respond = respond;
      if (call.state === 'held') call.atMs = this.#deps.nowMs();
      respond({ kind: call.state === 'held' ? 'held' : 'running', id });
    }
  }

  #send(respond: Respond, id: string, status: number, bytes: Uint8Array): void {
    const pieces = split(bytes, this.#deps.pieceBytes());
    const epoch = this.#deps.epoch();
    pieces.forEach((piece, at) => {
      respond({ kind: 'result', id, status, bytes: piece, at, of: pieces.length, epoch });
    });
  }

  #forget(key: string): void {
    this.#joiner.drop(key);
    const call = this.#calls.get(key);
    if (!call) return;
    this.#calls.delete(key);
    if (call.result) this.#keptBytes -= call.result.bytes.length;
    if (call.state !== 'running') return;
    // Nothing comes of it any more.
    this.#running--;
    this.#deps.cancel(call.number);
    this.#lookIdle();
  }

  #lookIdle(): void {
    if (!this.#stopping || this.#running > 0) return;
    const idle = this.#onIdle;
    this.#onIdle = null;
    idle?.();
  }
}

const EMPTY = new Uint8Array(0);

/** Bytes of their own: the link's are gone after the turn. */
function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? new Uint8Array(Buffer.from(body)) : new Uint8Array(body);
}
