// What the node thread and the thread of peers' sockets say to each other, and the figures of a connection, which the
// thread writes into shared memory as they change.
import type { Endpoint, PeerConnectionOptions, SocksProxy } from '../peer/peer-connection.js';
import type { TransportType } from '../transport/transport.js';
import { type PackedMessage, packedBytes } from './bundle.js';

/** What the thread is started with. */
export interface ThreadInit {
  readonly magic: Uint8Array;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
  /** Whether there are encrypted connections. */
  readonly encrypts: boolean;
  /** Traffic.buffer */
  readonly traffic: SharedArrayBuffer;
}

/** Of a connection. */
export interface ConnectionEnds {
  readonly connection: number;
  readonly remote: Endpoint;
  readonly bindText: string;
}

/** Messages of one connection, in its order: bundles, long ones by themselves, and what was wrong with others. */
export type Part = Uint8Array | PackedMessage | Fault;
export interface Fault {
  readonly fault: string;
  readonly fatal: boolean;
}
export interface Delivery {
  readonly connection: number;
  readonly parts: readonly Part[];
  /** Bytes since the last one that made no message: decoys, wrong checksums. */
  readonly skipped: number;
}

export type ToNode =
  | { readonly kind: 'listening'; readonly id: number; readonly port: number }
  | { readonly kind: 'opened'; readonly id: number; readonly ends: ConnectionEnds }
  | { readonly kind: 'failed'; readonly id: number; readonly text: string; readonly code: string | undefined }
  | { readonly kind: 'incoming'; readonly listener: number; readonly ends: ConnectionEnds }
  | { readonly kind: 'spoke'; readonly connection: number; readonly type: TransportType; readonly sessionId: Uint8Array | null }
  | { readonly kind: 'came'; readonly deliveries: readonly Delivery[] }
  /** There is room to send again. */
  | { readonly kind: 'room'; readonly connection: number }
  /** The peer doesn't read what it is sent, and was given up. */
  | { readonly kind: 'unread'; readonly connection: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'warning'; readonly text: string }
  /** It is up, or gives a sign of life. */
  | { readonly kind: 'alive' };

export type ToThread =
  | { readonly kind: 'listen'; readonly id: number; readonly at: Endpoint }
  | { readonly kind: 'open'; readonly id: number; readonly where: Endpoint; readonly proxy: SocksProxy | null; readonly timeoutMs: number }
  | { readonly kind: 'begin'; readonly connection: number; readonly options: PeerConnectionOptions; readonly figures: SharedArrayBuffer }
  | { readonly kind: 'send'; readonly bundle: Uint8Array }
  /** What these were given is handled: more may come. */
  | { readonly kind: 'more'; readonly connections: readonly number[] }
  | { readonly kind: 'close'; readonly connection: number }
  | { readonly kind: 'alive' }
  | { readonly kind: 'end' };

/** Bytes of a connection's messages that the node thread may have unhandled; and one message at least. */
export const WINDOW_BYTES = 256 << 10;
/**
 * Bytes that may be on their way to the thread for one connection, and one message at least: what is handed over is
 * handled for all connections in turn.
 */
export const POSTED_BYTES = 32 << 10;
/** What a message on its way to the thread counts for besides its payload. */
const POSTED_OVERHEAD = 64;

/** What a message counts for on its way to the thread. @param length bytes of its payload */
export const postedWeight = (length: number): number => POSTED_OVERHEAD + length;

/** What a fault counts for. */
const FAULT_BYTES = 256;

/** What a message or fault counts for until it is handled. */
export const weightOf = (part: PackedMessage | Fault): number => ('fault' in part ? FAULT_BYTES : packedBytes(part));

/** Counters that wrap, and flags. */
const WORD = { handled: 0, taken: 1, waits: 2, wantsRoom: 3 } as const;
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

/** What the thread tells of a connection. */
export type FigureValues = Readonly<Record<keyof typeof FIGURE, number>>;

/**
 * Shared figures of a connection; each has one writer. Where one side changes a figure and then looks at a flag, and
 * the other sets the flag and then looks at the figure, one of them sees what the other did: atomic operations keep
 * their order.
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

  /** Bytes that the node thread has handled; it writes. */
  get handled(): number {
    return Atomics.load(this.#words, WORD.handled);
  }
  addHandled(bytes: number): void {
    Atomics.add(this.#words, WORD.handled, bytes);
  }
  /** Weight of the messages that came to the socket's queue; the thread writes. */
  get taken(): number {
    return Atomics.load(this.#words, WORD.taken);
  }
  addTaken(bytes: number): void {
    Atomics.add(this.#words, WORD.taken, bytes);
  }

  /** The thread has more than it may hand over. */
  setWaits(waits: boolean): void {
    Atomics.store(this.#words, WORD.waits, Number(waits));
  }
  /** Whether the thread waits to be told that it may hand over more; it does not any more. */
  takeWaits(): boolean {
    return Atomics.load(this.#words, WORD.waits) === 1 && Atomics.exchange(this.#words, WORD.waits, 0) === 1;
  }
  /** The node thread holds something back because too much waits to be sent. */
  setWantsDrain(wants: boolean): void {
    Atomics.store(this.#words, WORD.wantsRoom, Number(wants));
  }
  /** Whether it does. What was told before is seen by a node thread that begins to hold back after this. */
  get wantsDrain(): boolean {
    return Atomics.or(this.#words, WORD.wantsRoom, 0) === 1;
  }

  writeFigures(told: FigureValues): void {
    for (const name of NAMES) this.#values[FIGURE[name]] = told[name];
  }
  readFigure(name: keyof typeof FIGURE): number {
    return this.#values[FIGURE[name]] as number;
  }
}

const NAMES = Object.keys(FIGURE) as (keyof typeof FIGURE)[];

/** Bytes between two counters that wrap. */
export const between = (later: number, earlier: number): number => (later - earlier) | 0;

/** A monotonic time that means the same on every thread, ms. */
export const commonMs = (ms: number): number => performance.timeOrigin + ms;
