// Bytes that connections hold, all of them together: what came and is not handled yet, and what is to go out and was
// not taken. Each peer has its own bounds; this one keeps many peers that all go up to theirs from adding up to
// gigabytes.

/** Bytes held for all peers in one direction before those that hold most have to give way. */
const ENOUGH_BYTES = 64 << 20;
/** What a peer may hold whatever the others do: a large message of the usual kinds. */
export const FAIR_BYTES = 256 << 10;

export class Traffic {
  /** Bytes received and not handled. */
  incoming = 0;
  /** Bytes to be sent and not taken. */
  outgoing = 0;
  readonly #enough: number;

  constructor(enough: number = ENOUGH_BYTES) {
    this.#enough = enough;
  }

  get incomingFull(): boolean {
    return this.incoming > this.#enough;
  }
  get outgoingFull(): boolean {
    return this.outgoing > this.#enough;
  }
}
