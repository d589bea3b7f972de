// The front's end of a link. Small calls go out through a ring, large calls through the port, submissions immediately
// through the priority port. Replies and news arrive in the order in which they were sent. The number and bytes of
// calls are limited: beyond the limit call() returns 0. A front calls drain() before it answers a call by itself, so
// that its answer is not older than a reply that was sent before.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CallQuota, CallSize } from './call-quota.js';
import { CallWriter, ReplyReader } from './frames.js';
import {
  bodyMember,
  type FrontNews,
  ITEM,
  type Item,
  indexMember,
  isPacked,
  type LinkPorts,
  type NodeNews,
  Outbox,
  type PassedSecrets,
  type PriorityCall,
  type ReplyBody,
  ReplyMembers,
  type TakenBlock,
  unpackMessage,
} from './messages.js';
import type { MethodCounts } from './method-counts.js';
import { TickLoop } from './tick-loop.js';

/** Handles the reply to a call. The bytes are valid until the handler returns. */
export type ReplyHandler = (status: number, body: ReplyBody) => void;

/** Handles the answer to askTemplate(). Code 0: there is a template now. */
export type TemplateHandler = (code: number, text: string) => void;

/** A call for another thread. */
export interface LinkedCall {
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  readonly body: Uint8Array;
  /** Index of the body (rpc/wire/request.ts), which is copied; null: the other thread scans the body. */
  readonly index?: Int32Array | null;
  /**
   * Block that was taken out of the body of a submission. It is transferred, so the caller cannot use it afterwards.
   */
  readonly block?: TakenBlock | null;
  /**
   * Secrets that were taken out of the body. They go through the priority port and are transferred, so the caller
   * cannot use them afterwards.
   */
  readonly taken?: PassedSecrets | null;
  /** True if the connection owns the body: it is copied before call() returns. */
  readonly shared: boolean;
  /** True to use the priority port: for submissions, and for calls whose bytes must not stay in shared memory. */
  readonly priority: boolean;
  /** True if the call submits a block or header. It may exceed the quota, and other calls wait for it. */
  readonly submission: boolean;
  /** True if the method may wait for a long time. Such a call does not count against the limit on calls. */
  readonly waits: boolean;
  /** True if the body was searched and contains no secret. */
  readonly plain: boolean;
}

interface Pending extends CallSize {
  readonly done: ReplyHandler;
  /** Position of the call's frame in the ring; -1 if the call went through a port. */
  readonly position: number;
}

const NO_INDEX = new Int32Array(0);

const LOST = 'The thread that runs this call has ended';

/** Largest number of a call, because numbers cross as int32. The call after it gets number 1. */
const LAST_ID = 0x7fff_ffff;

export class FrontLink {
  readonly #port: MessagePort;
  readonly #priority: MessagePort;
  readonly #quota: CallQuota;
  readonly #outbox: Outbox;
  readonly #requests: CallWriter;
  readonly #replies: ReplyReader;
  readonly #members = new ReplyMembers();
  readonly #onNews: (news: FrontNews) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #templates = new Map<number, TemplateHandler>();
  #lastId = 0;
  /** Number of messages of the main port that were handled so far. */
  #messages = 0;
  #reading = false;
  readonly #ticks = new TickLoop(() => this.#runTick());
  #closed = false;
  /** True if a call was written or a reply was read since the last tick. */
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

  /** Number of calls in progress on the other thread. */
  get callsUnderWay(): number {
    return this.#pending.size;
  }

