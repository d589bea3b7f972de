// The front's end of the link: calls go out by a ring, large ones by the port, submissions at once by the priority
// port; replies and news come in, each in its place among the others. Bounded in calls and bytes: beyond that call()
// says no. drain() handles all news that have arrived, for a front that is about to answer alone and must not be older
// than any reply already given.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CallQuota, CallSize } from './call-quota.js';
import { CallWriter, ReplyReader } from './frames.js';
import {
  bodyMember,
  type FrontNews,
  ITEM,
  type Item,
  isPacked,
  type LinkPorts,
  memberBody,
  type NodeNews,
  Outbox,
  type PassedSecrets,
  type PriorityCall,
  type TakenBlock,
  unpackMessage,
} from './messages.js';
import type { MethodCounts } from './method-counts.js';
import { TickLoop } from './tick-loop.js';

/** Takes the reply to a call. The bytes are gone when it returns. */
export type ReplyHandler = (status: number, body: Uint8Array | string) => void;

/** Takes the answer to a template question: error code 0 when there is one now. */
export type TemplateHandler = (code: number, text: string) => void;

/** A call for the thread that runs it. */
export interface LinkedCall {
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  readonly body: Uint8Array;
  /** What was taken out of the body of a submission; travels with it, and is gone afterwards. */
  readonly block?: TakenBlock | null;
  /** Secrets that were taken out of the body: they go by the priority port with it, and are gone afterwards. */
  readonly taken?: PassedSecrets | null;
  /** The transport owns the body: copied before this returns. */
  readonly shared: boolean;
  /** By the priority port: submissions, and calls whose bytes must not stay in shared memory. */
  readonly priority: boolean;
  /** A block or header: passes the bound on calls, and others let it pass. */
  readonly submission: boolean;
  /** The method may wait for long: it does not count against the bound on calls. */
  readonly waits: boolean;
  /** The body was searched: no passphrase in it. */
  readonly plain: boolean;
}

interface Pending extends CallSize {
  readonly done: ReplyHandler;
  /** Where it lies in the ring; -1 for calls that went by a port. */
  readonly position: number;
}

const LOST = 'The thread that runs this call has ended';

/** Numbers of calls begin anew from here: they cross as int32. */
const LAST_ID = 0x7fff_ffff;

export class FrontLink {
  readonly #port: MessagePort;
  readonly #priority: MessagePort;
  readonly #quota: CallQuota;
  readonly #outbox: Outbox;
  readonly #requests: CallWriter;
  readonly #replies: ReplyReader;
  readonly #onNews: (news: FrontNews) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #templates = new Map<number, TemplateHandler>();
  #lastId = 0;
  /** Messages of the main port handled until now. */
  #messages = 0;
  #reading = false;
  readonly #ticks = new TickLoop(() => this.#runTick());
  #closed = false;
  /** Calls or replies crossed since the last look at the ring. */
  #active = false;

  /** @param quota shared by all links of this front */
  constructor(ports: LinkPorts, quota: CallQuota, onNews: (news: FrontNews) => void) {
    this.#port = ports.main;
    this.#priority = ports.priority;
    this.#requests = new CallWriter(ports.calls);
    this.#replies = new ReplyReader(ports.replies);
    this.#quota = quota;
    this.#outbox = new Outbox(ports.main);
    this.#onNews = onNews;
    this.#port.on('close', () => this.#failPending());
    this.#port.on('message', (message: unknown) => this.#receive(message));
    this.#priority.on('message', (message: unknown) => this.#takePacked(message as Uint8Array));
    this.#ticks.startTicks();
  }

  /** Calls under way on the node thread. */
  get callsUnderWay(): number {
    return this.#pending.size;
  }

