// A connection whose socket is on the peers' thread (serve-connections.ts), as the node thread sees it.
import {
  count,
  MAX_UNREAD_BYTES,
  type MessageTotals,
  OTHER,
  type PeerConnection,
  type PeerConnectionEvents,
  type PeerConnectionOptions,
  UNREAD,
} from '../peer/peer-connection.js';
import type { Traffic } from '../peer/traffic.js';
import { PACKET_OVERHEAD } from '../transport/session.js';
import { nameBytes } from '../transport/short-ids.js';
import type { TransportType } from '../transport/transport.js';
import { type Frame, HEADER_BYTES } from '../wire/frame.js';
import { KNOWN_MESSAGES } from '../wire/protocol.js';
import { BundleReader, type PackedMessage } from './bundle.js';
import {
  between,
  commonMs,
  type Fault,
  type Figures,
  LONG_BYTES,
  type Part,
  POSTED_BYTES,
  postedWeight,
  WINDOW_BYTES,
  weightOf,
} from './messages.js';

/** Returns the bytes of a message on the wire. @param length bytes of its payload */
function messageBytes(type: TransportType, command: string, length: number): number {
  // While detecting, messages are sent only on outbound connections, which are encrypted.
  return type === 'v1' ? HEADER_BYTES + length : PACKET_OVERHEAD + nameBytes(command).length + length;
}

const NOTHING = new Uint8Array(0);

export interface ThreadedConnectionDeps {
  readonly id: number;
  readonly figures: Figures;
  readonly options: PeerConnectionOptions;
  readonly maxSendBytes: number;
  readonly traffic: Traffic;
  /** Sends a message to the thread with the next bundle. */
  readonly send: (message: PackedMessage) => void;
  /** Allows the thread to deliver more. */
  readonly more: () => void;
  /** Gives memory to the thread. */
  readonly reuse: (memory: ArrayBuffer) => void;
  readonly close: () => void;
}

export class ThreadedConnection implements PeerConnection {
  readonly sentByMessage: MessageTotals = new Map();
  readonly receivedByMessage: MessageTotals = new Map();
  transportType: TransportType;
  sessionId: Uint8Array | null = null;
  #closed = false;
  /** Parts that were delivered and are not handled yet, and the sum of their weights. */
  #parts: (BundleReader | PackedMessage | Fault)[] = [];
  #waiting = 0;
  /** Weight of sent messages; wraps as Figures.taken does. */
  #posted = 0;
  readonly #deps: ThreadedConnectionDeps;
  readonly #events: PeerConnectionEvents;

  constructor(deps: ThreadedConnectionDeps, events: PeerConnectionEvents) {
    this.#deps = deps;
    this.#events = events;
    this.transportType = deps.options.encrypted ? 'detecting' : 'v1';
  }

