// Large bytes in pieces below the broker's limit, and back. Used by both ends for calls, replies and found blocks.

/** Room for the members around the bytes, and for the broker's headers. */
const AROUND_BYTES = 8 * 1024;
/** Smaller pieces let small messages pass between them; larger ones would gain nothing. */
const MOST_PIECE_BYTES = 256 * 1024;
/** What a piece costs besides its bytes: empty ones are bounded too. */
const PIECE_COST_BYTES = 256;

/** Bytes of a piece at a broker that takes messages of so many bytes. */
export function pieceBytes(maxPayload: number): number {
  return Math.max(1024, Math.min(MOST_PIECE_BYTES, maxPayload - AROUND_BYTES));
}

/** The pieces, one at least. */
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
   * Takes a piece, and a copy of its bytes if it is not the only one.
   * @returns the whole when it is complete, null before, false when it can't be: a piece is missing, or there is no
   * room
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

  /** Forgets what has come of it. */
  drop(id: string): void {
    const parts = this.#open.get(id);
    if (!parts) return;
    this.#open.delete(id);
    this.#bytes -= parts.costBytes;
  }
}
