// One front as the thread that runs its calls has it: ports, rings, and the calls that are on their way. Used by call-links.ts.
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import { newRing } from './byte-ring.js';
import { CallReader, ReplyWriter, RING_BYTES } from './frames.js';
import { type LinkPorts, Outbox } from './messages.js';
import type { RunningCall } from './running-call.js';

/** A new link's two ends: of a front, and of the thread that runs its calls. */
export function newLink(): { front: LinkPorts; thread: LinkPorts } {
  const main = new MessageChannel();
  const priority = new MessageChannel();
  const rings = { calls: newRing(RING_BYTES), replies: newRing(RING_BYTES) };
  return {
    front: { main: main.port2, priority: priority.port2, ...rings },
    thread: { main: main.port1, priority: priority.port1, ...rings },
  };
}

/** One front, as that thread sees it. */
export class Link {
  readonly main: MessagePort;
  readonly priority: MessagePort;
  readonly requests: CallReader;
  readonly replies: ReplyWriter;
  readonly outbox: Outbox;
  /** Calls that wait, or that go on beyond their turn. */
  readonly calls = new Map<number, RunningCall<Link>>();
  urgentSeen = 0;
  /** Posts on the main port; replies in the ring say how many come before them. */
  messages = 0;
  /** There are replies in the ring that the front was not woken for. */
  unannounced = false;

  constructor(
    readonly front: number,
    { main, priority, calls, replies }: LinkPorts,
  ) {
    this.main = main;
    this.priority = priority;
    this.requests = new CallReader(calls);
    this.replies = new ReplyWriter(replies);
    this.outbox = new Outbox(this);
  }

  /** Puts a message on the main port. */
  postMessage(message: unknown, transfer: readonly TransferListItem[] = []): void {
    this.messages = (this.messages + 1) | 0;
    this.main.postMessage(message, transfer as TransferListItem[]);
  }

  /** Wakes the front when there is something for it and it sleeps. */
  wakeFront(): void {
    this.unannounced = false;
    if (this.replies.ring.mustWake()) this.main.postMessage(null);
  }

  close(): void {
    for (const call of this.calls.values()) call.cancel();
    this.calls.clear();
    this.main.close();
    this.priority.close();
  }
}