  /**
   * Sends a call to the other thread. The body may be transferred, so the caller must not use it afterwards.
   * @returns number of the call, for cancel(); 0 if the quota is used up
   */
  call(call: LinkedCall, done: ReplyHandler): number {
    const { block = null, taken = null, index = null } = call;
    const sizeBytes = call.body.byteLength + (block?.bytes.byteLength ?? 0);
    const size = { sizeBytes, counted: !call.waits };
    if (!this.#quota.reserveCall(size, call.submission)) return 0;
    const id = this.#newId();
    const position = call.priority ? -1 : this.#requests.write(id, call, index ?? NO_INDEX);
    this.#pending.set(id, { done, ...size, position });
    if (this.#closed) setImmediate(() => this.#failPending());
    if (call.priority) {
      const body = new Uint8Array(call.body);
      const { user, uri, method, submission } = call;
      // Copied, because a message contains all the memory under a view.
      const own = index && new Int32Array(index);
      const message: PriorityCall = { id, user, uri, method, submission, body, index: own, block, taken };
      const parts = [block?.bytes ?? [], ...[...(taken?.keys ?? []), ...(taken?.passphrases ?? [])].map(([, bytes]) => bytes)].flat();
      this.#priority.postMessage(message, [body.buffer, ...parts.map(({ buffer }) => buffer as ArrayBuffer)]);
      this.#requests.ring.signalUrgent();
    } else if (position < 0) {
      const body = call.shared ? new Uint8Array(call.body) : call.body;
      this.#outbox.push([
        ITEM.REQUEST,
        id,
        call.user,
        call.uri,
        call.method,
        bodyMember(this.#outbox, body),
        indexMember(this.#outbox, index),
      ]);
    } else this.#crossed();
    return id;
  }

  /** Cancels a call because its client has disconnected. Its reply is dropped, and the other thread may stop early. */
  cancel(id: number): void {
    const pending = this.#removePending(id);
    if (!pending) return;
    if (pending.position >= 0 && this.#requests.cancel(id, pending.position)) this.#crossed();
    else this.#outbox.push([ITEM.CANCEL, id]);
  }

  /** Requests a template of the current tip. The template arrives as news before `done` is called. */
  askTemplate(done: TemplateHandler): void {
    const id = this.#newId();
    this.#templates.set(id, done);
    this.#outbox.push([ITEM.TEMPLATE, id]);
  }

  /** Handles all news that have arrived, and the replies before them. */
  drain(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) this.#receive(next.message);
  }

  /** Posts news, after everything that was sent before. */
  postNews(news: NodeNews, transfer: readonly ArrayBuffer[] = []): void {
    this.#outbox.flush();
    this.#port.postMessage(news, [...transfer]);
  }

  /** Sends the figures of calls that this front answered by itself, and resets them. */
  report(counts: MethodCounts): void {
    for (const [method, count] of counts.byMethod) {
      this.#outbox.push([ITEM.COUNTS, method, count.calls, count.errors, count.seconds, count.buckets]);
    }
    counts.byMethod.clear();
  }

  /** Closes the link. The thread can then end. */
  close(): void {
    this.#outbox.flush();
    this.#closed = true;
    this.#pending.clear();
    this.#port.close();
    this.#priority.close();
  }

  /** Fails all pending calls and template requests, because the other thread has ended. */
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
    // Handle the replies that were sent before this message first.
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

  /** Called after a frame was written. The other thread is woken at the end of this tick if it sleeps. */
  #crossed(): void {
    this.#active = true;
    this.#ticks.startTicks();
  }

  /** Wakes the other thread if needed, and handles replies. @returns whether there is more to do */
  #runTick(): boolean {
    // Do not read the ring after close(): its replies may refer to messages that no longer arrive.
    if (this.#closed) return false;
    if (this.#requests.ring.mustWake()) this.#port.postMessage(null);
    this.#read(true);
    const again = this.#active;
    this.#active = false;
    // Under load the next replies arrive while the event loop handles sockets. So this thread stays awake, and the other
    // thread need not wake it. Without load this thread goes to sleep.
    return again || !this.#replies.ring.sleep();
  }

  /**
   * Handles replies in the ring.
   * @param all whether to handle messages of the port as well, each in its place; false stops at the first reply that a
   *   message precedes
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

  /** Handles the next message of the main port. @returns false if there is none, because the link was closed */
  #next(): boolean {
    const next = receiveMessageOnPort(this.#port);
    if (next) this.#receive(next.message);
    return next !== undefined;
  }

  #takeItem(item: Item, parts: readonly Uint8Array[]): void {
    const id = item[1] as number;
    if (item[0] === ITEM.REPLY) {
      this.#removePending(id)?.done(item[2] as number, this.#members.replyOf(item[3], parts));
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
 * Throws in an event-loop task of its own, so that the thread's handler of uncaught exceptions gets the error. A
 * handler that throws must not stop the replies and messages behind it: their numbers define the order, and a missing
 * one would stop all that follow.
 */
function throwApart(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
