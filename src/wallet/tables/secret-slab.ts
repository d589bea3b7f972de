// Stores private keys (plain or encrypted) in one block of memory, which is overwritten when it grows, is replaced or
// is no longer used. Separate arrays would stay readable in the heap until the garbage collector frees them and their
// memory is used again.
import type { TableImage } from '../image/table-image.js';

const FIRST_BYTES = 1024;
const FIRST_SECRETS = 64;

export class SecretSlab {
  #bytes: Uint8Array<ArrayBuffer>;
  #end = 0;
  #starts: Uint32Array<ArrayBuffer>;
  #count = 0;

  /** @param bytes initial size @param secrets initial capacity */
  constructor(bytes = FIRST_BYTES, secrets = FIRST_SECRETS) {
    this.#bytes = new Uint8Array(bytes);
    this.#starts = new Uint32Array(secrets + 1);
  }

  /** Copies a secret. @returns its number */
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
  /** Returns a view that the next addition may wipe. Use it immediately and never store it. */
  get(id: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[id], this.#starts[id + 1]);
  }
  /** Saves the slab to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.#end = at.number(this.#end);
    this.#count = at.number(this.#count);
    this.#bytes = at.secret(this.#bytes, this.#end);
    this.#starts = at.column(this.#starts, this.#count + 1);
  }
  /** Overwrites all secrets and removes them. */
  wipe(): void {
    this.#bytes.fill(0);
    this.#end = 0;
    this.#count = 0;
  }
}
