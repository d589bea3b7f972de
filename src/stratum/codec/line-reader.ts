// Splits the bytes of a socket into lines.

/** Longest line without its end. Real requests stay below 1 KiB. */
export const MAX_LINE_BYTES = 8192;
const LF = 0x0a;
const CR = 0x0d;

export class LineReader {
  /** Beginning of an incomplete line; null if there is none, so that silent miners use no memory. */
  #held: Uint8Array | null = null;
  #heldBytes = 0;

  /**
   * Calls `onLine` with each complete line, without LF and CR, until it returns false.
   * @returns false if a line is longer than MAX_LINE_BYTES
   */
  push(chunk: Uint8Array, onLine: (line: Uint8Array) => boolean): boolean {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) return this.#hold(chunk.subarray(start));
      let line = chunk.subarray(start, end);
      start = end + 1;
      if (this.#held !== null) {
        if (!this.#hold(line)) return false;
        line = this.#held.subarray(0, this.#heldBytes);
        this.#held = null;
        this.#heldBytes = 0;
      }
      if (line.length > 0 && line[line.length - 1] === CR) line = line.subarray(0, -1);
      if (line.length > MAX_LINE_BYTES) return false;
      if (!onLine(line)) return true;
    }
  }

  /** Number of bytes in the incomplete line. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Appends to the incomplete line. The limit includes one byte for the CR. @returns false if the line is too long */
  #hold(piece: Uint8Array): boolean {
    const length = this.#heldBytes + piece.length;
    if (length > MAX_LINE_BYTES + 1) return false;
    if (length === 0) return true;
    if (this.#held === null || this.#held.length < length) {
      const grown = new Uint8Array(Math.min(MAX_LINE_BYTES + 1, Math.max(length, this.#heldBytes * 2)));
      if (this.#held !== null) grown.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = grown;
    }
    this.#held.set(piece, this.#heldBytes);
    this.#heldBytes = length;
    return true;
  }
}
