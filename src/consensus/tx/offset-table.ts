// A growing list of 32-bit positions. All transactions of a block share one list, so that parsing creates few objects.

/**
 * Memory for the positions of a single transaction while it is being parsed. Parsing is synchronous, so only one
 * transaction uses the memory at a time.
 */
const scratch = new Uint32Array(1024);

/** Append-only list of positions. Before `trim`, `data` may be longer than `length`. */
export class OffsetTable {
  data: Uint32Array;
  length = 0;

  /**
   * Creates a table.
   * @param capacity if absent, the table uses memory that the next such table overwrites; call trim before that
   */
  constructor(capacity?: number) {
    this.data = capacity === undefined ? scratch : new Uint32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Uint32Array(this.length * 2 + 16);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  /** Releases unused capacity if there is much of it. Arrays of up to 16 positions are then in V8's heap. */
  trim(): void {
    if (this.data === scratch || this.data.length > this.length * 1.25 + 16) this.data = this.data.slice(0, this.length);
  }
}
