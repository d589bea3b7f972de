// The receiving end of the links, on the thread that runs calls: reads the calls of all fronts from rings and ports,
// runs them one after another, and sends replies. Submissions arrive by priority ports, which are read between any two
// calls, batch entries, and slices. The thread yields to its event loop after a few milliseconds of work.

import { receiveMessageOnPort, type TransferListItem } from 'node:worker_threads';
import { yieldToLoop } from '../lib/time-slice.js';
import { Link } from './link.js';
import {
  type FrontNews,
  ITEM,
  type Item,
  isPacked,
  isShared,
  type LinkPorts,
  memberBody,
  memberIndex,
  type NodeNews,
  Outbox,
  PART_BYTES,
  type PriorityCall,
  replyMember,
  unpackMessage,
} from './messages.js';
import { MethodCounts } from './method-counts.js';
import { type CallReply, type ExecuteBody, type RunHooks, RunningCall } from './running-call.js';
import { TickLoop } from './tick-loop.js';

/** Answer to a front that asked for a template. Code 0: the template was posted. */
export interface TemplateAnswer {
  readonly code: number;
  readonly text: string;
}

/** Functions of the thread that owns the links. */
export interface CallLinksDeps {
  readonly execute: ExecuteBody;
  /** Builds a template of the current tip and posts it to the fronts. Resolves after that. Never rejects. */
  askTemplate(): Promise<TemplateAnswer>;
  /** Handles a message of a front that is not a call. */
  onNews(front: number, news: NodeNews): void;
  /** Reports an exception that no reply explains. */
  onFault(what: string, error: unknown): void;
}

/** Figures for metrics. */
export interface CallLinksStats {
  readonly queued: number;
  readonly running: number;
  readonly runningBytes: number;
  readonly calls: number;
  readonly prioritised: number;
  readonly cancelled: number;
  readonly methods: ReadonlyMap<string, { calls: number; errors: number; seconds: number; buckets: readonly number[] }>;
}

// Milliseconds of work per event-loop tick. A small call behind other work waits at most this long, and a timer is at
// most this late.
const TICK_MS = 5;

// While a submission runs, no other call starts, so that the submission's steps (workers, files, database) follow each
// other without delay. After this many milliseconds calls start again, so that a block that is slow to verify does not
// stop them.
const HOLD_MS = 25;

// A front is woken once for all replies of a tick, but no reply waits longer than this many milliseconds.
const GATHER_MS = 0.25;

const UNHANDLED: CallReply = { status: 500, body: 'Unhandled request' };

interface Waiting {
  readonly call: RunningCall<Link>;
  readonly body: Uint8Array;
}

/** All links of a thread that runs calls. */
export class CallLinks {
  readonly #deps: CallLinksDeps;
  readonly #links: Link[] = [];
  readonly #counts = new MethodCounts();
  readonly #hooks: RunHooks;
  /** Calls that arrived by the ports and have not started. */
  #queue: Waiting[] = [];
  #head = 0;
  readonly #ticks = new TickLoop(() => this.#runTick());
  #gathering = false;
  #runningBytes = 0;
  #running = 0;
  #submissions = 0;
  #holdUntil = 0;
  #calls = 0;
  #prioritised = 0;
  #cancelled = 0;

