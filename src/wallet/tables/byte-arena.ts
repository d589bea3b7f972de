// Stores byte strings one after another in one growing array, addressed by number. Used for scripts and keys that rows
// refer to.
import type { TableImage } from '../image/table-image.js';
import { grown } from './byte-table.js';

export class ByteArena {
  #bytes = new Uint8Array(1024);
  #end = 0;
  #starts = new Float64Array(32);
  #count = 0;

  /** Adds a byte string. @returns its number */
  add(value: Uint8Array): number {
    const id = this.#count++;
    this.#starts = grown(this.#starts, id + 1);
    this.#bytes = grown(this.#bytes, this.#end + value.length);
    this.#bytes.set(value, this.#end);
    this.#starts[id] = this.#end;
    this.#end += value.length;
    this.#starts[id + 1] = this.#end;
    return id;
  }
  /** Returns a view. Later additions may move the data, but the bytes of the view stay valid. */
  get(id: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[id], this.#starts[id + 1]);
  }
  /** Overwrites every byte with zeros. */
  wipe(): void {
    this.#bytes.fill(0);
  }
  /** Saves the arena to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.#end = at.number(this.#end);
    this.#count = at.number(this.#count);
    this.#bytes = at.column(this.#bytes, this.#end);
    this.#starts = at.column(this.#starts, this.#count + 1);
  }
  get usedBytes(): number {
    return this.#bytes.byteLength + this.#starts.byteLength;
  }
}