  get closed(): boolean {
    return this.#closed;
  }
  /** As V2Transport.refused: at least a header was sent, and not a byte came back. */
  get refused(): boolean {
    const { options, figures } = this.#deps;
    const silent = figures.readFigure('bytesReceived') === 0 && figures.readFigure('bytesSent') >= HEADER_BYTES;
    return options.initiating && this.transportType === 'detecting' && silent;
  }
  get lastSend(): number {
    return this.#deps.figures.readFigure('lastSend');
  }
  get lastReceive(): number {
    return this.#deps.figures.readFigure('lastReceive');
  }
  get bytesSent(): number {
    return this.#deps.figures.readFigure('bytesSent');
  }
  get bytesReceived(): number {
    return this.#deps.figures.readFigure('bytesReceived');
  }
  get unsent(): number {
    return this.#underWay + this.#deps.figures.readFigure('unsent');
  }
  /** Weight in transit to the thread. */
  get #underWay(): number {
    return between(this.#posted, this.#deps.figures.taken);
  }
  get stuckMs(): number {
    const since = this.#deps.figures.readFigure('stuckSince');
    return since === 0 ? 0 : commonMs(performance.now()) - since;
  }
  get held(): number {
    return this.#deps.figures.readFigure('held') + this.#waiting;
  }
  get sendPaused(): boolean {
    if (!this.#isFull) return false;
    const { figures } = this.#deps;
    figures.setWantsDrain(true);
    // The queue may have drained meanwhile.
    if (this.#isFull) return true;
    figures.setWantsDrain(false);
    return false;
  }
  get #isFull(): boolean {
    const { traffic, maxSendBytes } = this.#deps;
    return this.#underWay > POSTED_BYTES || this.unsent > (traffic.outgoingFull ? 0 : maxSendBytes);
  }
  /** Same value as SocketConnection.progressMs, converted to the clock of the node thread. */
  get progressMs(): number {
    return this.#deps.figures.readFigure('progress') - performance.timeOrigin;
  }
  get hasMessage(): boolean {
    return this.#parts.length > 0;
  }
  get hasWhole(): boolean {
    const [part] = this.#parts;
    return part !== undefined && !('fault' in part);
  }

  get holdsWhole(): boolean {
    return this.hasMessage || this.#deps.figures.readFigure('whole') === 1;
  }

  shift(): Frame | undefined {
    const [part] = this.#parts;
    if (part === undefined) return undefined;
    const isBundle = part instanceof BundleReader;
    const next = isBundle ? part.next(true) : part;
    if (!isBundle || part.done) this.#parts.shift();
    this.#handled(weightOf(next));
    if ('fault' in next) {
      this.#events.fault(next.fault, next.fatal);
      if (next.fatal) this.close();
      return undefined;
    }
    this.#count(KNOWN_MESSAGES.has(next.command) ? next.command : OTHER, next.size);
    return next;
  }

  #count(name: string, bytes: number): void {
    count(this.receivedByMessage, name, bytes);
    this.#events.received(name, bytes);
  }

  #handled(bytes: number): void {
    const { figures, traffic, more } = this.#deps;
    this.#waiting -= bytes;
    traffic.addHandedOver(-bytes);
    figures.addHandled(bytes);
    // Ask for more only when half is handled. Otherwise the peers' thread would get a request for each message.
    if (this.#waiting <= WINDOW_BYTES / 2 && figures.takeWaits()) more();
  }

  reuse({ buffer, length }: Uint8Array<ArrayBuffer>): void {
    if (length >= LONG_BYTES) this.#deps.reuse(buffer);
  }

  send(command: string, payload: Uint8Array = NOTHING): void {
    if (this.#closed) return;
    const { id, send } = this.#deps;
    const { length } = payload;
    const weight = postedWeight(length);
    this.#posted = (this.#posted + weight) | 0;
    this.#deps.traffic.addPosted(weight);
    const size = messageBytes(this.transportType, command, length);
    send({ connection: id, command, payload, length, size: 0, hash: null });
    count(this.sentByMessage, command, size);
    this.#events.sent(command, length, size);
    if (this.unsent > MAX_UNREAD_BYTES) this.onUnread();
  }

  close(): void {
    if (this.#closed) return;
    this.#deps.close();
    this.onClosed();
  }

  // Calls from the peers' thread.

  /**
   * Takes messages. Without any, the queue of sent messages has drained.
   * @param skipped bytes that made no message
   */
  deliver(parts: readonly Part[], skipped: number): void {
    if (skipped > 0) this.#count(OTHER, skipped);
    for (const part of parts) {
      this.#waiting += partBytes(part);
      this.#parts.push(part instanceof Uint8Array ? new BundleReader(part) : part);
    }
    if (!this.#closed) this.#events.workPending();
  }

  /** Called when the peer does not read. */
  onUnread(): void {
    if (this.#closed) return;
    this.#events.fault(UNREAD, true);
    this.close();
  }

  /** Called when the connection has ended. */
  onClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    const left = this.#parts;
    this.#parts = [];
    this.#deps.traffic.addHandedOver(-this.#waiting);
    this.#waiting = 0;
    for (const part of left) if ('fault' in part) this.#events.fault(part.fault, part.fatal);
    this.#events.closed();
  }
}

export const partBytes = (part: Part): number => (part instanceof Uint8Array ? part.length : weightOf(part));
