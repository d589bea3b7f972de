// Converts messages to bytes on a socket and back: unencrypted (v1-transport.ts) or encrypted (v2-transport.ts).
import type { BadFrame, Frame } from '../wire/frame.js';

/** Transport as getpeerinfo names it; `detecting` until the first bytes of an inbound peer have arrived. */
export type TransportType = 'detecting' | 'v1' | 'v2';

/** Events that a transport emits. */
export interface TransportEvents {
  /** Sends bytes immediately. */
  write(bytes: Uint8Array): void;
  /** Called when asynchronous key work has finished: read messages and resume the socket. */
  progress(): void;
}

export interface Transport {
  /** Reason why the stream cannot continue; null while it can. */
  readonly fault: string | null;
  readonly type: TransportType;
  /** BIP-0324 session id, 32 bytes, which both sides can compare; null without encryption. */
  readonly sessionId: Uint8Array | null;
  /** True if nothing can be parsed now. Bytes should stay in the socket until `progress`. */
  readonly busy: boolean;
  /** Read after the peer closed the connection: true if the peer behaved like a node without encryption. */
  readonly refused: boolean;
  /** Bytes received and not handed out yet. */
  readonly held: number;
  /** True if next() returns something: a complete message, or a fault. */
  readonly ready: boolean;
  /** Sends the first bytes, if this side starts. */
  start(): void;
  /** Adds bytes from the socket. They are copied. */
  push(chunk: Uint8Array): void;
  /** Returns the next message; null if more bytes are needed or the stream has a fault. The caller owns the payload. */
  next(): Frame | BadFrame | null;
  /** Sends a message, once keys are agreed. @param command at most 12 ASCII characters @returns bytes on the wire */
  send(command: string, payload: Uint8Array): number;
  /** Wipes keys and cancels pending work after the socket has closed. */
  close(): void;
}
