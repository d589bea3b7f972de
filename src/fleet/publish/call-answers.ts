// Calls of fronts at a node: which account may call which method, held calls, and the results of calls. Has no access
// to the broker (publisher.ts) and runs nothing itself (the link to the node thread does).
//
//   call ──► refused                       stopping, queue full, no such account: certainly not begun
//   call ──► running ──► result            methods that may be repeated
//   call ──► held ──(go)──► running ──► result, retained until `done`    all others: begun only while the front waits for them
import { wholeBody } from '../../link/messages.js';
import type { CallPlan, FrontCall } from '../../rpc/front/request-router.js';
import type { CallMessage, FrontMessage, NodeMessage } from '../messages.js';
import type { AccountAccess } from '../options.js';
import { Joiner, split } from '../pieces.js';

/** A call in the form in which the node thread receives it. */
export interface AnswerCall {
  readonly account: string;
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  readonly plain: boolean;
  readonly body: Uint8Array;
  readonly block: { readonly token: string; readonly bytes: Uint8Array } | null;
}

export interface AnswersDeps {
  readonly accounts: readonly AccountAccess[];
  /** Decides what a body may do under a list of methods. */
  plan(body: Uint8Array, call: FrontCall): CallPlan | Promise<CallPlan | null>;
  /** Passes a call to the node thread. @returns its number, 0 if too many calls are in progress */
  run(call: AnswerCall, done: (status: number, body: Uint8Array | string) => void): number;
  /** Cancels a call whose client disconnected. */
  cancel(number: number): void;
  pieceBytes(): number;
  /** Number of tip changes that the node thread has reported. */
  epoch(): number;
  nowMs(): number;
}

type Respond = (message: NodeMessage) => void;

interface Call {
  state: 'checking' | 'held' | 'running' | 'done';
  readonly message: CallMessage;
  readonly held: boolean;
  /** Body of the call; null once the call has begun. */
  body: Uint8Array | null;
  number: number;
  respond: Respond;
  result: { readonly status: number; readonly bytes: Uint8Array } | null;
  atMs: number;
}

/** Time after which a held call is dropped if its front is silent. */
const HELD_MS = 15_000;
/** Time after which a result is dropped if no front fetches it. */
const RESULT_RETENTION_MS = 60_000;
/** Limits for each account: retained results, incomplete calls, and bodies of calls that have not begun. */
const MOST_RETAINED_BYTES = 64 << 20;
const MOST_INCOMPLETE_BYTES = 64 << 20;
const MOST_INCOMPLETE = 256;
const MOST_BODY_BYTES = 64 << 20;
const MOST_CALLS = 8_192;

/** The share of memory of one account, so that no other account can use it up. */
class AccountQuota {
  readonly account: string;
  /** Methods that the account may call; null for all. */
  readonly access: ReadonlySet<string> | null;
  readonly calls = new Map<string, Call>();
  readonly joiner = new Joiner(MOST_INCOMPLETE_BYTES, MOST_INCOMPLETE);
  retainedBytes = 0;
  bodyBytes = 0;

  constructor({ account, methods }: AccountAccess) {
    this.account = account;
    this.access = methods === null ? null : new Set(methods);
  }

  /** Takes the body out of a call that is begun or dropped. */
  bodyOf(call: Call): Uint8Array {
    const body = call.body ?? EMPTY;
    this.bodyBytes -= body.length;
    call.body = null;
    return body;
  }
}

