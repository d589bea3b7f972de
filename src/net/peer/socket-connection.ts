// One socket to a peer: frames in, frames out, bounded both ways. What comes stays bytes until its owner takes the next
// message, so that a flood of small ones costs no more memory than it has bytes, and none of their checksums before
// their turn; too much of it pauses the socket, and so does a peer that doesn't read what it asked for.
import type { Socket } from 'node:net';
import type { Transport, TransportEvents, TransportType } from '../transport/transport.js';
import type { Frame } from '../wire/frame.js';
import { KNOWN_MESSAGES } from '../wire/protocol.js';
import {
  count,
  MAX_UNREAD_BYTES,
  type MessageTotals,
  OTHER,
  type PeerConnection,
  type PeerConnectionEvents,
  UNREAD,
} from './peer-connection.js';
import { SendQueue } from './send-queue.js';
import { FAIR_BYTES, type Traffic } from './traffic.js';

export interface SocketConnectionOptions {
  /** How messages become bytes. */
  readonly transport: (events: TransportEvents) => Transport;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
  /** Seconds since 1970, never mocked: silence is measured in real time, as in Core. */
  readonly nowSeconds: () => number;
  /** What all connections hold together. */
  readonly traffic: Traffic;
}

export class SocketConnection implements PeerConnection {
  /** Seconds of the last traffic, 0 before any. */
  lastSend = 0;
  lastReceive = 0;
  bytesSent = 0;
  bytesReceived = 0;
  readonly sentByMessage: MessageTotals = new Map();
  readonly receivedByMessage: MessageTotals = new Map();
  progressMs = performance.now();
  #paused = false;
  #closed = false;
  /** Bytes that `traffic` was told of. */
  #accountedBytes = 0;
  /** Agrees on keys, where there are any, and makes messages of bytes. */
  readonly transport: Transport;
  readonly #queue: SendQueue;
  readonly #socket: Socket;
  readonly #options: SocketConnectionOptions;
  readonly #events: PeerConnectionEvents;

  constructor(socket: Socket, options: SocketConnectionOptions, events: PeerConnectionEvents) {
    this.#socket = socket;
    this.#options = options;
    this.#events = events;
    this.transport = options.transport({
      write: (bytes) => this.#write(bytes),
      progress: () => {
        if (!this.#closed) this.#checkMessages();
      },
    });
    this.#queue = new SendQueue(
      socket,
      options.traffic,
      () => performance.now(),
      () => events.figuresChanged?.(),
    );
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#takeChunk(chunk));
    socket.on('drain', () => {
      if (this.#closed) return;
      this.#queue.drained();
      events.figuresChanged?.();
      events.workPending();
    });
    // Reset, unreachable, timed out: all end in close.
    socket.on('error', () => {});
    socket.on('close', () => this.#onClosed());
  }

  /** Begins to read. The socket comes paused, so that nothing is lost before it has an owner. */
  start(): void {
    this.transport.start();
    this.#socket.resume();
  }

  get closed(): boolean {
    return this.#closed;
  }
  /** Bytes for the peer that it has not taken, and for how many ms it took none of them. */
  get unsent(): number {
    return this.#queue.bytes;
  }
  get stuckMs(): number {
    return this.#queue.stuckMs;
  }
  /** Bytes of the peer that are not handled. */
  get held(): number {
    return this.transport.held;
  }
  get transportType(): TransportType {
    return this.transport.type;
  }
  get sessionId(): Uint8Array | null {
    return this.transport.sessionId;
  }
  get refused(): boolean {
    return this.transport.refused;
  }
  /** Since when nothing was taken of what waits, and 0 when nothing waits; monotonic milliseconds. */
  get stuckSinceMs(): number {
    return this.#queue.stuckSinceMs;
  }
  /** Whether so much waits to be sent that the peer's requests have to wait too. */
  get sendPaused(): boolean {
    return this.unsent > (this.#options.traffic.outgoingFull ? 0 : this.#options.maxSendBytes);
  }
  /** Whether there is a whole message, or something that can't become one. */
  get hasMessage(): boolean {
    return !this.#closed && (this.transport.ready || this.transport.fault !== null);
  }

  get holdsWhole(): boolean {
    return this.hasMessage;
  }
  /** Whether there is a whole message. */
  get hasWhole(): boolean {
    return !this.#closed && this.transport.ready && this.transport.fault === null;
  }

  /** Takes the next message; undefined when there is none, it was unusable, or it is so long that more steps follow. */
  shift(): Frame | undefined {
    if (this.#closed) return undefined;
    const frame = this.transport.next();
    if (frame === null) {
      if (this.transport.fault === null) return undefined;
      this.#events.fault(this.transport.fault, true);
      this.close();
      return undefined;
    }
    this.#account();
    this.progressMs = performance.now();
    const name = frame.payload !== null && KNOWN_MESSAGES.has(frame.command) ? frame.command : OTHER;
    count(this.receivedByMessage, name, frame.size);
    this.#events.received(name, frame.size);
    if (frame.payload !== null) return frame;
    if (frame.fault !== null) this.#events.fault(frame.fault, false);
    return undefined;
  }

  send(command: string, payload: Uint8Array = new Uint8Array(0)): void {
    if (this.#closed) return;
    const size = this.transport.send(command, payload);
    count(this.sentByMessage, command, size);
    this.#events.sent(command, payload.length, size);
    if (this.unsent > MAX_UNREAD_BYTES) {
      this.#events.fault(UNREAD, true);
      this.close();
    }
  }

  #write(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#queue.push(bytes);
    this.lastSend = this.#options.nowSeconds();
    this.bytesSent += bytes.length;
    this.#options.traffic.addSent(bytes.length);
    this.#events.figuresChanged?.();
  }

  /** Ends the connection at once; closed() follows. */
  close(): void {
    if (this.#closed) return;
    this.#socket.destroy();
    this.#onClosed();
  }

  /**
   * A destroyed socket may hand out bytes once more: they are not handled, so they must not count as held.
   */
  #takeChunk(chunk: Uint8Array): void {
    if (this.#closed) return;
    this.lastReceive = this.#options.nowSeconds();
    this.bytesReceived += chunk.length;
    if (this.held === 0) this.progressMs = performance.now();
    this.#options.traffic.addReceived(chunk.length);
    this.transport.push(chunk);
    this.#checkMessages();
  }

  /** There is more than there was. */
  #checkMessages(): void {
    this.#account();
    if (this.hasMessage) this.#events.workPending();
  }

  /** Tells what is held, and stops or goes on reading. A message that is not whole yet is always read to its end. */
  #account(): void {
    if (this.#closed) return;
    const { held, ready, busy } = this.transport;
    const { traffic, maxReceiveBytes } = this.#options;
    traffic.addIncoming(held - this.#accountedBytes);
    this.#accountedBytes = held;
    this.#events.figuresChanged?.();
    const most = traffic.incomingFull ? Math.min(FAIR_BYTES, maxReceiveBytes) : maxReceiveBytes;
    const pause = busy || (ready && held > most);
    if (pause === this.#paused) return;
    this.#paused = pause;
    if (pause) this.#socket.pause();
    else this.#socket.resume();
  }

  #onClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.close();
    this.#options.traffic.addIncoming(-this.#accountedBytes);
    this.#accountedBytes = 0;
    this.#queue.clear();
    this.#events.figuresChanged?.();
    this.#events.closed();
  }
}
