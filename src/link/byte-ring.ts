// Frames of bytes from one thread to one other through shared memory: a call and its reply then cost two copies and no
// message. A thread that finds its ring empty says that it sleeps; only then does the writer have to wake it, by
// whatever means its owner has. Read frames are overwritten, so that no key or passphrase stays behind. Used by both
// ends of the link.
//
//   int32 slot  0 head · 1 tail · 2 reader sleeps · 3 urgent · 4 frames written · 5 frames read      from byte 64: the frames
//   frame       int32 words of its payload, then the payload; a negative count: the next frame is at the beginning
//
// head and tail are positions in words that only grow, modulo 2^32.

const HEAD = 0;
const TAIL = 1;
const ASLEEP = 2;
const URGENT = 3;
const WRITTEN = 4;
const READ = 5;
const CONTROL_BYTES = 64;
const WRAP = -1;

/** Shared memory for a ring. @param sizeBytes room for frames, a power of two */
export function newRing(sizeBytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(CONTROL_BYTES + sizeBytes);
  // No thread reads yet: the first frame wakes the reader.
  new Int32Array(buffer)[ASLEEP] = 1;
  return buffer;
}

/** What both ends have: the payloads' memory, as words and as bytes. */
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

  /** Frames that wait to be read; for statistics. */
  get waiting(): number {
    return (Atomics.load(this.control, WRITTEN) - Atomics.load(this.control, READ)) | 0;
  }

  /** How often the writer has said that something urgent waits elsewhere. */
  get urgent(): number {
    return Atomics.load(this.control, URGENT);
  }
}

/** The end that one thread writes. */
export class RingWriter extends RingEnd {
  #head = 0;
  #begun = 0;

  /**
   * Room for a payload.
   * @param size most words of it
   * @returns the index of its first word, or -1 when there is no room; then commit() or begin() again
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

  /** Publishes the payload. @param size words that it has in the end @returns its position, for isUnread() */
  commit(size: number): number {
    const position = this.#begun;
    this.words[position & this.mask] = size;
    this.#head = (position + size + 1) | 0;
    this.control[WRITTEN]++;
    Atomics.store(this.control, HEAD, this.#head);
    return position;
  }

  /** Whether the reader has not done with the frame at a position; when it has, the memory may be another frame's. */
  isUnread(position: number): boolean {
    return ((Atomics.load(this.control, TAIL) - position) | 0) <= 0;
  }

  /** Whether the reader sleeps and must be woken; says so once. Call it after what was committed. */
  mustWake(): boolean {
    return Atomics.load(this.control, ASLEEP) === 1 && Atomics.compareExchange(this.control, ASLEEP, 1, 0) === 1;
  }

  /** Makes the reader look elsewhere before it takes the next frame. */
  signalUrgent(): void {
    Atomics.add(this.control, URGENT, 1);
  }
}

/** The end that another thread reads. */
export class RingReader extends RingEnd {
  #head = 0;
  #tail = 0;
  #size = 0;

  /** The index of the first word of the next payload, or -1 when nothing waits. The payload stays until done(). */
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

  /** Gives the memory of the frame that next() found back, overwritten. */
  done(): void {
    const at = this.#tail & this.mask;
    this.words.fill(0, at, at + this.#size + 1);
    this.#tail = (this.#tail + this.#size + 1) | 0;
    this.control[READ]++;
    Atomics.store(this.control, TAIL, this.#tail);
  }

  /** From now on frames wake this thread. @returns false when one has come in the meantime: read on */
  sleep(): boolean {
    Atomics.store(this.control, ASLEEP, 1);
    if (Atomics.load(this.control, HEAD) === this.#tail) return true;
    Atomics.store(this.control, ASLEEP, 0);
    return false;
  }

  /** This thread polls the ring: frames need not wake it. */
  stayAwake(): void {
    if (Atomics.load(this.control, ASLEEP) === 1) Atomics.store(this.control, ASLEEP, 0);
  }
}
