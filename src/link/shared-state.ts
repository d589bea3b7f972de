// The few numbers that every thread must see at once, in one SharedArrayBuffer: the node thread writes, all read. The
// epoch is raised after a new tip's facts were posted to every front; a front that sees an epoch it has no facts for
// drains its port before it answers (read your own writes across fronts).
//
//   int32 slot  0 epoch · 1 mempool counter · 2 flags · 3 connections · 10 changes
//   int64 slot  2 mock seconds · 3 start, unix ms · 4 clock, ms

const EPOCH = 0;
const COUNTER = 1;
const FLAGS = 2;
const CONNECTIONS = 3;
const MOCK_SECONDS = 2;
const STARTED_MS = 3;
const CLOCK_MS = 4;
const CHANGES = 10;
const SIZE_BYTES = 48;

/** Seconds in a moment: the rest of 53 bits beside the count of changes. */
const MOMENT_SECONDS = 1 << 20;

/** Bits of the flags word. */
export const STATE_FLAG = {
  /** The server stops: parked polls answer -9, new requests 503. */
  SHUTTING_DOWN: 1,
  INITIAL_BLOCK_DOWNLOAD: 2,
  /** Any chain but main: templates are given without peers and during initial download. */
  TEST_CHAIN: 4,
  /** There is a peer-to-peer side. */
  NETWORK: 8,
  /** Requests are told to the log: the category http. */
  LOG_HTTP: 16,
  /** Calls are told to the log: the category rpc. */
  LOG_RPC: 32,
  /** The start is over: calls are answered. On for every front at once, after all that they were told before. */
  STARTED: 64,
} as const;

/** A view of the shared numbers; cheap to make on any thread from the same buffer. */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #longs: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SIZE_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#longs = new BigInt64Array(buffer);
  }

  /** Number of tip changes published so far, wrapping at 32 bits. */
  get epoch(): number {
    return Atomics.load(this.#words, EPOCH);
  }

  /** Makes published facts binding for every front. Returns the new epoch. */
  raiseEpoch(): number {
    return (Atomics.add(this.#words, EPOCH, 1) + 1) | 0;
  }

  /** Transactions-updated counter of the mempool, 32 bits unsigned. */
  get mempoolCounter(): number {
    return Atomics.load(this.#words, COUNTER) >>> 0;
  }

  set mempoolCounter(value: number) {
    Atomics.store(this.#words, COUNTER, value | 0);
  }

  /** Peers connected, in any state of the handshake. */
  get connections(): number {
    return Atomics.load(this.#words, CONNECTIONS);
  }

  set connections(value: number) {
    Atomics.store(this.#words, CONNECTIONS, value);
  }

  /**
   * Something that replies tell of may have changed. In the same turn of the loop as the change, so that nothing that is
   * acknowledged is older than its moment.
   */
  noteChange(): void {
    Atomics.add(this.#words, CHANGES, 1);
  }

  /** Another number after every change that was noted, and in every second; 0 where none is: on another machine. */
  get stateVersion(): number {
    const changes = Atomics.load(this.#words, CHANGES) >>> 0;
    return changes === 0 ? 0 : changes * MOMENT_SECONDS + (Math.floor(Date.now() / 1000) % MOMENT_SECONDS);
  }

  /** Whether a STATE_FLAG is on. */
  has(flag: number): boolean {
    return (Atomics.load(this.#words, FLAGS) & flag) !== 0;
  }

  /** Turns a STATE_FLAG on or off. */
  set(flag: number, on: boolean): void {
    if (on) Atomics.or(this.#words, FLAGS, flag);
    else Atomics.and(this.#words, FLAGS, ~flag);
  }

  /** Mock time in seconds since 1970; 0 when the real clock runs. */
  get mockSeconds(): number {
    return Number(Atomics.load(this.#longs, MOCK_SECONDS));
  }

  set mockSeconds(seconds: number) {
    Atomics.store(this.#longs, MOCK_SECONDS, BigInt(seconds));
  }

  /** Start of the process, milliseconds since 1970. */
  get startedMs(): number {
    return Number(Atomics.load(this.#longs, STARTED_MS));
  }

  set startedMs(ms: number) {
    Atomics.store(this.#longs, STARTED_MS, BigInt(ms));
  }

  /**
   * Milliseconds by which the node's clock is ahead of this machine's: on fronts of another machine than their node's.
   */
  get clockOffsetMs(): number {
    return Number(Atomics.load(this.#longs, CLOCK_MS));
  }

  set clockOffsetMs(ms: number) {
    Atomics.store(this.#longs, CLOCK_MS, BigInt(Math.round(ms)));
  }

  /** Seconds since 1970 as policy and templates see them. */
  nowSeconds(): number {
    return this.mockSeconds || Math.floor((Date.now() + this.clockOffsetMs) / 1000);
  }
}
