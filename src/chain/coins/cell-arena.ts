// Memory for the coins cache's entries: cells of a few sizes in pages outside the V8 heap.
//
// A page is 64 KiB and holds cells of one size class; a page whose last cell is freed goes back to a small pool, then
// to the system. A cell is named by a 32-bit reference, page * 8192 + offset / 8, so the arena spans 32 GiB. Page 0
// doesn't exist: reference 0 is "none".

/** Size of a page in bytes; also more than the largest cell. */
export const PAGE_BYTES = 65_536;
/** References count in units of 8 bytes. */
const UNIT_SHIFT = 3;
const PAGE_SHIFT = 13;
const OFFSET_MASK = (1 << PAGE_SHIFT) - 1;
/** 2^32 references / 2^13 per page. */
const MAX_PAGES = 1 << 19;
/** Empty pages kept ready, 1 MiB. */
const SPARE_PAGES = 16;

/**
 * Cell sizes: every 8 bytes where nearly all coins are, then steps of about a third up to the longest script that can
 * be spent.
 */
const CLASS_SIZES: readonly number[] = [
  ...Array.from({ length: 15 }, (_, i) => 48 + 8 * i),
  192,
  256,
  336,
  448,
  600,
  800,
  1064,
  1416,
  1888,
  2520,
  3360,
  4480,
  6000,
  8000,
  10_096,
];

/** The largest cell that can be had. */
export const MAX_CELL_BYTES: number = CLASS_SIZES[CLASS_SIZES.length - 1];

/** Class of each size in units of 8 bytes. */
const CLASS_OF_UNITS = new Uint8Array((MAX_CELL_BYTES >> UNIT_SHIFT) + 1);
for (let units = 0, c = 0; units < CLASS_OF_UNITS.length; units++) {
  if (units << UNIT_SHIFT > CLASS_SIZES[c]) c++;
  CLASS_OF_UNITS[units] = c;
}

interface Page {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  cellClass: number;
  /** First freed cell as offset / 8 + 1, 0 for none; each freed cell's first word holds the next. */
  freeHead: number;
  /** Cells from here on were never used. */
  fresh: number;
  live: number;
  /** Index in the list of pages with room, -1 when full. */
  roomIndex: number;
}

/** An allocator of small byte cells. */
export class CellArena {
  /** Pages by number; read directly by the cache on its hot path. */
  readonly #pages: (Page | null)[] = [null];
  readonly #freePageNumbers: number[] = [];
  readonly #spare: ArrayBuffer[] = [];
  /** Per class, numbers of the pages that have a cell to give. */
  readonly #room: number[][] = CLASS_SIZES.map(() => []);
  #livePages = 0;
  #live = 0;

  /** Bytes of the cells handed out. */
  get usedBytes(): number {
    return this.#live;
  }

  /** Bytes taken from the system. */
  get allocatedBytes(): number {
    return (this.#livePages + this.#spare.length) * PAGE_BYTES;
  }

  /** Bytes that a cell for `size` bytes takes. */
  static cellBytes(size: number): number {
    return CLASS_SIZES[CLASS_OF_UNITS[(size + 7) >> UNIT_SHIFT]];
  }

  /** @param size at most MAX_CELL_BYTES @returns a reference; the cell's content is undefined */
  allocate(size: number): number {
    if (size > MAX_CELL_BYTES) throw new RangeError('no cell is that large');
    const cellClass = CLASS_OF_UNITS[(size + 7) >> UNIT_SHIFT];
    const cellBytes = CLASS_SIZES[cellClass];
    const room = this.#room[cellClass];
    const number = room.length > 0 ? room[room.length - 1] : this.#addPage(cellClass);
    const page = this.#pages[number] as Page;
    let offset: number;
    if (page.freeHead !== 0) {
      offset = (page.freeHead - 1) << UNIT_SHIFT;
      page.freeHead = page.words[offset >> 2];
    } else {
      offset = page.fresh;
      page.fresh += cellBytes;
    }
    page.live++;
    this.#live += cellBytes;
    if (page.freeHead === 0 && page.fresh + cellBytes > PAGE_BYTES) this.#leaveRoom(page);
    return ((number << PAGE_SHIFT) | (offset >> UNIT_SHIFT)) >>> 0;
  }

  /** Gives a cell back; the reference is dead from here on. */
  free(ref: number): void {
    const number = ref >>> PAGE_SHIFT;
    const page = this.#pages[number] as Page;
    const unit = ref & OFFSET_MASK;
    this.#live -= CLASS_SIZES[page.cellClass];
    page.live--;
    if (page.live === 0) {
      if (page.roomIndex >= 0) this.#leaveRoom(page);
      this.#pages[number] = null;
      this.#freePageNumbers.push(number);
      this.#livePages--;
      if (this.#spare.length < SPARE_PAGES) this.#spare.push(page.bytes.buffer as ArrayBuffer);
      return;
    }
    page.words[unit << 1] = page.freeHead;
    page.freeHead = unit + 1;
    if (page.roomIndex < 0) this.#enterRoom(number, page);
  }

  /** Bytes of the page that holds a cell. */
  bytesOf(ref: number): Uint8Array {
    return (this.#pages[ref >>> PAGE_SHIFT] as Page).bytes;
  }

  /** The same page as 32-bit words of the machine's byte order. */
  wordsOf(ref: number): Uint32Array {
    return (this.#pages[ref >>> PAGE_SHIFT] as Page).words;
  }

  /** Where a cell starts in its page, in bytes. */
  static offsetOf(ref: number): number {
    return (ref & OFFSET_MASK) << UNIT_SHIFT;
  }

  /** Whole size of a cell. */
  sizeOf(ref: number): number {
    return CLASS_SIZES[(this.#pages[ref >>> PAGE_SHIFT] as Page).cellClass];
  }

  #addPage(cellClass: number): number {
    const number = this.#freePageNumbers.pop() ?? this.#pages.length;
    if (number >= MAX_PAGES) throw new RangeError('the arena is limited to 32 GiB');
    const buffer = this.#spare.pop() ?? new ArrayBuffer(PAGE_BYTES);
    const page: Page = {
      bytes: new Uint8Array(buffer),
      words: new Uint32Array(buffer),
      cellClass,
      freeHead: 0,
      fresh: 0,
      live: 0,
      roomIndex: -1,
    };
    this.#pages[number] = page;
    this.#livePages++;
    this.#enterRoom(number, page);
    return number;
  }

  #enterRoom(number: number, page: Page): void {
    const room = this.#room[page.cellClass];
    page.roomIndex = room.length;
    room.push(number);
  }

  #leaveRoom(page: Page): void {
    const room = this.#room[page.cellClass];
    const last = room.pop() as number;
    if (page.roomIndex < room.length) {
      room[page.roomIndex] = last;
      (this.#pages[last] as Page).roomIndex = page.roomIndex;
    }
    page.roomIndex = -1;
  }
}