  constructor(deps: CallLinksDeps) {
    this.#deps = deps;
    this.#hooks = {
      yieldToUrgent: () => {
        this.startSubmissions();
        return this.#held ? this.#untilFree() : undefined;
      },
      onCall: (method, seconds, ok) => this.#counts.add(method, seconds, !ok),
    };
  }

  /** Connects a front. @param fillsReads whether it runs read jobs (rpc/reads/unfilled.ts) */
  add(front: number, ports: LinkPorts, fillsReads = false): void {
    const link = new Link(front, ports, fillsReads);
    this.#links.push(link);
    link.main.on('message', (message: unknown) => this.#receive(link, message));
    link.priority.on('message', (message: unknown) => this.#prioritise(link, message as PriorityCall));
    this.#ticks.startTicks();
  }

  /** Closes a front's link and cancels its calls. */
  remove(front: number): void {
    const at = this.#links.findIndex((link) => link.front === front);
    if (at < 0) return;
    const [link] = this.#links.splice(at, 1);
    link.close();
  }

  /** Posts news to one front, after the replies that were sent before. */
  postNews(front: number, news: FrontNews, transfer: readonly TransferListItem[] = []): void {
    const link = this.#links.find((one) => one.front === front);
    if (!link) return;
    link.outbox.flush();
    link.postMessage(news, transfer);
  }

  /**
   * Posts news to every front immediately, not at the end of the tick: the facts of a tip must arrive before the epoch
   * is incremented.
   */
  postNewsToAll(news: FrontNews): void {
    for (const link of this.#links) {
      link.outbox.flush();
      link.postMessage(news);
    }
  }

  /** Starts every submission that has arrived. Costs almost nothing when there is none. */
  startSubmissions(): void {
    for (const link of this.#links) {
      const { urgent } = link.requests.ring;
      if (urgent === link.urgentSeen) continue;
      link.urgentSeen = urgent;
      for (let next = receiveMessageOnPort(link.priority); next; next = receiveMessageOnPort(link.priority)) {
        this.#prioritise(link, next.message as PriorityCall);
      }
    }
  }

  /** True if other calls must wait because a submission runs. */
  get #held(): boolean {
    return this.#submissions > 0 && performance.now() < this.#holdUntil;
  }

  async #untilFree(): Promise<void> {
    while (this.#held) await yieldToLoop();
  }

  stats(): CallLinksStats {
    return {
      queued: this.#links.reduce((sum, link) => sum + link.requests.ring.waiting, this.#queue.length - this.#head),
      running: this.#running,
      runningBytes: this.#runningBytes,
      calls: this.#calls,
      prioritised: this.#prioritised,
      cancelled: this.#cancelled,
      methods: this.#counts.byMethod,
    };
  }

  #prioritise(link: Link, message: PriorityCall): void {
    this.#prioritised++;
    const { block, taken, index } = message;
    const call = new RunningCall(link, message, message.id, message.body.byteLength + (block?.bytes.byteLength ?? 0), true);
    call.submission = message.submission;
    call.index = index;
    call.block = block;
    call.taken = taken;
    // Only submissions make other calls wait. Calls with private keys also use this port, and may take minutes.
    if (call.submission && this.#submissions++ === 0) this.#holdUntil = performance.now() + HOLD_MS;
    this.#start(call, message.body);
  }

  #receive(link: Link, message: unknown): void {
    if (message === null) this.#ticks.startTicks(true);
    else if (!isPacked(message)) this.#deps.onNews(link.front, message as NodeNews);
    else {
      const { items, parts } = unpackMessage(message);
      for (const item of items) this.#takeItem(link, item, parts);
      this.#ticks.startTicks(true);
    }
  }

  #takeItem(link: Link, item: Item, parts: readonly Uint8Array[]): void {
    switch (item[0]) {
      case ITEM.REQUEST: {
        const [, id, user, uri, , member, index] = item as [number, number, string, string, string, unknown, unknown];
        const body = memberBody(member, parts) as Uint8Array;
        const call = new RunningCall(link, { user, uri }, id, body.byteLength, false);
        call.index = memberIndex(index, parts);
        link.calls.set(id, call);
        this.#queue.push({ call, body });
        break;
      }
      case ITEM.CANCEL:
        this.#cancel(link, item[1] as number);
        break;
      case ITEM.TEMPLATE:
        void this.#template(link, item[1] as number);
        break;
      case ITEM.COUNTS: {
        const [, method, calls, errors, seconds, buckets] = item as [number, string, number, number, number, number[]];
        this.#counts.merge(method, calls, errors, seconds, buckets);
        break;
      }
    }
  }

  #cancel(link: Link, id: number): void {
    const call = link.calls.get(id);
    if (!call) return;
    this.#cancelled++;
    link.calls.delete(id);
    call.cancel();
  }

  /**
   * Runs waiting calls for up to TICK_MS: in each round one call from the ports and one of each front.
   * @returns whether there is more to do
   */
  #runTick(): boolean {
    const until = performance.now() + TICK_MS;
    let wakenAt = until - TICK_MS;
    let worked = false;
    for (let more = true; more; ) {
      more = this.#head < this.#queue.length && this.#fromQueue();
      for (const link of this.#links) if (!this.#holding() && this.#fromRing(link)) more = true;
      if (more) worked = true;
      const now = performance.now();
      if (now - wakenAt > GATHER_MS) {
        this.#wakeAll();
        wakenAt = now;
      }
      if (now > until) break;
    }
    this.#wakeAll();
    // Under load more calls arrive while the event loop handles sockets, so this thread stays awake and the fronts need
    // not wake it. Without load it goes to sleep.
    return worked || this.#head < this.#queue.length || !this.#sleep();
  }

  /** Starts submissions that have arrived. @returns whether other calls must wait for a submission */
  #holding(): boolean {
    this.startSubmissions();
    return this.#held;
  }

  /** Marks this thread as asleep in every ring. @returns whether all rings are empty */
  #sleep(): boolean {
    let quiet = true;
    for (const link of this.#links) if (!link.requests.ring.sleep()) quiet = false;
    return quiet;
  }

  #wakeAll(): void {
    for (const link of this.#links) if (link.unannounced) link.wakeFront();
  }

  /** Runs the next call that arrived by a port. @returns false if no call may start now */
  #fromQueue(): boolean {
    if (this.#holding()) return false;
    const { call, body } = this.#queue[this.#head++];
    if (this.#head === this.#queue.length || this.#head > 1024) {
      // Remove finished calls, so that the list does not grow under steady load.
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (!call.cancelled) this.#start(call, body);
    return true;
  }

  /** Runs the next call in a front's ring. @returns false if the ring is empty */
  #fromRing(link: Link): boolean {
    const { requests } = link;
    if (!requests.next()) return false;
    try {
      if (!requests.isCall) this.#cancel(link, requests.id);
      else if (requests.cancelled) this.#cancelled++;
      else {
        const body = requests.body();
        const call = new RunningCall(link, requests.caller, requests.id, body.byteLength, false);
        call.plain = requests.plain;
        call.index = requests.index();
        this.#start(call, body);
      }
    } finally {
      // Remove the frame in any case, so that no call runs twice.
      requests.done();
    }
    return true;
  }

  #start(call: RunningCall<Link>, body: Uint8Array): void {
    this.#calls++;
    this.#running++;
    call.fillsReads = call.link.fillsReads;
    this.#runningBytes += call.sizeBytes;
    let reply: CallReply | Promise<CallReply>;
    try {
      reply = this.#deps.execute(body, call, this.#hooks);
    } catch (error) {
      this.#fail(call, error);
      return;
    }
    if (!(reply instanceof Promise)) {
      this.#finish(call, reply);
      return;
    }
    call.link.calls.set(call.id, call);
    reply.then(
      (value) => this.#finish(call, value),
      (error: unknown) => this.#fail(call, error),
    );
  }

  #fail(call: RunningCall<Link>, error: unknown): void {
    this.#deps.onFault('call', error);
    this.#finish(call, UNHANDLED);
  }

  #finish(call: RunningCall<Link>, reply: CallReply): void {
    this.#running--;
    if (call.submission) this.#submissions--;
    this.#runningBytes -= call.sizeBytes;
    // Send no reply, because the client has disconnected or its front has ended.
    if (call.cancelled) return;
    call.link.calls.delete(call.id);
    try {
      this.#deliver(call, reply);
    } catch (error) {
      // For example, there was no memory for a copy. Nothing of the reply was written.
      this.#deps.onFault('reply', error);
      this.#deliver(call, UNHANDLED);
    }
  }

  #deliver(call: RunningCall<Link>, reply: CallReply): void {
    const { link } = call;
    if (!call.priority) {
      const { status, body } = reply;
      if (!isShared(body) && link.replies.write(call.id, status, body, link.messages)) this.#onReplyWritten(link);
      else link.outbox.push([ITEM.REPLY, call.id, status, replyMember(link.outbox, body)]);
      return;
    }
    // Replies to submissions are short, and miners wait for them: send them immediately.
    const now = new Outbox(isShared(reply.body) || reply.body.length > PART_BYTES ? link : link.priority);
    now.push([ITEM.REPLY, call.id, reply.status, replyMember(now, reply.body)]);
    now.flush();
  }

  /**
   * Notes that a front's ring has a new reply. The front is woken at the end of the current tick of calls, or else at the
   * end of this event-loop task.
   */
  #onReplyWritten(link: Link): void {
    link.unannounced = true;
    if (this.#ticks.underWay || this.#gathering) return;
    this.#gathering = true;
    setImmediate(() => {
      this.#gathering = false;
      this.#wakeAll();
    });
  }

  async #template(link: Link, id: number): Promise<void> {
    const { code, text } = await this.#deps.askTemplate();
    link.outbox.push([ITEM.TEMPLATE_READY, id, code, text]);
  }
}
