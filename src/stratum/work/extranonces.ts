// Gives each connection its extranonce1, so that no two miners of the same address search the same headers.
//
//   1 byte: number of the front (0: the node itself) | 3 bytes: counter that starts at a random salt
const COUNTERS = 1 << 24;

export class Extranonces {
  readonly #front: number;
  readonly #used = new Set<number>();
  #next: number;

  /** @param front 0 to 255 @param salt any number; a random one makes ids of an earlier run unlikely to return */
  constructor(front: number, salt: number) {
    this.#front = front;
    this.#next = salt & (COUNTERS - 1);
  }

  /** Allocates an extranonce1. @returns four bytes; null if all are in use */
  allocate(): Uint8Array | null {
    if (this.#used.size >= COUNTERS) return null;
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) & (COUNTERS - 1);
    const counter = this.#next;
    this.#used.add(counter);
    this.#next = (counter + 1) & (COUNTERS - 1);
    return Uint8Array.of(this.#front, counter >>> 16, (counter >>> 8) & 0xff, counter & 0xff);
  }

  /** Returns the extranonce1 of a closed connection to the free ones. It is allocated again after all others. */
  release(extranonce1: Uint8Array): void {
    this.#used.delete((extranonce1[1] << 16) | (extranonce1[2] << 8) | extranonce1[3]);
  }
}
