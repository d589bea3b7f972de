// One socket to a peer: frames in, frames out, bounded both ways. Incoming messages wait in an inbox that its owner works off one by one;
// a full inbox pauses the socket, and so does a peer that doesn't read what it asked for. Callers: Net, which makes one per peer.
import type { Socket } from 'node:net';
import type { Hashes } from '../../crypto/crypto.js';
import { encodeFrame, type Frame, FrameReader, HEADER_BYTES } from '../wire/frame.js';
import { MESSAGES } from '../wire/protocol.js';

/** Bytes waiting for a peer that does not read, beyond which it is given up. A few blocks and their announcements. */
const MAX_UNREAD_BYTES = 32 << 20;
/** What messages nobody knows are counted as. */
export const OTHER = '*other*';
const known = new Set<string>(MESSAGES);

/** Bytes of each kind of message. */
export type MessageTotals = Map<string, number>;

export interface ConnectionOptions {
  readonly magic: Uint8Array;
  readonly hashes: Hashes;
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
  sent(command: string, bytes: number): void;
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
  readonly #reader: FrameReader;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
    private readonly events: ConnectionEvents,
  ) {
    this.#reader = new FrameReader(options.magic, options.hashes);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => events.wake());
    // Reset, unreachable, timed out: all end in close.
    socket.on('error', () => {});
    socket.on('close', () => this.#gone());
  }

  /** Begins to read. The socket comes paused, so that nothing is lost before it has an owner. */
  start(): void {
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
    this.#inboxBytes -= frame.payload.length + HEADER_BYTES;
    if (this.#head === this.#inbox.length) {
      this.#inbox = [];
      this.#head = 0;
    }
    if (this.#paused && this.#inboxBytes <= this.options.maxReceiveBytes) {
      this.#paused = false;
      this.#cut();
      if (!this.#paused && !this.#closed) this.socket.resume();
    }
    return frame;
  }

  send(command: string, payload: Uint8Array = new Uint8Array(0)): void {
    if (this.#closed) return;
    const bytes = encodeFrame(this.options.magic, command, payload, this.options.hashes);
    this.socket.write(bytes);
    this.lastSend = this.options.nowSeconds();
    this.bytesSent += bytes.length;
    count(this.sentByMessage, command, bytes.length);
    this.events.sent(command, bytes.length);
    if (this.socket.writableLength > MAX_UNREAD_BYTES) {
      this.events.fault('does not read what it is sent', true);
      this.close();
    }
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
    this.#reader.push(chunk);
    this.#cut();
  }

  #cut(): void {
    const before = this.#inbox.length;
    while (!this.#closed && !this.#paused) {
      const frame = this.#reader.next();
      if (frame === null) break;
      const size = frame.payload === null ? frame.size : frame.payload.length + HEADER_BYTES;
      const name = known.has(frame.command) ? frame.command : OTHER;
      count(this.receivedByMessage, name, size);
      this.events.received(name, size);
      if (frame.payload === null) {
        this.events.fault(frame.fault, false);
        continue;
      }
      this.#inbox.push(frame);
      this.#inboxBytes += size;
      if (this.#inboxBytes > this.options.maxReceiveBytes) {
        this.#paused = true;
        this.socket.pause();
      }
    }
    if (this.#reader.fault !== null && !this.#closed) {
      this.events.fault(this.#reader.fault, true);
      this.close();
    }
    if (this.#inbox.length > before) this.events.wake();
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox = [];
    this.#head = 0;
    this.events.closed();
  }
}

function count(totals: MessageTotals, command: string, bytes: number): void {
  totals.set(command, (totals.get(command) ?? 0) + bytes);
}
