// A growing list of 32-bit positions, shared by all transactions of one block so that parsing makes few objects.
// Used by tx-view.ts and block-view.ts only.

/** Positions of the single transaction that is read; reading never pauses, so it is one at a time. */
const scratch = new Uint32Array(1024);

/** Append-only positions; `data` may be longer than `length` until trimmed. */
export class OffsetTable {
  data: Uint32Array;
  length = 0;

  /** @param capacity absent: in memory that the next such table overwrites, so this one is trimmed before then */
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

  /** Gives back what growing reserved, when that is much. Up to 16 positions then lie in the collector's own memory. */
  trim(): void {
    if (this.data === scratch || this.data.length > this.length * 1.25 + 16) this.data = this.data.slice(0, this.length);
  }
}
