// Total bytes in memory for all connections: received bytes that the node has not handled, and sent bytes that the peers
// have not read. Each peer has its own limits. Without limits on the totals, many peers at their own limits could use
// gigabytes.

/** Total bytes in one direction above which the peers that use the most are restricted or disconnected. */
const ENOUGH_BYTES = 64 << 20;
/** Number of bytes that a peer may hold even while memory is short, enough for a large message of the usual kinds. */
export const FAIR_BYTES = 256 << 10;

/** Index of each counter among the counters of one thread. */
const CELL = { incoming: 0, outgoing: 1, sent: 2, received: 3, lent: 4, posted: 5 } as const;
const CELLS = 6;
/** The node thread, and the peers' thread if there is one. */
const THREADS = 2;

/** Totals of all connections. Each thread writes its own cells and reads those of both. */
export class Traffic {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;
  readonly #own: number;
  readonly #enough: number;

  /** @param buffer totals of the other thread; null: creates new ones @param enough limit of one direction, bytes */
  constructor(buffer: SharedArrayBuffer | null = null, enough: number = ENOUGH_BYTES) {
    this.buffer = buffer ?? new SharedArrayBuffer(THREADS * CELLS * Float64Array.BYTES_PER_ELEMENT);
    this.#cells = new Float64Array(this.buffer);
    this.#own = buffer === null ? 0 : CELLS;
    this.#enough = enough;
  }

  /** Bytes received and not handled. */
  get incoming(): number {
    return this.#total(CELL.incoming) + this.#total(CELL.lent);
  }
  addIncoming(bytes: number): void {
    this.#cells[this.#own + CELL.incoming] += bytes;
  }
  /** Adds bytes that are in transit from the peers' thread to the node thread; negative when they are handled. */
  addHandedOver(bytes: number): void {
    this.#cells[this.#own + CELL.lent] += bytes;
  }
  /** Bytes to be sent and not taken. */
  get outgoing(): number {
    return this.#total(CELL.outgoing) + this.#total(CELL.posted);
  }
  addOutgoing(bytes: number): void {
    this.#cells[this.#own + CELL.outgoing] += bytes;
  }
  /** Adds bytes that are in transit to the peers' thread; negative when they arrive. */
  addPosted(bytes: number): void {
    this.#cells[this.#own + CELL.posted] += bytes;
  }
  /** Bytes sent to and received from sockets since the start. */
  get sent(): number {
    return this.#total(CELL.sent);
  }
  addSent(bytes: number): void {
    this.#cells[this.#own + CELL.sent] += bytes;
  }
  get received(): number {
    return this.#total(CELL.received);
  }
  addReceived(bytes: number): void {
    this.#cells[this.#own + CELL.received] += bytes;
  }

  /** Clears the cells of the other thread, which has ended with everything in transit. */
  forgetOther(): void {
    const other = CELLS - this.#own;
    for (const cell of [CELL.lent, CELL.posted]) this.#cells[this.#own + cell] = -(this.#cells[other + cell] as number);
    this.#cells[other + CELL.incoming] = 0;
    this.#cells[other + CELL.outgoing] = 0;
  }

  #total(cell: number): number {
    return (this.#cells[cell] as number) + (this.#cells[CELLS + cell] as number);
  }

  get incomingFull(): boolean {
    return this.incoming > this.#enough;
  }
  get outgoingFull(): boolean {
    return this.outgoing > this.#enough;
  }
}
