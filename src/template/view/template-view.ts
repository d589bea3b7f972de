// Answers getblocktemplate on a front: checks in Core's order, long polls, and replies from a head, the shared bytes of
// the transactions and a tail. A template of an old tip is never returned: the call waits until the node thread has
// published the new one. Sources: BIP-0022, BIP-0023; the 5-second rule and counters are those of Core 0.21's
// rpc/mining.cpp.
import { CONSENSUS_CLEANUP } from '../../consensus/params/deployment.js';
import type { TemplateFacts } from '../facts.js';
import type { LimitedTemplate } from '../limited-templates.js';
import { currentTime, isAheadOfClock, longPollId, missingRule, renderLight, renderTemplate } from '../render-template.js';
import {
  checkTemplateReadiness,
  checkTemplateRules,
  parseLongPollId,
  REFUSAL_CODE,
  type TemplateReadiness,
  TemplateRefused,
  type TemplateRequest,
} from '../request.js';
import { FullWaiters } from './full-waiters.js';
import { type DeflatedPart, deflatePart, gzipAround } from './gzip-body.js';
import { LiveHistory } from './live-history.js';
import { CORE_POLL_TIMES, LongPolls, type ParkedPoll, type PollTimers } from './long-polls.js';
import { SliceQueue } from './slice-queue.js';

/** Slab that contains the transactions of a published template. */
export interface SharedPlace {
  readonly index: number;
  readonly use: number;
}

/** Shared figures on which a call depends. */
export interface TemplateState extends TemplateReadiness {
  readonly mempoolCounter: number;
  readonly shuttingDown: boolean;
  nowSeconds(): number;
}

/** Functions that the view needs. */
export interface TemplateViewDeps {
  readonly state: TemplateState;
  readonly timers: PollTimers;
  /** True if clients must know the signet rule. */
  readonly signet?: boolean;
  /** Returns the best tip, display hex, at least as new as in any earlier reply. */
  tipHex(): string;
  /** Processes all messages that have arrived, so that onTemplate() may be called. */
  drain(): void;
  /** Requests a template of the current tip from the node thread; code 0 after it was published. */
  requestTemplate(done: (code: number, text: string) => void): void;
  /**
   * Retains the transactions of a template that is sent as a light template. Returns false if the template is no longer
   * current. Absent where light templates are not supported.
   */
  readonly pin?: (workId: string) => boolean;
  /** Builds the template of the tip with limits of one client; absent where that is not supported. */
  readonly limited?: (limits: NonNullable<TemplateRequest['limits']>) => Promise<LimitedTemplate>;
  /** Locks the shared bytes of a template. Returns null if they were overwritten. */
  lease(place: SharedPlace): SharedArrayBuffer | null;
  release(place: SharedPlace): void;
}

/** Result of a reply: head, transactions, tail. */
export interface TemplateBody {
  readonly parts: readonly Uint8Array[];
  /** Slab of the middle part; -1 if it is not shared. */
  readonly slabIndex: number;
  readonly encoding: 'identity' | 'gzip';
  /** The part that other clients' replies also contain, if it is not in a slab. */
  readonly shared?: Uint8Array;
  release(): void;
}

/** The whole current template: a result in parts, locked until it is released. */
export interface TemplateSnapshot {
  readonly facts: TemplateFacts;
  readonly parts: readonly Uint8Array[];
  readonly slabIndex: number;
  readonly release: () => void;
}

/** One call, in the form that the view needs. */
export interface TemplateCall {
  readonly request: TemplateRequest;
  /** JSON envelope around the result. */
  readonly prefix: string;
  readonly suffix: string;
  /** True if the client accepts gzip and its connection is slow enough for it to pay. */
  readonly acceptsGzip?: boolean;
  readonly aborted: boolean;
  /** Function to call when the client disconnects; null unless the call waits. */
  onAborted: (() => void) | null;
  send(body: TemplateBody): void;
  fail(code: number, message: string): void;
}

const FRESH_SECONDS = 5;
// Below this size compression does not pay.
const GZIP_BYTES = 64 * 1024;
const EMPTY_ARRAY = new TextEncoder().encode('[]');

