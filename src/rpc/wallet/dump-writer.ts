// Writes a dump of private keys: bytes in one block of memory, which is overwritten after each write and when the dump
// is abandoned. No string ever contains a key.
import type fs from 'node:fs/promises';
import { TimeSlice } from '../../lib/time-slice.js';

/** Bytes per write. */
const PORTION = 65_536;
const LINE_FEED = 0x0a;

export class DumpWriter {
  #bytes = new Uint8Array(PORTION);
  #end = 0;
  readonly #slice = new TimeSlice();
  readonly #file: Pick<fs.FileHandle, 'writeFile'>;

  constructor(file: Pick<fs.FileHandle, 'writeFile'>) {
    this.#file = file;
  }

  /** Adds a line. @param parts strings as they are; byte arrays are private keys as ASCII and are overwritten */
  writeLine(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) {
      if (typeof part === 'string') this.#add(Buffer.from(part));
      else {
        this.#add(part);
        part.fill(0);
      }
    }
    this.#add(Uint8Array.of(LINE_FEED));
  }
  /** Writes the buffer if it is half full or if it is time to pause, and pauses in the latter case. */
  async flushWhenDue(): Promise<void> {
    if (this.#slice.over) await this.#slice.next();
    else if (this.#end < PORTION / 2) return;
    await this.flush();
  }
  /** Writes the buffer, and overwrites it. */
  async flush(): Promise<void> {
    try {
      if (this.#end > 0) await this.#file.writeFile(this.#bytes.subarray(0, this.#end));
    } finally {
      this.wipe();
    }
  }
  /** Overwrites the buffer without writing it. */
  wipe(): void {
    this.#bytes.fill(0, 0, this.#end);
    this.#end = 0;
  }

  #add(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#bytes.length) {
      const old = this.#bytes;
      this.#bytes = new Uint8Array(Math.max(old.length * 2, this.#end + bytes.length));
      this.#bytes.set(old);
      old.fill(0);
    }
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }
}
