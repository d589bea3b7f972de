// One front, as seen by the thread that runs its calls: ports, rings, and the calls in progress.
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import { newRing } from './byte-ring.js';
import { CallReader, ReplyWriter, RING_BYTES } from './frames.js';
import { type LinkPorts, Outbox } from './messages.js';
import type { RunningCall } from './running-call.js';

/** Creates the two ends of a link: for a front, and for the thread that runs its calls. */
export function newLink(): { front: LinkPorts; thread: LinkPorts } {
  const main = new MessageChannel();
  const priority = new MessageChannel();
  const rings = { calls: newRing(RING_BYTES), replies: newRing(RING_BYTES) };
  return {
    front: { main: main.port2, priority: priority.port2, ...rings },
    thread: { main: main.port1, priority: priority.port1, ...rings },
  };
}

/** The receiving end of the link to one front. */
export class Link {
  readonly main: MessagePort;
  readonly priority: MessagePort;
  readonly requests: CallReader;
  readonly replies: ReplyWriter;
  readonly outbox: Outbox;
  /** Calls that wait in the queue, or that did not finish synchronously. */
  readonly calls = new Map<number, RunningCall<Link>>();
  urgentSeen = 0;
  /**
   * Number of messages that were posted on the main port. Each reply in the ring contains this number, so that the front
   * handles messages and replies in the order in which they were sent.
   */
  messages = 0;
  /** True if the ring has replies for which the front was not woken yet. */
  unannounced = false;

  /** @param fillsReads whether the other end runs read jobs */
  constructor(
    readonly front: number,
    { main, priority, calls, replies }: LinkPorts,
    readonly fillsReads: boolean,
  ) {
    this.main = main;
    this.priority = priority;
    this.requests = new CallReader(calls);
    this.replies = new ReplyWriter(replies);
    this.outbox = new Outbox(this);
  }

  /** Posts a message on the main port. */
  postMessage(message: unknown, transfer: readonly TransferListItem[] = []): void {
    this.messages = (this.messages + 1) | 0;
    this.main.postMessage(message, transfer as TransferListItem[]);
  }

  /** Wakes the front if it sleeps. */
  wakeFront(): void {
    this.unannounced = false;
    if (this.replies.ring.mustWake()) this.main.postMessage(null);
  }

  close(): void {
    for (const call of this.calls.values()) call.cancel();
    this.main.close();
    this.priority.close();
  }
}
