// What turns messages into bytes on a socket and back: in the clear as ever (v1-transport.ts), or encrypted
// (v2-transport.ts).
import type { BadFrame, Frame } from '../wire/frame.js';

/** As getpeerinfo names it; `detecting` until the first bytes of an inbound peer have told. */
export type TransportType = 'detecting' | 'v1' | 'v2';

/** What a transport may do by itself. */
export interface TransportEvents {
  /** Sends bytes at once. */
  write(bytes: Uint8Array): void;
  /** Work that was waited for is done: there may be messages, and more bytes may come. */
  progress(): void;
}

export interface Transport {
  /** Why the stream can't go on, once it can't. */
  readonly fault: string | null;
  readonly type: TransportType;
  /** BIP-0324's number of the connection, 32 bytes, which both sides may compare; null in the clear. */
  readonly sessionId: Uint8Array | null;
  /** Nothing can be read for now: bytes had better stay in the socket until `progress`. */
  readonly busy: boolean;
  /** The peer hung up, if it did now, as one that knows nothing of encryption. */
  readonly refused: boolean;
  /** Bytes received and not handed out yet. */
  readonly held: number;
  /** Whether next() has something to say: a whole message, or that the stream can't go on. */
  readonly ready: boolean;
  /** Sends the first bytes, where this side has any to send unasked. */
  start(): void;
  /** Takes bytes from the socket; they are copied. */
  push(chunk: Uint8Array): void;
  /** The next message; null when more bytes are needed or the stream has a fault. A payload is the caller's. */
  next(): Frame | BadFrame | null;
  /** Sends a message, as soon as keys are agreed. @param command at most 12 ASCII characters @returns bytes it takes */
  send(command: string, payload: Uint8Array): number;
  /** The socket is gone: keys are forgotten, work under way is dropped. */
  close(): void;
}
