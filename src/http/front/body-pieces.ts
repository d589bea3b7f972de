// Assembles a body that arrives in pieces, within limits.

/** Functions of the front that a body needs. */
export interface PiecesOwner {
  /**
   * Reserves memory for a body.
   * @param submits whether the user may submit blocks
   * @returns false if the quota is used up
   */
  reserve(sizeBytes: number, submits: boolean): boolean;
  /** Returns whether a body that begins with these bytes may contain secrets. */
  maySecret(first: Uint8Array): boolean;
}

/**
 * Result of adding a piece. 413: the body is larger than the limit. 500: there is no memory for it. Each of these is
 * returned once, and 'refused' for every further piece.
 */
export type PieceTaken = 'taken' | 413 | 500 | 'refused';

/** Up to this Content-Length, memory is reserved for the whole body at once. */
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
  /** True to overwrite the source of each piece, because the body may contain secrets. */
  #overwrites = false;

  /** @param declared Content-Length of the body; -1 if there was none @param submits see PiecesOwner.reserve */
  constructor(limit: number, declared: number, owner: PiecesOwner, submits = false) {
    this.#limit = limit;
    this.#declared = declared;
    this.#owner = owner;
    this.#submits = submits;
  }

  /** Bytes that were reserved; the owner releases them. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Adds the next piece. The caller may overwrite its bytes afterwards. */
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

  /** Returns the whole body, in an array of exactly its size. */
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

  // Returns the declared length if it is at most TRUSTED_BYTES, or if the doubled capacity would exceed it. Otherwise
  // doubles the capacity, so that a large Content-Length alone reserves no memory.
  #capacity(old: number, needed: number): number {
    const doubled = Math.max(needed, old * 2, FIRST_BYTES);
    return this.#declared >= needed && (this.#declared <= TRUSTED_BYTES || doubled > this.#declared) ? this.#declared : doubled;
  }
}