  /**
   * Hands a call to the node thread.
   * @returns its number for cancel(), or 0 when too much is under way. The body may be transferred: it is gone
   * afterwards.
   */
  call(call: LinkedCall, done: ReplyHandler): number {
    const { block = null, taken = null } = call;
    const sizeBytes = call.body.byteLength + (block?.bytes.byteLength ?? 0);
    const size = { sizeBytes, counted: !call.waits };
    if (!this.#quota.reserveCall(size, call.submission)) return 0;
    const id = this.#newId();
    const position = call.priority ? -1 : this.#requests.write(id, call.user, call.uri, call.body, call.plain);
    this.#pending.set(id, { done, ...size, position });
    if (this.#closed) setImmediate(() => this.#failPending());
    if (call.priority) {
      const body = new Uint8Array(call.body);
      const { user, uri, method, submission } = call;
      const message: PriorityCall = { id, user, uri, method, submission, body, block, taken };
      const parts = [block?.bytes ?? [], ...[...(taken?.keys ?? []), ...(taken?.passphrases ?? [])].map(([, bytes]) => bytes)].flat();
      this.#priority.postMessage(message, [body.buffer, ...parts.map(({ buffer }) => buffer as ArrayBuffer)]);
      this.#requests.ring.signalUrgent();
    } else if (position < 0) {
      const body = call.shared ? new Uint8Array(call.body) : call.body;
      this.#outbox.push([ITEM.REQUEST, id, call.user, call.uri, call.method, bodyMember(this.#outbox, body)]);
    } else this.#crossed();
    return id;
  }

  /** The client has gone: whatever comes for this call is dropped, and the node thread may stop early. */
  cancel(id: number): void {
    const pending = this.#removePending(id);
    if (!pending) return;
    if (pending.position >= 0 && this.#requests.cancel(id, pending.position)) this.#crossed();
    else this.#outbox.push([ITEM.CANCEL, id]);
  }

  /** Asks for a template of the current tip; it arrives as news before the handler is called. */
  askTemplate(done: TemplateHandler): void {
    const id = this.#newId();
    this.#templates.set(id, done);
    this.#outbox.push([ITEM.TEMPLATE, id]);
  }

  /** Handles all news that have arrived until now, and the replies before them. */
  drain(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) this.#receive(next.message);
  }

  /** Rare news for the node thread, in order with everything sent before. */
  postNews(news: NodeNews, transfer: readonly ArrayBuffer[] = []): void {
    this.#outbox.flush();
    this.#port.postMessage(news, [...transfer]);
  }

  /** Sends the figures of calls answered alone and starts counting anew. */
  report(counts: MethodCounts): void {
    for (const [method, count] of counts.byMethod) {
      this.#outbox.push([ITEM.COUNTS, method, count.calls, count.errors, count.seconds, count.buckets]);
    }
    counts.byMethod.clear();
  }

  /** Ends the link; the thread may then end by itself. */
  close(): void {
    this.#outbox.flush();
    this.#closed = true;
    this.#pending.clear();
    this.#port.close();
    this.#priority.close();
  }

  /** The other thread has ended: what waits for it is told. */
  #failPending(): void {
    if (!this.#closed) this.#read(true);
    this.#closed = true;
    for (const id of [...this.#pending.keys()]) this.#removePending(id)?.done(500, LOST);
    for (const done of this.#templates.values()) done(-1, LOST);
    this.#templates.clear();
  }

  #newId(): number {
    this.#lastId = this.#lastId === LAST_ID ? 1 : this.#lastId + 1;
    return this.#pending.has(this.#lastId) || this.#templates.has(this.#lastId) ? this.#newId() : this.#lastId;
  }

  #receive(message: unknown): void {
    if (message === null) {
      this.#ticks.startTicks(true);
      return;
    }
    // What was given before this message comes before it.
    this.#read(false);
    this.#messages = (this.#messages + 1) | 0;
    if (isPacked(message)) {
      this.#takePacked(message);
      return;
    }
    try {
      this.#onNews(message as FrontNews);
    } catch (error) {
      throwApart(error);
    }
  }

  #takePacked(message: Uint8Array | [Uint8Array, ...Uint8Array[]]): void {
    const { items, parts } = unpackMessage(message);
    for (const item of items) {
      try {
        this.#takeItem(item, parts);
      } catch (error) {
        throwApart(error);
      }
    }
  }

  /** Something went into the ring: the node thread is woken at the end of this turn if it sleeps. */
  #crossed(): void {
    this.#active = true;
    this.#ticks.startTicks();
  }

  /** @returns whether there is more to do */
  #runTick(): boolean {
    // After the end no message announces what the ring still holds: it is not read.
    if (this.#closed) return false;
    if (this.#requests.ring.mustWake()) this.#port.postMessage(null);
    this.#read(true);
    const again = this.#active;
    this.#active = false;
    // Under load the next replies come while sockets are looked at, so the node thread need not wake this one; without,
    // it goes to sleep.
    return again || !this.#replies.ring.sleep();
  }

  /**
   * Handles replies in the ring.
   * @param all also those behind messages on the port, which are handled in their place
   */
  #read(all: boolean): void {
    if (this.#reading) return;
    this.#reading = true;
    const replies = this.#replies;
    try {
      while (replies.next()) {
        if (replies.messages !== this.#messages) {
          if (!all) break;
          this.#reading = false;
          const found = this.#next();
          this.#reading = true;
          if (!found) break;
          continue;
        }
        this.#active = true;
        try {
          this.#removePending(replies.id)?.done(replies.status, replies.body());
        } catch (error) {
          throwApart(error);
        } finally {
          replies.done();
        }
      }
    } finally {
      this.#reading = false;
    }
  }

  /** Handles the next message of the main port. @returns false when there is none: the link has been closed */
  #next(): boolean {
    const next = receiveMessageOnPort(this.#port);
    if (next) this.#receive(next.message);
    return next !== undefined;
  }

  #takeItem(item: Item, parts: readonly Uint8Array[]): void {
    const id = item[1] as number;
    if (item[0] === ITEM.REPLY) {
      this.#removePending(id)?.done(item[2] as number, memberBody(item[3], parts));
    } else if (item[0] === ITEM.TEMPLATE_READY) {
      const done = this.#templates.get(id);
      this.#templates.delete(id);
      done?.(item[2] as number, item[3] as string);
    }
  }

  #removePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    this.#quota.releaseCall(pending);
    return pending;
  }
}

/**
 * Throws in a turn of its own, to the thread's handler of uncaught exceptions. A handler that throws must not take
 * replies and messages behind its own with it: their numbers tell the order, and one that is left out stops all that
 * follow.
 */
function throwApart(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