interface Published {
  readonly facts: TemplateFacts;
  readonly place: SharedPlace | null;
  /** Latest header time that was returned with this template; it never decreases. */
  curtime: number;
  /** Heads and tails for this curtime, by the client's rules. */
  readonly rendered: Map<string, { head: Uint8Array; tail: Uint8Array }>;
  /** The compressed transactions, once a client requested them; null if that failed. */
  deflated: Promise<DeflatedPart | null> | null;
}

export class TemplateView {
  readonly #deps: TemplateViewDeps;
  readonly #polls: LongPolls;
  /** Answers many calls in slices when a template arrives. */
  readonly #slices: SliceQueue;
  #published: Published | null = null;
  /** A template whose tip has not arrived yet: the node thread posts its first template before the tip. */
  #next: Published | null = null;
  #requesting: TemplateCall[] | null = null;
  readonly #history = new LiveHistory();
  readonly #fullWaiters: FullWaiters;

  constructor(deps: TemplateViewDeps) {
    this.#deps = deps;
    this.#slices = new SliceQueue(deps.timers);
    const counter = () => (this.#published?.facts.live ? this.#published.facts.counter : deps.state.mempoolCounter);
    this.#polls = new LongPolls(deps.timers, counter, this.#slices);
    this.#fullWaiters = new FullWaiters(deps.timers, this.#slices);
  }

  /** Number of parked calls: long polls, and calls that wait for a full template. */
  get waiters(): number {
    return this.#polls.size + this.#fullWaiters.size;
  }

  /** Takes a template published by the node thread. The previous one stays valid until the new one's tip arrives. */
  onTemplate(facts: TemplateFacts, place: SharedPlace | null): void {
    this.#next = { facts, place, curtime: 0, rendered: new Map(), deflated: null };
    // tipHex() may process the message about a new tip, which may call #promote for this template.
    this.#promote(this.#deps.tipHex());
  }

  #promote(tipHex: string): void {
    const next = this.#next;
    if (next?.facts.prevHashHex !== tipHex) return;
    this.#next = null;
    this.#published = next;
    if (next.facts.live === null) return;
    this.#history.add(next.facts);
    if (!next.facts.live.empty) this.#fullWaiters.resumeAll();
    this.#polls.published((poll) => poll.tipHex === tipHex && this.#history.isOutdated(poll.counter));
  }

