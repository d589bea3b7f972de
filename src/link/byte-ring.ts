// Passes frames of bytes from one thread to another through shared memory: a call and its reply then cost two copies
// and no message. A reader that finds its ring empty marks itself as asleep. Only then must the writer wake it; how is
// up to the ring's owner. Read frames are overwritten, so that no key or passphrase stays in memory.
//
// int32 slot  0 head · 1 tail · 2 reader sleeps · 3 urgent · 4 frames written · 5 frames read      from byte 64: the frames
// frame       int32 number of words of its payload, then the payload; -1: the next frame is at the start of the ring
//
// head and tail are positions in words. They only grow, modulo 2^32.

const HEAD = 0;
const TAIL = 1;
const ASLEEP = 2;
const URGENT = 3;
const WRITTEN = 4;
const READ = 5;
const CONTROL_BYTES = 64;
const WRAP = -1;

/** Allocates shared memory for a ring. @param sizeBytes capacity for frames, a power of two */
export function newRing(sizeBytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(CONTROL_BYTES + sizeBytes);
  // The reader counts as asleep at first, so that the first frame wakes it.
  new Int32Array(buffer)[ASLEEP] = 1;
  return buffer;
}

/** State of both ends: the memory of the frames, as words and as bytes. */
class RingEnd {
  protected readonly control: Int32Array;
  protected readonly mask: number;
  readonly words: Int32Array;
  readonly bytes: Buffer;

  constructor(buffer: SharedArrayBuffer) {
    const size = buffer.byteLength - CONTROL_BYTES;
    this.control = new Int32Array(buffer, 0, CONTROL_BYTES / 4);
    this.words = new Int32Array(buffer, CONTROL_BYTES);
    this.bytes = Buffer.from(buffer, CONTROL_BYTES, size);
    this.mask = size / 4 - 1;
  }

  /** Number of frames that were written and not read yet. For statistics. */
  get waiting(): number {
    return (Atomics.load(this.control, WRITTEN) - Atomics.load(this.control, READ)) | 0;
  }

  /** Number of times that the writer called signalUrgent(). */
  get urgent(): number {
    return Atomics.load(this.control, URGENT);
  }
}

/** The end of a ring for the one thread that writes. */
export class RingWriter extends RingEnd {
  #head = 0;
  #begun = 0;

  /**
   * Reserves space for a frame.
   * @param size largest number of words of its payload
   * @returns index of the payload's first word in `words`, or -1 if the ring has no space. Then write the payload and
   *   call commit(), or call reserveFrame() again.
   */
  reserveFrame(size: number): number {
    const { mask } = this;
    const need = size + 1;
    const free = mask + 1 - ((this.#head - Atomics.load(this.control, TAIL)) | 0);
    const at = this.#head & mask;
    const left = mask + 1 - at;
    if (need <= left) {
      if (need > free) return -1;
      this.#begun = this.#head;
      return at + 1;
    }
    if (left + need > free) return -1;
    this.words[at] = WRAP;
    this.#begun = (this.#head + left) | 0;
    return 1;
  }

  /**
   * Publishes the reserved frame.
   * @param size number of words that the payload has in the end
   * @returns position of the frame, for isUnread()
   */
  commit(size: number): number {
    const position = this.#begun;
    this.words[position & this.mask] = size;
    this.#head = (position + size + 1) | 0;
    this.control[WRITTEN]++;
    Atomics.store(this.control, HEAD, this.#head);
    return position;
  }

  /**
   * Returns whether the reader has not finished the frame at a position. After it has, the memory may belong to another
   * frame.
   */
  isUnread(position: number): boolean {
    return ((Atomics.load(this.control, TAIL) - position) | 0) <= 0;
  }

  /** Returns true once if the reader sleeps and must be woken. Call it after commit(). */
  mustWake(): boolean {
    return Atomics.load(this.control, ASLEEP) === 1 && Atomics.compareExchange(this.control, ASLEEP, 1, 0) === 1;
  }

  /**
   * Tells the reader that something urgent waits outside the ring. The reader checks `urgent` before it reads the next
   * frame.
   */
  signalUrgent(): void {
    Atomics.add(this.control, URGENT, 1);
  }
}

/** The end of a ring for the one thread that reads. */
export class RingReader extends RingEnd {
  #head = 0;
  #tail = 0;
  #size = 0;

  /**
   * Returns the index of the first word of the next payload, or -1 if the ring is empty. The payload stays valid until
   * done().
   */
  next(): number {
    if (this.#head === this.#tail) {
      this.#head = Atomics.load(this.control, HEAD);
      if (this.#head === this.#tail) return -1;
    }
    let at = this.#tail & this.mask;
    if (this.words[at] === WRAP) {
      this.#tail = (this.#tail + this.mask + 1 - at) | 0;
      at = 0;
    }
    this.#size = this.words[at];
    return at + 1;
  }

  /** Overwrites the frame that next() returned, and frees its memory. */
  done(): void {
    const at = this.#tail & this.mask;
    this.words.fill(0, at, at + this.#size + 1);
    this.#tail = (this.#tail + this.#size + 1) | 0;
    this.control[READ]++;
    Atomics.store(this.control, TAIL, this.#tail);
  }

  /**
   * Marks the reader as asleep, so that the next frame wakes this thread.
   * @returns false if a frame has arrived meanwhile: continue reading
   */
  sleep(): boolean {
    Atomics.store(this.control, ASLEEP, 1);
    if (Atomics.load(this.control, HEAD) === this.#tail) return true;
    Atomics.store(this.control, ASLEEP, 0);
    return false;
  }
}
