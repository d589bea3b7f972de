// Bytes that connections hold, all of them together: what came and is not handled yet, and what is to go out and was
// not taken. Each peer has its own bounds; this one keeps many peers that all go up to theirs from adding up to
// gigabytes.

/** Bytes held for all peers in one direction before those that hold most have to give way. */
const ENOUGH_BYTES = 64 << 20;
/** What a peer may hold whatever the others do: a large message of the usual kinds. */
export const FAIR_BYTES = 256 << 10;

/** Cells of one thread. */
const CELL = { incoming: 0, outgoing: 1, sent: 2, received: 3, lent: 4, posted: 5 } as const;
const CELLS = 6;
/** The thread that decides, and the one that has the sockets, if that is another. */
const THREADS = 2;

/** Totals of all connections. Each thread writes cells of its own, and reads those of both. */
export class Traffic {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;
  readonly #own: number;
  readonly #enough: number;

  /** @param buffer that of the other thread's totals; absent: there are none yet @param enough bytes held in one direction */
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
  /** Bytes on their way from the thread that has the sockets, until they are handled: less by `-bytes` then. */
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
  /** Bytes on their way to the thread that has the sockets: less by `-bytes` when it has them. */
  addPosted(bytes: number): void {
    this.#cells[this.#own + CELL.posted] += bytes;
  }
  /** Bytes that went to sockets and came from them since the start. */
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

  /** The other thread is gone, and with it all that it held and what was on its way. */
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
