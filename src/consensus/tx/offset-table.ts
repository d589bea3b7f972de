// A growing list of 32-bit positions, shared by all transactions of a block so that parsing creates few objects.

/** Positions of a single transaction that is being parsed. Parsing never yields, so there is one at a time. */
const scratch = new Uint32Array(1024);

/** Append-only positions; `data` may be longer than `length` until trimmed. */
export class OffsetTable {
  data: Uint32Array;
  length = 0;

  /** @param capacity default: use the shared memory, which the next such table overwrites; trim this table before */
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

  /** Releases unused capacity if it is large. Up to 16 positions are then in V8's heap. */
  trim(): void {
    if (this.data === scratch || this.data.length > this.length * 1.25 + 16) this.data = this.data.slice(0, this.length);
  }
}
