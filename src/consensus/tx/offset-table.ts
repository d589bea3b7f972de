// A growing list of 32-bit positions, shared by all transactions of one block so that parsing makes few objects.
// Used by tx-view.ts and block-view.ts only.

/** Append-only positions; `data` may be longer than `length` until trimmed. */
export class OffsetTable {
  data: Uint32Array;
  length = 0;

  constructor(capacity: number) {
    this.data = new Uint32Array(capacity);
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

  /** Gives back what growing reserved, when that is much. */
  trim(): void {
    if (this.data.length > this.length * 1.25 + 16) this.data = this.data.slice(0, this.length);
  }
}
