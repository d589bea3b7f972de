// The front's end of the link: calls go out gathered per turn, submissions at once by the priority port; replies and news come in.
// Bounded in calls and bytes: beyond that call() says no. drain() handles everything that has arrived, for a front that is
// about to answer alone and must not be older than any reply already given.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FrontCounters } from './front-counters.js';
import {
  bodyMember,
  type FrontNews,
  ITEM,
  type Item,
  isPacked,
  memberBody,
  type NodeNews,
  Outbox,
  type PriorityCall,
  unpackMessage,
} from './messages.js';
import type { MethodCounts } from './method-counts.js';

/** Takes the reply to a call. */
export type ReplyHandler = (status: number, body: Uint8Array | string) => void;

/** Takes the answer to a template question: error code 0 when there is one now. */
export type TemplateHandler = (code: number, text: string) => void;

/** A call for the node thread. */
export interface NodeCall {
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  readonly body: Uint8Array;
  readonly priority: boolean;
  /** The method may wait for long: it does not count against the bound on calls. */
  readonly waits: boolean;
}

/** Bounds of the calls under way. */
export interface LinkBounds {
  readonly calls: number;
  readonly bytes: number;
}

interface Pending {
  readonly done: ReplyHandler;
  readonly sizeBytes: number;
  readonly counted: boolean;
}

export class FrontLink {
  readonly #port: MessagePort;
  readonly #priority: MessagePort;
  readonly #bounds: LinkBounds;
  readonly #counters: FrontCounters;
  readonly #outbox: Outbox;
  readonly #onNews: (news: FrontNews) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #templates = new Map<number, TemplateHandler>();
  #nextId = 1;
  #calls = 0;
  #bytes = 0;

  constructor(
    ports: { main: MessagePort; priority: MessagePort },
    bounds: LinkBounds,
    counters: FrontCounters,
    onNews: (news: FrontNews) => void,
  ) {
    this.#port = ports.main;
    this.#priority = ports.priority;
    this.#bounds = bounds;
    this.#counters = counters;
    this.#outbox = new Outbox(ports.main);
    this.#onNews = onNews;
    this.#port.on('message', (message: unknown) => this.#receive(message));
    this.#priority.on('message', (message: unknown) => this.#receive(message));
  }

  /** Calls under way on the node thread. */
  get callsUnderWay(): number {
    return this.#pending.size;
  }

  /**
   * Hands a call to the node thread.
   * @returns its number for cancel(), or 0 when too much is under way. The body may be transferred: it is gone afterwards.
   */
  call(call: NodeCall, done: ReplyHandler): number {
    const sizeBytes = call.body.byteLength;
    const counted = !call.waits;
    if ((counted && this.#calls >= this.#bounds.calls) || this.#bytes + sizeBytes > this.#bounds.bytes) {
      // A submission is worth more than the bound; one of the ordinary size still passes.
      if (!call.priority || this.#bytes + sizeBytes > 2 * this.#bounds.bytes) return 0;
    }
    const id = this.#nextId++;
    this.#pending.set(id, { done, sizeBytes, counted });
    if (counted) this.#calls++;
    this.#bytes += sizeBytes;
    this.#counters.add('callsOnNode');
    this.#counters.add('callBytesOnNode', sizeBytes);
    if (call.priority) {
      const body = new Uint8Array(call.body);
      const message: PriorityCall = { id, user: call.user, uri: call.uri, method: call.method, body };
      this.#priority.postMessage(message, [body.buffer]);
    } else {
      this.#outbox.push([ITEM.REQUEST, id, call.user, call.uri, call.method, bodyMember(this.#outbox, call.body)]);
    }
    return id;
  }

  /** The client has gone: whatever comes for this call is dropped, and the node thread may stop early. */
  cancel(id: number): void {
    if (this.#settle(id)) this.#outbox.push([ITEM.CANCEL, id]);
  }

  /** Asks for a template of the current tip; it arrives as news before the handler is called. */
  askTemplate(done: TemplateHandler): void {
    const id = this.#nextId++;
    this.#templates.set(id, done);
    this.#outbox.push([ITEM.TEMPLATE, id]);
  }

  /** Handles everything that has arrived until now. */
  drain(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) this.#receive(next.message);
  }

  /** Rare news for the node thread, in order with everything sent before. */
  tell(news: NodeNews, transfer: readonly ArrayBuffer[] = []): void {
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
    this.#port.close();
    this.#priority.close();
  }

  #receive(message: unknown): void {
    if (!isPacked(message)) {
      this.#onNews(message as FrontNews);
      return;
    }
    const { items, parts } = unpackMessage(message);
    for (const item of items) this.#take(item, parts);
  }

  #take(item: Item, parts: readonly Uint8Array[]): void {
    const id = item[1] as number;
    if (item[0] === ITEM.REPLY) {
      this.#settle(id)?.done(item[2] as number, memberBody(item[3], parts));
    } else if (item[0] === ITEM.TEMPLATE_READY) {
      const done = this.#templates.get(id);
      this.#templates.delete(id);
      done?.(item[2] as number, item[3] as string);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    if (pending.counted) this.#calls--;
    this.#bytes -= pending.sizeBytes;
    this.#counters.add('callsOnNode', -1);
    this.#counters.add('callBytesOnNode', -pending.sizeBytes);
    return pending;
  }
}