export class CallAnswers {
  readonly #deps: AnswersDeps;
  readonly #quotas: ReadonlyMap<string, AccountQuota>;
  #running = 0;
  #stopping = false;
  #onIdle: (() => void) | null = null;
  calls = 0;
  refused = 0;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
    this.#quotas = new Map(deps.accounts.map((one) => [one.account, new AccountQuota(one)]));
  }

  get running(): number {
    return this.#running;
  }

  /** Returns true if an account may call, or may call that method. */
  admits(account: string, method?: string): boolean {
    const quota = this.#quotas.get(account);
    return quota !== undefined && (quota.access === null || method === undefined || quota.access.has(method));
  }

  /** Processes a message about calls. */
  takeMessage(account: string, message: Extract<FrontMessage, { kind: 'call' | 'go' | 'ask' | 'done' }>, respond: Respond): void {
    const { id } = message;
    const quota = this.#quotas.get(account);
    if (quota === undefined) {
      this.refused++;
      respond({ kind: 'refused', id, why: 'this account may not call here' });
      return;
    }
    switch (message.kind) {
      case 'call':
        this.#call(quota, message, respond);
        break;
      case 'go':
        this.#releaseCall(quota, id, respond);
        break;
      case 'ask':
        this.#reportState(quota, id, respond);
        break;
      case 'done':
        this.#forgetCall(quota, id);
        break;
    }
  }

  /**
   * Begins no more calls. Calls that have not begun are refused at once: the process may end before a front's release
   * arrives, and the front would not know whether the call was carried out.
   * @param idle called when no call runs any more
   */
  stop(idle: () => void): void {
    this.#stopping = true;
    for (const quota of this.#quotas.values()) {
      for (const [id, call] of quota.calls)
        if (call.state === 'checking' || call.state === 'held') this.#refuseStopping(quota, id, call.respond);
    }
    this.#onIdle = idle;
    this.#checkIdle();
  }

  /** Drops calls and results whose fronts are silent. To be called at intervals. */
  expire(): void {
    const now = this.#deps.nowMs();
    for (const quota of this.#quotas.values()) {
      for (const [id, call] of quota.calls) {
        if (call.state === 'held' && now - call.atMs > HELD_MS) this.#forgetCall(quota, id);
        else if (call.state === 'done' && (now - call.atMs > RESULT_RETENTION_MS || quota.retainedBytes > MOST_RETAINED_BYTES))
          this.#forgetCall(quota, id);
      }
    }
  }

  #call(quota: AccountQuota, message: CallMessage, respond: Respond): void {
    const { id } = message;
    const refuse = (why: string): void => {
      this.refused++;
      quota.joiner.drop(id);
      respond({ kind: 'refused', id, why });
    };
    if (quota.calls.has(id)) {
      this.#reportState(quota, id, respond);
      return;
    }
    if (this.#stopping) {
      refuse('the node stops');
      return;
    }
    if (quota.calls.size >= MOST_CALLS || quota.bodyBytes > MOST_BODY_BYTES) {
      refuse('Work queue depth exceeded');
      return;
    }
    const bytes = quota.joiner.add(id, message);
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
    quota.calls.set(id, call);
    quota.bodyBytes += bytes.length;
    if (quota.access === null) {
      this.#admitted(quota, id, call);
      return;
    }
    const user = `${quota.account}/${message.user}`;
    const plan = this.#deps.plan(bytes.subarray(0, message.bodyBytes), { user, uri: message.uri, allowed: quota.access });
    if (plan instanceof Promise) void plan.then((decided) => this.#planned(quota, id, call, decided));
    else this.#planned(quota, id, call, plan);
  }

  #planned(quota: AccountQuota, id: string, call: Call, plan: CallPlan | null): void {
    if (quota.calls.get(id) !== call) return;
    if (plan?.kind === 'node' || plan?.kind === 'wallet' || plan?.kind === 'template') {
      this.#admitted(quota, id, call);
      return;
    }
    // Nothing was run, so nothing is retained.
    this.#forgetCall(quota, id);
    if (plan?.kind === 'reply') this.#send(call.respond, id, plan.status, bytesOf(wholeBody(plan.body)));
    else this.#send(call.respond, id, 403, EMPTY);
  }

  #admitted(quota: AccountQuota, id: string, call: Call): void {
    if (!call.held) {
      this.#run(quota, id, call);
      return;
    }
    call.state = 'held';
    call.atMs = this.#deps.nowMs();
    call.respond({ kind: 'held', id });
  }

  #releaseCall(quota: AccountQuota, id: string, respond: Respond): void {
    const call = quota.calls.get(id);
    if (call?.state !== 'held') {
      this.#reportState(quota, id, respond);
      return;
    }
    call.respond = respond;
    this.#run(quota, id, call);
  }

  #refuseStopping(quota: AccountQuota, id: string, respond: Respond): void {
    this.#forgetCall(quota, id);
    this.refused++;
    respond({ kind: 'refused', id, why: 'the node stops' });
  }

  #run(quota: AccountQuota, id: string, call: Call): void {
    const { uri, method, plain, token, bodyBytes, user } = call.message;
    const bytes = quota.bodyOf(call);
    call.state = 'running';
    this.#running++;
    const body = bytes.subarray(0, bodyBytes);
    const block = token === '' ? null : { token, bytes: new Uint8Array(bytes.subarray(bodyBytes)) };
    const { account } = quota;
    call.number = this.#deps.run({ account, user: `${account}/${user}`, uri, method, plain, body, block }, (status, reply) => {
      // The call was dropped meanwhile, which also updated the count.
      if (quota.calls.get(id) !== call) return;
      this.#running--;
      this.#finish(quota, id, call, status, bytesOf(reply));
      this.#checkIdle();
    });
    if (call.number !== 0) return;
    this.#running--;
    this.refused++;
    quota.calls.delete(id);
    call.respond({ kind: 'refused', id, why: 'Work queue depth exceeded' });
    this.#checkIdle();
  }

  #finish(quota: AccountQuota, id: string, call: Call, status: number, bytes: Uint8Array): void {
    call.state = 'done';
    call.atMs = this.#deps.nowMs();
    if (call.held) {
      call.result = { status, bytes };
      quota.retainedBytes += bytes.length;
    } else quota.calls.delete(id);
    this.#send(call.respond, id, status, bytes);
  }

  /** Sends the state of a call, or its result. */
  #reportState(quota: AccountQuota, id: string, respond: Respond): void {
    const call = quota.calls.get(id);
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

  #forgetCall(quota: AccountQuota, id: string): void {
    quota.joiner.drop(id);
    const call = quota.calls.get(id);
    if (!call) return;
    quota.calls.delete(id);
    quota.bodyOf(call);
    if (call.result) quota.retainedBytes -= call.result.bytes.length;
    if (call.state !== 'running') return;
    // Cancel the call, because its result is not needed any more.
    this.#running--;
    this.#deps.cancel(call.number);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (!this.#stopping || this.#running > 0) return;
    const idle = this.#onIdle;
    this.#onIdle = null;
    idle?.();
  }
}

const EMPTY = new Uint8Array(0);

/** Returns bytes in memory of their own: the link reuses its memory after the tick. */
function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? new Uint8Array(Buffer.from(body)) : new Uint8Array(body);
}
