// A peer's socket: frames in, frames out, bounded in both directions. Received bytes stay bytes until the owner takes
// the next message. So a flood of small messages costs no more memory than its bytes, and no checksum is computed
// early. Too many unhandled bytes pause the socket, and so does a peer that does not read what it requested.
import type { Socket } from 'node:net';
import type { SpareMemory } from '../../consensus/bytes/spare-memory.js';
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
  /** Creates the transport, which turns messages into bytes. */
  readonly transport: (events: TransportEvents) => Transport;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
  /** Returns seconds since 1970 of the real clock: silence of peers is measured in real time, as in Core. */
  readonly nowSeconds: () => number;
  /** Byte totals of all connections. */
  readonly traffic: Traffic;
  /** Takes the memory of handled messages. */
  readonly spare?: SpareMemory;
}

export class SocketConnection implements PeerConnection {
  /** Seconds of the last traffic; 0 before any. */
  lastSend = 0;
  lastReceive = 0;
  bytesSent = 0;
  bytesReceived = 0;
  readonly sentByMessage: MessageTotals = new Map();
  readonly receivedByMessage: MessageTotals = new Map();
  progressMs = performance.now();
  #paused = false;
  #closed = false;
  /** Unhandled bytes that `traffic` includes for this connection. */
  #accountedBytes = 0;
  /** Exchanges keys if encrypted, and parses messages. */
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
    // Reset, unreachable and timeout all lead to 'close'.
    socket.on('error', () => {});
    socket.on('close', () => this.#onClosed());
  }

  /** Starts to read. The socket arrives paused, so that no bytes are lost before it has an owner. */
  start(): void {
    this.transport.start();
    this.#socket.resume();
  }

  get closed(): boolean {
    return this.#closed;
  }
  /** Bytes that the peer has not read, and ms for which it has read none of them. */
  get unsent(): number {
    return this.#queue.bytes;
  }
  get stuckMs(): number {
    return this.#queue.stuckMs;
  }
  /** Bytes of the peer that are not handled yet. */
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
  /** Monotonic time in ms since which none of the unsent bytes were read; 0 if nothing is unsent. */
  get stuckSinceMs(): number {
    return this.#queue.stuckSinceMs;
  }
  /** True if so much is unsent that requests of the peer have to wait. */
  get sendPaused(): boolean {
    return this.unsent > (this.#options.traffic.outgoingFull ? 0 : this.#options.maxSendBytes);
  }
  /** True if a complete message is available, or a fault to report. */
  get hasMessage(): boolean {
    return !this.#closed && (this.transport.ready || this.transport.fault !== null);
  }

  get holdsWhole(): boolean {
    return this.hasMessage;
  }
  /** True if a complete message is available. */
  get hasWhole(): boolean {
    return !this.#closed && this.transport.ready && this.transport.fault === null;
  }

  /** Takes the next message. Undefined if there is none, it was unusable, or its checksum takes more steps. */
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

  reuse(payload: Uint8Array<ArrayBuffer>): void {
    this.#options.spare?.giveBuffer(payload.buffer);
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

  /** Closes the connection immediately. closed() is called. */
  close(): void {
    if (this.#closed) return;
    this.#socket.destroy();
    this.#onClosed();
  }

  /** A destroyed socket may deliver bytes once more. They are not handled, so they must not be counted. */
  #takeChunk(chunk: Uint8Array): void {
    if (this.#closed) return;
    this.lastReceive = this.#options.nowSeconds();
    this.bytesReceived += chunk.length;
    if (this.held === 0) this.progressMs = performance.now();
    this.#options.traffic.addReceived(chunk.length);
    this.transport.push(chunk);
    this.#checkMessages();
  }

  /** Called when more bytes are available. */
  #checkMessages(): void {
    this.#account();
    if (this.hasMessage) this.#events.workPending();
  }

  /** Updates the totals and pauses or resumes the socket. An incomplete message is always read to its end. */
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
