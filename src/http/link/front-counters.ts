// Counters and gauges of one front in shared memory: the front writes, the node thread reads them for /metrics without asking.

const NAMES = [
  'connectionsOpen',
  'requests',
  'exchangesOpen',
  'waiters',
  'refusedQueueFull',
  'refusedAuth',
  'refusedAddress',
  'evictedReaders',
  'abortedByClient',
  'repliesSliced',
  'callsOnNode',
  'callBytesOnNode',
  'heldBytes',
  'readersCutOff',
  'loopLagMs',
] as const;

const INDEX = Object.fromEntries(NAMES.map((name, i) => [name, i])) as Record<(typeof NAMES)[number], number>;

/** What a front counts. connectionsOpen, exchangesOpen, waiters, callsOnNode, callBytesOnNode and heldBytes go up and down. */
export type FrontCounterName = (typeof NAMES)[number];

/** The figures by name. */
export type FrontFigures = Record<FrontCounterName, number>;

/** A view of a front's counters. */
export class FrontCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(NAMES.length * 8)) {
    this.buffer = buffer;
    this.#words = new Float64Array(buffer);
  }

  /** Adds to a counter; only the owning front does. */
  add(name: FrontCounterName, amount = 1): void {
    this.#words[INDEX[name]] += amount;
  }

  /** Sets a gauge. */
  set(name: FrontCounterName, value: number): void {
    this.#words[INDEX[name]] = value;
  }

  get(name: FrontCounterName): number {
    return this.#words[INDEX[name]];
  }

  read(): FrontFigures {
    return Object.fromEntries(NAMES.map((name, i) => [name, this.#words[i]])) as FrontFigures;
  }
}
