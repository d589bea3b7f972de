// One socket to a peer: frames in, frames out, bounded both ways. Incoming messages wait in an inbox that its owner works off one by one;
// a full inbox pauses the socket, and so does a peer that doesn't read what it asked for. Callers: Net, which makes one per peer.
import type { Socket } from 'node:net';
import type { Transport, TransportEvents } from '../transport/transport.js';
import type { Frame } from '../wire/frame.js';
import { MESSAGES } from '../wire/protocol.js';

/** Bytes waiting for a peer that does not read, beyond which it is given up. A few blocks and their announcements. */
const MAX_UNREAD_BYTES = 32 << 20;
/** Milliseconds of cutting bytes into messages before others get a turn: a socket may bring thousands of small ones at once. */
const CUT_MS = 3;
/** What messages nobody knows are counted as. */
export const OTHER = '*other*';
const known = new Set<string>(MESSAGES);

/** Bytes of each kind of message. */
export type MessageTotals = Map<string, number>;

export interface ConnectionOptions {
  /** How messages become bytes. */
  readonly transport: (events: TransportEvents) => Transport;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
  /** Seconds since 1970, never mocked: silence is measured in real time, as in Core. */
  readonly nowSeconds: () => number;
}

export interface ConnectionEvents {
  /** There is something in the inbox, or room to send again. */
  wake(): void;
  /** The stream broke the protocol, or a message was unusable; `fatal` ends the connection. */
  fault(text: string, fatal: boolean): void;
  /** A message was sent. @param bytes of its payload @param size what it takes on the wire */
  sent(command: string, bytes: number, size: number): void;
  /** Bytes went to the socket, of whatever message. */
  wrote(bytes: number): void;
  /** Bytes came, of whatever message. */
  read(bytes: number): void;
  /** A message came whole. */
  received(command: string, bytes: number): void;
  closed(): void;
}

export class Connection {
  /** Seconds of the last traffic, 0 before any. */
  lastSend = 0;
  lastReceive = 0;
  bytesSent = 0;
  bytesReceived = 0;
  readonly sentByMessage: MessageTotals = new Map();
  readonly receivedByMessage: MessageTotals = new Map();
  #inbox: Frame[] = [];
  #head = 0;
  #inboxBytes = 0;
  #paused = false;
  #closed = false;
  #cutSoon = false;
  /** Agrees on keys, where there are any, and makes messages of bytes. */
  readonly transport: Transport;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
    private readonly events: ConnectionEvents,
  ) {
    this.transport = options.transport({
      write: (bytes) => this.#write(bytes),
      progress: () => {
        if (this.#closed) return;
        this.#cut();
        this.#resume();
      },
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => events.wake());
    // Reset, unreachable, timed out: all end in close.
    socket.on('error', () => {});
    socket.on('close', () => this.#gone());
  }

  /** Begins to read. The socket comes paused, so that nothing is lost before it has an owner. */
  start(): void {
    this.transport.start();
    this.socket.resume();
  }

  get closed(): boolean {
    return this.#closed;
  }
  /** Bytes given to the socket that the peer has not taken. */
  get unsent(): number {
    return this.socket.writableLength;
  }
  /** Whether so much waits to be sent that the peer's requests have to wait too. */
  get sendPaused(): boolean {
    return this.socket.writableLength > this.options.maxSendBytes;
  }
  get hasMessage(): boolean {
    return this.#head < this.#inbox.length;
  }

  /** Takes the next message out of the inbox. */
  shift(): Frame | undefined {
    const frame = this.#inbox[this.#head];
    if (frame === undefined) return undefined;
    this.#inbox[this.#head++] = undefined as unknown as Frame;
    this.#inboxBytes -= frame.size;
    if (this.#head === this.#inbox.length) {
      this.#inbox = [];
      this.#head = 0;
    }
    if (this.#paused && this.#inboxBytes <= this.options.maxReceiveBytes) {
      this.#paused = false;
      this.#cut();
      this.#resume();
    }
    return frame;
  }

  send(command: string, payload: Uint8Array = new Uint8Array(0)): void {
    if (this.#closed) return;
    const size = this.transport.send(command, payload);
    count(this.sentByMessage, command, size);
    this.events.sent(command, payload.length, size);
    if (this.socket.writableLength > MAX_UNREAD_BYTES) {
      this.events.fault('does not read what it is sent', true);
      this.close();
    }
  }

  #write(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.socket.write(bytes);
    this.lastSend = this.options.nowSeconds();
    this.bytesSent += bytes.length;
    this.events.wrote(bytes.length);
  }

  /** Ends the connection at once; closed() follows. */
  close(): void {
    if (this.#closed) return;
    this.socket.destroy();
    this.#gone();
  }

  #take(chunk: Uint8Array): void {
    this.lastReceive = this.options.nowSeconds();
    this.bytesReceived += chunk.length;
    this.events.read(chunk.length);
    this.transport.push(chunk);
    this.#cut();
  }

  /** Reads on, unless something has to be worked off first. */
  #resume(): void {
    if (!this.#paused && !this.#closed && !this.#cutSoon && !this.transport.busy) this.socket.resume();
  }

  #cut(): void {
    const before = this.#inbox.length;
    const until = performance.now() + CUT_MS;
    while (!this.#closed && !this.#paused && !this.#cutSoon) {
      const frame = this.transport.next();
      if (frame === null) break;
      const name = known.has(frame.command) ? frame.command : OTHER;
      count(this.receivedByMessage, name, frame.size);
      this.events.received(name, frame.size);
      if (frame.payload === null) {
        if (frame.fault !== null) this.events.fault(frame.fault, false);
      } else {
        this.#inbox.push(frame);
        this.#inboxBytes += frame.size;
        if (this.#inboxBytes > this.options.maxReceiveBytes) this.#paused = true;
      }
      if (!this.#paused && performance.now() > until) this.#cutLater();
    }
    if (this.transport.fault !== null && !this.#closed) {
      this.events.fault(this.transport.fault, true);
      this.close();
    }
    if (this.#paused || this.#cutSoon || this.transport.busy) this.socket.pause();
    if (this.#inbox.length > before) this.events.wake();
  }

  /** The rest of many small messages in the next turn of the thread. */
  #cutLater(): void {
    this.#cutSoon = true;
    setImmediate(() => {
      this.#cutSoon = false;
      if (this.#closed) return;
      this.#cut();
      this.#resume();
    });
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox = [];
    this.#head = 0;
    this.transport.close();
    this.events.closed();
  }
}

function count(totals: MessageTotals, command: string, bytes: number): void {
  totals.set(command, (totals.get(command) ?? 0) + bytes);
}
