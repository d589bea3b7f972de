// Messages between the node thread and the peers' thread, and the figures of a connection, which the peers' thread
// writes into shared memory as they change.
import type { Endpoint, PeerConnectionOptions, SocksProxy } from '../peer/peer-connection.js';
import type { TransportType } from '../transport/transport.js';
import { type PackedMessage, packedBytes } from './bundle.js';

/** Start data of the peers' thread. */
export interface ThreadInit {
  readonly magic: Uint8Array;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
  /** True if encrypted connections are possible. */
  readonly encrypts: boolean;
  readonly traffic: SharedArrayBuffer;
}

/** Identity of a connection. */
export interface ConnectionEnds {
  readonly connection: number;
  readonly remote: Endpoint;
  readonly bindText: string;
}

/** Part of a connection's input, in order: a bundle, a long message, or a fault. */
export type Part = Uint8Array | PackedMessage | Fault;
export interface Fault {
  readonly fault: string;
  readonly fatal: boolean;
}
export interface Delivery {
  readonly connection: number;
  readonly parts: readonly Part[];
  /** Bytes since the last delivery that made no message: decoys, wrong checksums. */
  readonly skipped: number;
}

export type ToNode =
  | { readonly kind: 'listening'; readonly id: number; readonly port: number }
  | { readonly kind: 'opened'; readonly id: number; readonly ends: ConnectionEnds }
  | { readonly kind: 'failed'; readonly id: number; readonly text: string; readonly code: string | undefined }
  | { readonly kind: 'incoming'; readonly listener: number; readonly ends: ConnectionEnds }
  /** The peer's first bytes showed its transport. */
  | { readonly kind: 'transport'; readonly connection: number; readonly type: TransportType; readonly sessionId: Uint8Array | null }
  | { readonly kind: 'messages'; readonly deliveries: readonly Delivery[] }
  /** The send queue has drained. */
  | { readonly kind: 'drained'; readonly connection: number }
  /** The peer did not read and was disconnected. */
  | { readonly kind: 'unread'; readonly connection: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'warning'; readonly text: string }
  /** The thread has started, or answers a check. */
  | { readonly kind: 'alive' };

export type ToThread =
  | { readonly kind: 'listen'; readonly id: number; readonly at: Endpoint }
  | { readonly kind: 'open'; readonly id: number; readonly where: Endpoint; readonly proxy: SocksProxy | null; readonly timeoutMs: number }
  | { readonly kind: 'begin'; readonly connection: number; readonly options: PeerConnectionOptions; readonly figures: SharedArrayBuffer }
  | { readonly kind: 'send'; readonly bundle: Uint8Array }
  /** Input of these connections was handled: more may be delivered. The memory of some payloads may be used again. */
  | { readonly kind: 'more'; readonly connections: readonly number[]; readonly spares: readonly ArrayBuffer[] }
  | { readonly kind: 'close'; readonly connection: number }
  | { readonly kind: 'alive' }
  | { readonly kind: 'end' };

/** Maximum number of unhandled bytes of a connection on the node thread (and at least one message). */
export const WINDOW_BYTES = 256 << 10;
/**
 * Maximum number of bytes in transit to the peers' thread for one connection (and at least one message), so that all
 * connections are served in turn.
 */
export const POSTED_BYTES = 32 << 10;
/** Payloads of this size or more are transferred; shorter ones are copied into a bundle. */
export const LONG_BYTES = 32 << 10;
/** Weight of a message in transit besides its payload. */
const POSTED_OVERHEAD = 64;

/** Returns the weight of a message in transit. @param length bytes of its payload */
export const postedWeight = (length: number): number => POSTED_OVERHEAD + length;

/** Weight of a fault. */
const FAULT_BYTES = 256;

/** Returns the weight of a message or fault until it is handled. */
export const weightOf = (part: PackedMessage | Fault): number => ('fault' in part ? FAULT_BYTES : packedBytes(part));

/** Int32 cells: counters that wrap, and flags. */
const WORD = { handled: 0, taken: 1, waits: 2, wantsDrain: 3 } as const;
const WORDS = 4;
const FIGURE = {
  lastSend: 0,
  lastReceive: 1,
  bytesSent: 2,
  bytesReceived: 3,
  unsent: 4,
  held: 5,
  stuckSince: 6,
  progress: 7,
  whole: 8,
} as const;
const FIGURES = 9;

/** Figures of a connection that the peers' thread writes. */
export type FigureValues = Readonly<Record<keyof typeof FIGURE, number>>;

/**
 * Shared figures of a connection. Each figure has one writer. One side changes a figure and then reads a flag; the
 * other sets the flag and then reads the figure. Atomic operations keep their order, so at least one of them sees the
 * other's change.
 */
export class Figures {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #values: Float64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT + FIGURES * Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, WORDS);
    this.#values = new Float64Array(buffer, WORDS * Int32Array.BYTES_PER_ELEMENT, FIGURES);
  }

  /** Bytes that the node thread has handled; written by the node thread. */
  get handled(): number {
    return Atomics.load(this.#words, WORD.handled);
  }
  addHandled(bytes: number): void {
    Atomics.add(this.#words, WORD.handled, bytes);
  }
  /** Weight of the messages that reached the socket's queue; written by the peers' thread. */
  get taken(): number {
    return Atomics.load(this.#words, WORD.taken);
  }
  addTaken(bytes: number): void {
    Atomics.add(this.#words, WORD.taken, bytes);
  }

  /** Sets whether the peers' thread has more than it may deliver. */
  setWaits(waits: boolean): void {
    Atomics.store(this.#words, WORD.waits, Number(waits));
  }
  /** Returns and clears whether the peers' thread waits for permission to deliver more. */
  takeWaits(): boolean {
    return Atomics.load(this.#words, WORD.waits) === 1 && Atomics.exchange(this.#words, WORD.waits, 0) === 1;
  }
  /** Sets whether the node thread holds messages back because too many bytes of the connection are unsent. */
  setWantsDrain(wants: boolean): void {
    Atomics.store(this.#words, WORD.wantsDrain, Number(wants));
  }
  /** True if the node thread holds messages back. A node thread that starts to do so after this read sees all earlier figures. */
  get wantsDrain(): boolean {
    return Atomics.or(this.#words, WORD.wantsDrain, 0) === 1;
  }

  writeFigures(values: FigureValues): void {
    for (const name of NAMES) this.#values[FIGURE[name]] = values[name];
  }
  readFigure(name: keyof typeof FIGURE): number {
    return this.#values[FIGURE[name]] as number;
  }
}

const NAMES = Object.keys(FIGURE) as (keyof typeof FIGURE)[];

/** Returns the difference of two counters that wrap. */
export const between = (later: number, earlier: number): number => (later - earlier) | 0;

/** Converts a monotonic time of this thread to one that is valid on every thread, ms. */
export const commonMs = (ms: number): number => performance.timeOrigin + ms;
