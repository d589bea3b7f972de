// Private keys as they rest, one after another in one block of memory that is overwritten when it is left: on growing,
// on being replaced and at the end. Arrays of their own would stay behind in the heap for as long as the collector
// likes.
import type { TableImage } from '../image/table-image.js';

const FIRST_BYTES = 1024;
const FIRST_SECRETS = 64;

export class SecretSlab {
  #bytes: Uint8Array<ArrayBuffer>;
  #end = 0;
  #starts: Uint32Array<ArrayBuffer>;
  #count = 0;

  /** @param bytes of memory to begin with @param secrets that have room to begin with */
  constructor(bytes = FIRST_BYTES, secrets = FIRST_SECRETS) {
    this.#bytes = new Uint8Array(bytes);
    this.#starts = new Uint32Array(secrets + 1);
  }

  /** Copies a secret. @returns the number to get it back by */
  add(secret: Uint8Array): number {
    if (this.#end + secret.length > this.#bytes.length) {
      const old = this.#bytes;
      this.#bytes = new Uint8Array(Math.max(old.length * 2, this.#end + secret.length));
      this.#bytes.set(old);
      old.fill(0);
    }
    if (this.#count + 1 >= this.#starts.length) {
      const starts = new Uint32Array(this.#starts.length * 2);
      starts.set(this.#starts);
      this.#starts = starts;
    }
    this.#bytes.set(secret, this.#end);
    this.#starts[this.#count] = this.#end;
    this.#end += secret.length;
    this.#starts[this.#count + 1] = this.#end;
    return this.#count++;
  }
  /** A view that the next addition may leave behind wiped: to be used at once, never kept. */
  get(id: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[id], this.#starts[id + 1]);
  }
  /** Writes the slab down or takes it from what was written. */
  transferImage(at: TableImage): void {
    this.#end = at.number(this.#end);
    this.#count = at.number(this.#count);
    this.#bytes = at.secret(this.#bytes, this.#end);
    this.#starts = at.column(this.#starts, this.#count + 1);
  }
  /** Overwrites and forgets everything. */
  wipe(): void {
    this.#bytes.fill(0);
    this.#end = 0;
    this.#count = 0;
  }
}
