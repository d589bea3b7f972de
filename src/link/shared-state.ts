// Numbers that every thread must see immediately, in one SharedArrayBuffer. The node thread writes them, all threads
// read them. The node thread posts the facts of a new tip to every front and then increments the epoch. A front that
// sees an epoch for which it has no facts reads its port before it answers, so that a client that has the reply of one
// front gets no older answer from another.
//
//   int32 slot  0 epoch · 1 mempool counter · 2 flags · 3 connections · 10 changes · 11 changes of blocks
//   int64 slot  2 mock seconds · 3 start, unix ms · 4 clock offset, ms

const EPOCH = 0;
const COUNTER = 1;
const FLAGS = 2;
const CONNECTIONS = 3;
const MOCK_SECONDS = 2;
const STARTED_MS = 3;
const CLOCK_MS = 4;
const CHANGES = 10;
const BLOCK_CHANGES = 11;
const SIZE_BYTES = 48;

/**
 * The seconds in a state version wrap at this number, so that the version fits into 53 bits with the count of changes.
 */
const MOMENT_SECONDS = 1 << 20;

/** Bits of the flags word. */
export const STATE_FLAG = {
  /** The server stops: parked long polls are answered with -9, new requests with 503. */
  SHUTTING_DOWN: 1,
  INITIAL_BLOCK_DOWNLOAD: 2,
  /** Any chain but main: templates are given out without peers and during the initial block download. */
  TEST_CHAIN: 4,
  /** The node has peer-to-peer networking. */
  NETWORK: 8,
  /** Requests are logged: the category http is on. */
  LOG_HTTP: 16,
  /** Calls are logged: the category rpc is on. */
  LOG_RPC: 32,
  /** The start has finished: calls are answered. All fronts see this flag at once, after all news posted before. */
  STARTED: 64,
} as const;

/** A view of the shared numbers. Any thread can create one from the same buffer. */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #longs: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SIZE_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#longs = new BigInt64Array(buffer);
  }

  /** Number of tip changes published so far, modulo 2^32. */
  get epoch(): number {
    return Atomics.load(this.#words, EPOCH);
  }

  /** Increments the epoch, so that every front uses the facts that were posted before. @returns the new epoch */
  raiseEpoch(): number {
    return (Atomics.add(this.#words, EPOCH, 1) + 1) | 0;
  }

  /** Number of changes of the mempool (Core's transactions-updated counter), 32 bits unsigned. */
  get mempoolCounter(): number {
    return Atomics.load(this.#words, COUNTER) >>> 0;
  }

  set mempoolCounter(value: number) {
    Atomics.store(this.#words, COUNTER, value | 0);
  }

  /** Number of connected peers, in any state of the handshake. */
  get connections(): number {
    return Atomics.load(this.#words, CONNECTIONS);
  }

  set connections(value: number) {
    Atomics.store(this.#words, CONNECTIONS, value);
  }

  /**
   * Marks that replies may have changed. Call it in the same event-loop tick as the change, before other threads and
   * clients learn of the change, so that no cached reply is older than a reply that has been sent.
   */
  noteChange(): void {
    Atomics.add(this.#words, CHANGES, 1);
  }

  /** Like noteChange(), for a change after which read jobs about stored blocks may differ: of the tip, or by an operator. */
  noteBlockChange(): void {
    Atomics.add(this.#words, BLOCK_CHANGES, 1);
    this.noteChange();
  }

  /** Number of calls of noteBlockChange(), 32 bits unsigned. 0: unknown, because the node is on another machine. */
  get blocksVersion(): number {
    return Atomics.load(this.#words, BLOCK_CHANGES) >>> 0;
  }

  /**
   * Version of the node's state: another number after every noteChange(), and in every second. 0: unknown, because the
   * node is on another machine.
   */
  get stateVersion(): number {
    const changes = Atomics.load(this.#words, CHANGES) >>> 0;
    return changes === 0 ? 0 : changes * MOMENT_SECONDS + (Math.floor(Date.now() / 1000) % MOMENT_SECONDS);
  }

  /** Returns whether a STATE_FLAG is on. */
  has(flag: number): boolean {
    return (Atomics.load(this.#words, FLAGS) & flag) !== 0;
  }

  /** Sets or clears a STATE_FLAG. */
  set(flag: number, on: boolean): void {
    if (on) Atomics.or(this.#words, FLAGS, flag);
    else Atomics.and(this.#words, FLAGS, ~flag);
  }

  /** Mock time in seconds since 1970; 0 while the real clock is used. */
  get mockSeconds(): number {
    return Number(Atomics.load(this.#longs, MOCK_SECONDS));
  }

  set mockSeconds(seconds: number) {
    Atomics.store(this.#longs, MOCK_SECONDS, BigInt(seconds));
  }

  /** Start of the process in milliseconds since 1970. */
  get startedMs(): number {
    return Number(Atomics.load(this.#longs, STARTED_MS));
  }

  set startedMs(ms: number) {
    Atomics.store(this.#longs, STARTED_MS, BigInt(ms));
  }

  /**
   * Milliseconds by which the node's clock is ahead of this machine's clock. 0 in aditd. adit-front sets it, because its
   * node may run on another machine.
   */
  get clockOffsetMs(): number {
    return Number(Atomics.load(this.#longs, CLOCK_MS));
  }

  set clockOffsetMs(ms: number) {
    Atomics.store(this.#longs, CLOCK_MS, BigInt(Math.round(ms)));
  }

  /** Returns the seconds since 1970 for policy and templates: mock time, or the node's clock. */
  nowSeconds(): number {
    return this.mockSeconds || Math.floor((Date.now() + this.clockOffsetMs) / 1000);
  }
}
