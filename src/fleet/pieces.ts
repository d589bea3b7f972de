// Splits large byte arrays into pieces below the broker's message limit, and joins them again.

/** Reserve for the members around the bytes, and for the broker's headers. */
const AROUND_BYTES = 8 * 1024;
/** Pieces are small enough that small messages can pass between them. Larger pieces would gain nothing. */
const MOST_PIECE_BYTES = 256 * 1024;
/** Cost of a piece besides its bytes. It limits the number of empty pieces too. */
const PIECE_COST_BYTES = 256;

/** Returns the size of pieces for a broker. @param maxPayload most bytes of a message that the broker accepts */
export function pieceBytes(maxPayload: number): number {
  return Math.max(1024, Math.min(MOST_PIECE_BYTES, maxPayload - AROUND_BYTES));
}

/** Returns the pieces, at least one. */
export function split(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

interface Parts {
  readonly pieces: Uint8Array[];
  readonly of: number;
  next: number;
  costBytes: number;
}

/**
 * Joins pieces that arrive in order. Skips duplicate pieces. Limits bytes and incomplete items: a new item replaces the
 * oldest one.
 */
export class Joiner {
  readonly #open = new Map<string, Parts>();
  #bytes = 0;
  readonly #mostBytes: number;
  readonly #mostOpen: number;

  constructor(mostBytes: number, mostOpen: number) {
    this.#mostBytes = mostBytes;
    this.#mostOpen = mostOpen;
  }

  /**
   * Adds a piece. Copies its bytes unless it is the only one.
   * @returns all bytes when they are complete, null before, false if they cannot be completed: a piece is missing, or
   * the memory limit is reached
   */
  add(id: string, { at, of, bytes }: { readonly at: number; readonly of: number; readonly bytes: Uint8Array }): Uint8Array | null | false {
    if (of === 1) return bytes;
    let parts = this.#open.get(id);
    if (!parts) {
      if (at !== 0) return false;
      if (this.#open.size >= this.#mostOpen) this.drop(this.#open.keys().next().value as string);
      parts = { pieces: [], of, next: 0, costBytes: 0 };
      this.#open.set(id, parts);
    }
    // A sender that failed half-way sends all pieces again. The broker drops only some of the duplicates.
    if (at < parts.next && of === parts.of) return null;
    const cost = bytes.length + PIECE_COST_BYTES;
    if (at !== parts.next || of !== parts.of || this.#bytes + cost > this.#mostBytes) {
      this.drop(id);
      return false;
    }
    parts.pieces.push(new Uint8Array(bytes));
    parts.next++;
    parts.costBytes += cost;
    this.#bytes += cost;
    if (parts.next < of) return null;
    this.drop(id);
    return new Uint8Array(Buffer.concat(parts.pieces));
  }

  /** Drops the pieces of an item. */
  drop(id: string): void {
    const parts = this.#open.get(id);
    if (!parts) return;
    this.#open.delete(id);
    this.#bytes -= parts.costBytes;
  }
}