  /** Returns the template of the tip for a client that knows every rule; null if there is none. */
  snapshot(): TemplateSnapshot | null {
    const published = this.#published;
    if (!published || published.facts.prevHashHex !== this.#deps.tipHex()) return null;
    if (isAheadOfClock(published.facts, this.#deps.state.nowSeconds())) return null;
    const shared = this.#lease(published);
    if (!shared) return null;
    const { facts, place } = published;
    const { head, tail } = this.#render(published, ['segwit', ...facts.requiredRules, ...facts.vbAvailable.map(({ name }) => name)]);
    const release = () => {
      if (place) this.#deps.release(place);
    };
    return { facts, parts: [head, shared, tail], slabIndex: place ? place.index : -1, release };
  }

  /** Called when the best tip changed. */
  onTip(tipHex: string): void {
    this.#promote(tipHex);
    this.#polls.tipChanged(tipHex);
  }

  /** Called when the server stops: parked calls are answered now. The state says that it is shutting down. */
  stop(): void {
    this.#polls.resumeAll();
    this.#fullWaiters.resumeAll();
  }

  /** Takes a call and answers it now or later. */
  call(call: TemplateCall): void {
    try {
      checkTemplateReadiness(this.#deps.state);
      const tipHex = this.#deps.tipHex();
      const watch = parseLongPollId(call.request.longPollId, { tipHex, counter: this.#published?.facts.counter ?? 0 });
      if (watch === null) this.#goOn(call);
      else if (watch.tipHex === tipHex && !this.#deps.state.shuttingDown && !this.#missed(watch))
        this.#park(call, watch.tipHex, watch.counter);
      else this.#resumeCall(call);
    } catch (error) {
      failWith(call, error);
    }
  }

  /** Mode live: returns true if a long poll must be answered, because a sufficiently better template than the client's was published. */
  #missed({ tipHex, counter }: { readonly tipHex: string; readonly counter: number }): boolean {
    const facts = this.#published?.facts;
    return facts?.live != null && facts.prevHashHex === tipHex && this.#history.isOutdated(counter);
  }

  #park(call: TemplateCall, tipHex: string, counter: number): void {
    const poll: ParkedPoll = {
      tipHex,
      counter,
      resume: () => {
        call.onAborted = null;
        this.#resumeCall(call);
      },
    };
    call.onAborted = () => this.#polls.remove(poll);
    const live = this.#published?.facts.live;
    this.#polls.park(poll, live ? { firstMs: live.longPollIntervalMs, nextMs: Math.min(1000, live.longPollIntervalMs) } : CORE_POLL_TIMES);
  }

  #resumeCall(call: TemplateCall): void {
    if (this.#deps.state.shuttingDown) call.fail(REFUSAL_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
    else this.#goOn(call);
  }

  #goOn(call: TemplateCall): void {
    try {
      checkTemplateRules(call.request.rules, this.#deps.signet ?? false);
    } catch (error) {
      failWith(call, error);
      return;
    }
    this.#answer(call, false);
  }

  #awaitFull(call: TemplateCall): void {
    const waiter = (late: boolean): void => {
      call.onAborted = null;
      if (this.#deps.state.shuttingDown) call.fail(REFUSAL_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
      else this.#answer(call, false, late);
    };
    call.onAborted = () => this.#fullWaiters.remove(waiter);
    this.#fullWaiters.add(waiter);
  }

  /**
   * Answers a call with the current template, or lets it wait for one.
   * @param asked true if the node thread was asked for this call: its template needs to be of the tip, but not fresh
   * @param takesEmpty true if the call waited for the full template long enough: an empty one is better than none
   */
  #answer(call: TemplateCall, asked: boolean, takesEmpty = false): void {
    if (call.aborted) return;
    const tipHex = this.#deps.tipHex();
    let published = this.#published;
    if (!published || published.facts.prevHashHex !== tipHex || !(asked || this.#isFresh(published.facts))) {
      this.#requestTemplate(call);
      return;
    }
    if (!takesEmpty && published.facts.live?.empty && !receivesUpdates(call.request)) {
      this.#awaitFull(call);
      return;
    }
    let shared = this.#lease(published);
    if (!shared) {
      // The slab was overwritten, so a newer template is here or on its way.
      this.#deps.drain();
      published = this.#published;
      shared = published && published.facts.prevHashHex === this.#deps.tipHex() ? this.#lease(published) : null;
      if (!published || !shared) {
        this.#requestTemplate(call);
        return;
      }
    }
    this.#send(call, published, shared);
  }

  #isFresh(facts: TemplateFacts): boolean {
    if (isAheadOfClock(facts, this.#deps.state.nowSeconds())) return false;
    // In mode live the node thread keeps the template fresh.
    if (facts.live !== null) return true;
    const { state } = this.#deps;
    return facts.counter === state.mempoolCounter || state.nowSeconds() - facts.builtAt <= FRESH_SECONDS;
  }

  #requestTemplate(call: TemplateCall): void {
    if (this.#requesting) {
      this.#requesting.push(call);
      return;
    }
    this.#requesting = [call];
    this.#deps.requestTemplate((code, text) => {
      const calls = this.#requesting ?? [];
      this.#requesting = null;
      this.#slices.run(calls.map((one) => () => (code === 0 ? this.#answer(one, true) : one.fail(code, text))));
    });
  }

  /** Returns the JSON array of transactions, leased if it is shared; null if it was overwritten. */
  #lease({ facts, place }: Published): Uint8Array | null {
    if (!place) return EMPTY_ARRAY;
    const buffer = this.#deps.lease(place);
    return buffer && new Uint8Array(buffer, facts.transactionsOffset, facts.transactionsLength);
  }

  #send(call: TemplateCall, published: Published, transactions: Uint8Array): void {
    const { facts, place } = published;
    const release = () => {
      if (place) this.#deps.release(place);
    };
    const missing = missingRule(facts, call.request.rules);
    if (missing !== null) {
      release();
      call.fail(REFUSAL_CODE.INVALID_PARAMETER, `Support for '${missing}' rule requires explicit client support`);
      return;
    }
    const { limits } = call.request;
    // A template without transactions meets any limits.
    if (limits !== null && this.#deps.limited !== undefined && facts.txCount > 0) {
      release();
      this.#deps.limited(limits).then(
        (limited) => this.#sendLimited(call, limited),
        (error: unknown) => failWith(call, error),
      );
      return;
    }
    const rendered = this.#render(published, call.request.rules);
    if (call.request.light && limits === null && facts.live !== null && this.#deps.pin?.(facts.live.workId)) {
      release();
      const parts = [Buffer.from(call.prefix), rendered.head, renderLight(facts, facts.live, rendered.tail), Buffer.from(call.suffix)];
      call.send({ parts, slabIndex: -1, encoding: 'identity', release: () => {} });
      return;
    }
    const head = Buffer.concat([Buffer.from(call.prefix), rendered.head]);
    const tail = Buffer.concat([rendered.tail, Buffer.from(call.suffix)]);
    const sendPlain = () =>
      call.send({ parts: [head, transactions, tail], slabIndex: place ? place.index : -1, encoding: 'identity', release });
    if (!call.acceptsGzip || transactions.length < GZIP_BYTES) {
      sendPlain();
      return;
    }
    // The lease keeps the bytes valid until the compression has ended.
    published.deflated ??= deflatePart(transactions).catch(() => null);
    void published.deflated.then((middle) => {
      if (!middle) {
        sendPlain();
        return;
      }
      release();
      call.send({ parts: gzipAround(head, middle, tail), slabIndex: -1, encoding: 'gzip', shared: middle.bytes, release: () => {} });
    });
  }

