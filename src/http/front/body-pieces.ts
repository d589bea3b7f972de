// A body that comes in pieces, put together within bounds. Used by exchange.ts.

/** Who decides about the bytes of bodies. */
export interface PiecesOwner {
  /** Whether so many more bytes may be held. @param submits of a client that may submit blocks */
  reserve(sizeBytes: number, submits: boolean): boolean;
  /** Whether a body that begins like this may hold secrets. */
  maySecret(first: Uint8Array): boolean;
}

/** What became of a piece: 413, the body is larger than the limit; 500, there is no room for it. Both are said once. */
export type PieceTaken = 'taken' | 413 | 500 | 'refused';

/** A declared length up to here is taken at its word. */
const TRUSTED_BYTES = 1024 * 1024;
const FIRST_BYTES = 16 * 1024;

const EMPTY = new Uint8Array(0);

export class BodyPieces {
  readonly #limit: number;
  readonly #declared: number;
  readonly #owner: PiecesOwner;
  readonly #submits: boolean;
  #buffer = EMPTY;
  #length = 0;
  #reserved = 0;
  #refused = false;
  /** Of a body that may hold secrets nothing is left anywhere else. */
  #overwrites = false;

  /** @param declared length of the body by its head; -1 when there was none @param submits see PiecesOwner.reserve */
  constructor(limit: number, declared: number, owner: PiecesOwner, submits = false) {
    this.#limit = limit;
    this.#declared = declared;
    this.#owner = owner;
    this.#submits = submits;
  }

  /** Bytes held, to be given back to the owner. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Takes the next piece, whose bytes may be gone afterwards. */
  add(bytes: Uint8Array): PieceTaken {
    if (this.#refused) return 'refused';
    const needed = this.#length + bytes.byteLength;
    const held = this.#buffer.byteLength;
    const capacity = needed <= held ? held : this.#capacity(held, needed);
    if (needed > this.#limit || !this.#owner.reserve(capacity - held, this.#submits)) {
      this.#refused = true;
      this.#buffer = EMPTY;
      return needed > this.#limit ? 413 : 500;
    }
    this.#reserved += capacity - held;
    if (capacity > held) {
      if (this.#length === 0) this.#overwrites = this.#owner.maySecret(bytes);
      this.#move(capacity);
    }
    this.#buffer.set(bytes, this.#length);
    if (this.#overwrites) bytes.fill(0);
    this.#length = needed;
    return 'taken';
  }

  /** The body, in an array of exactly its size. */
  whole(): Uint8Array {
    if (this.#length !== this.#buffer.byteLength) this.#move(this.#length);
    return this.#buffer;
  }

  #move(capacity: number): void {
    const old = this.#buffer;
    this.#buffer = new Uint8Array(capacity);
    this.#buffer.set(old.subarray(0, this.#length));
    if (this.#overwrites) old.fill(0);
  }

  // Exact from the start for a declared length of ordinary size; otherwise doubling, so that a length alone reserves
  // nothing.
  #capacity(old: number, needed: number): number {
    const doubled = Math.max(needed, old * 2, FIRST_BYTES);
    return this.#declared >= needed && (this.#declared <= TRUSTED_BYTES || doubled > this.#declared) ? this.#declared : doubled;
  }
}