  #sendLimited(call: TemplateCall, { facts, transactions }: LimitedTemplate): void {
    if (call.aborted) return;
    // The tip may have changed since the template was built.
    if (facts.prevHashHex !== this.#deps.tipHex()) {
      this.#answer(call, false);
      return;
    }
    const curtime = Math.max(this.#published?.curtime ?? 0, currentTime(facts, this.#deps.state.nowSeconds()));
    const { head, tail } = renderTemplate(facts, { curtime, clientRules: call.request.rules, longpollid: longPollId(facts) });
    const parts = [Buffer.from(call.prefix), head, transactions, tail, Buffer.from(call.suffix)];
    call.send({ parts, slabIndex: -1, encoding: 'identity', release: () => {} });
  }

  #render(published: Published, clientRules: readonly string[]): { head: Uint8Array; tail: Uint8Array } {
    const curtime = Math.max(published.curtime, currentTime(published.facts, this.#deps.state.nowSeconds()));
    if (curtime !== published.curtime) {
      published.curtime = curtime;
      published.rendered.clear();
    }
    // A rule of the client affects the reply only if a deployment or a member of the reply depends on it.
    const known = published.facts.vbAvailable.filter(({ name }) => clientRules.includes(name)).map(({ name }) => name);
    if (clientRules.includes(CONSENSUS_CLEANUP) && !known.includes(CONSENSUS_CLEANUP)) known.push(CONSENSUS_CLEANUP);
    const key = known.join();
    let rendered = published.rendered.get(key);
    if (!rendered) {
      rendered = renderTemplate(published.facts, { curtime, clientRules: known, longpollid: longPollId(published.facts) });
      published.rendered.set(key, rendered);
    }
    return rendered;
  }
}

/** Returns true if the client will get later templates anyway: it uses long polls, or light templates. */
function receivesUpdates({ longPollId, light }: TemplateRequest): boolean {
  return longPollId !== null || light;
}

function failWith(call: TemplateCall, error: unknown): void {
  if (error instanceof TemplateRefused) call.fail(error.code, error.message);
  else call.fail(REFUSAL_CODE.MISC_ERROR, error instanceof Error ? error.message : String(error));
}
