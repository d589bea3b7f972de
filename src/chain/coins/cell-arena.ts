// Memory for the coins cache's entries: cells of a few sizes in pages outside the V8 heap.
//
// A page is 64 KiB and holds cells of one size class; 64 pages are a slab, the piece that is taken from the system and
// given back. A page whose last cell is freed may become one of any class. A cell is named by a 32-bit reference,
// slab * 2^19 + offset / 8, so the arena spans 32 GiB. The very first page is not used: reference 0 is "none".
//
// A look-up wants a cell that no processor cache has, so there is little to go through before it: slabs are few, and
// the classes of all pages lie in one small array. With an object and two views for each page, look-ups in 300 MB of
// coins took a quarter longer.

/** Size of a page in bytes; also more than the largest cell. */
const PAGE_BYTES = 65_536;
/** References count in units of 8 bytes. */
const UNIT_SHIFT = 3;
const PAGE_SHIFT = 13;
const PAGE_MASK = (1 << PAGE_SHIFT) - 1;
/** Pages of a slab, 4 MiB. */
const SLAB_PAGES = 64;
/** Bytes of a slab. */
export const SLAB_BYTES = SLAB_PAGES * PAGE_BYTES;
const SLAB_SHIFT = 19;
const SLAB_MASK = (1 << SLAB_SHIFT) - 1;
/** 2^32 references / 2^19 per slab. */
const MAX_SLABS = 1 << 13;

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
  /** First freed cell as offset / 8 + 1, 0 for none; each freed cell's first word holds the next. */
  freeHead: number;
  /** Cells from here on were never used. */
  fresh: number;
  live: number;
  /** Index in the list of pages with room, -1 when full. */
  openIndex: number;
}

/** Stands where a slab was given back. */
const NO_WORDS = new Uint32Array(0);
const NO_BYTES = new Uint8Array(0);

/** An allocator of small byte cells. */
export class CellArena {
  /** Slabs by number. */
  readonly #words: Uint32Array[] = [];
  readonly #bytes: Uint8Array[] = [];
  /** Pages of each slab in use. */
  readonly #slabPages: number[] = [];
  /** Class of each page's cells, by number. */
  #classes = new Uint8Array(SLAB_PAGES);
  /** By number; what only allocate and free ask for. */
  readonly #pages: (Page | null)[] = [null];
  /** Numbers of pages not in use, the next to be taken last. */
  #freePages: number[] = [];
  /** Per class, numbers of the pages that have a cell to give. */
  readonly #openPages: number[][] = CLASS_SIZES.map(() => []);
  #live = 0;

  /** Bytes of the cells handed out. */
  get usedBytes(): number {
    return this.#live;
  }

  /** Bytes taken from the system, which gives them when they are first written to. */
  get allocatedBytes(): number {
    return this.#bytes.reduce((sum, { length }) => sum + length, 0);
  }

  /** @param size at most MAX_CELL_BYTES @returns a reference; the cell's content is undefined */
  allocate(size: number): number {
    if (size > MAX_CELL_BYTES) throw new RangeError('no cell is that large');
    const cellClass = CLASS_OF_UNITS[(size + 7) >> UNIT_SHIFT];
    const cellBytes = CLASS_SIZES[cellClass];
    const openPages = this.#openPages[cellClass];
    const number = openPages.length > 0 ? openPages[openPages.length - 1] : this.#addPage(cellClass);
    const page = this.#pages[number] as Page;
    const reused = page.freeHead !== 0;
    const unit = reused ? page.freeHead - 1 : page.fresh >> UNIT_SHIFT;
    const ref = ((number << PAGE_SHIFT) | unit) >>> 0;
    if (reused) page.freeHead = this.wordsOf(ref)[CellArena.offsetOf(ref) >> 2];
    else page.fresh += cellBytes;
    page.live++;
    this.#live += cellBytes;
    if (page.freeHead === 0 && page.fresh + cellBytes > PAGE_BYTES) this.#removeOpenPage(page, cellClass);
    return ref;
  }

  /** Gives a cell back; the reference is dead from here on. */
  free(ref: number): void {
    const number = ref >>> PAGE_SHIFT;
    const page = this.#pages[number] as Page;
    const cellClass = this.#classes[number];
    const unit = ref & PAGE_MASK;
    this.#live -= CLASS_SIZES[cellClass];
    page.live--;
    if (page.live === 0) {
      if (page.openIndex >= 0) this.#removeOpenPage(page, cellClass);
      this.#pages[number] = null;
      this.#freePage(number);
      return;
    }
    this.wordsOf(ref)[CellArena.offsetOf(ref) >> 2] = page.freeHead;
    page.freeHead = unit + 1;
    if (page.openIndex < 0) this.#addOpenPage(number, page, cellClass);
  }

  /** Bytes of the slab that holds a cell. */
  bytesOf(ref: number): Uint8Array {
    return this.#bytes[ref >>> SLAB_SHIFT];
  }

  /** The same slab as 32-bit words of the machine's byte order. */
  wordsOf(ref: number): Uint32Array {
    return this.#words[ref >>> SLAB_SHIFT];
  }

  /** Where a cell starts in its slab, in bytes. */
  static offsetOf(ref: number): number {
    return (ref & SLAB_MASK) << UNIT_SHIFT;
  }

  /** Whole size of a cell. */
  sizeOf(ref: number): number {
    return CLASS_SIZES[this.#classes[ref >>> PAGE_SHIFT]];
  }

  #addPage(cellClass: number): number {
    if (this.#freePages.length === 0) this.#addSlab();
    const number = this.#freePages.pop() as number;
    const page: Page = { freeHead: 0, fresh: 0, live: 0, openIndex: -1 };
    this.#pages[number] = page;
    this.#classes[number] = cellClass;
    this.#slabPages[(number / SLAB_PAGES) | 0]++;
    this.#addOpenPage(number, page, cellClass);
    return number;
  }

  #addSlab(): void {
    const reusable = this.#bytes.indexOf(NO_BYTES);
    const slab = reusable < 0 ? this.#bytes.length : reusable;
    if (slab >= MAX_SLABS) throw new RangeError('the arena is limited to 32 GiB');
    const bytes = new Uint8Array(SLAB_BYTES);
    const end = (slab + 1) * SLAB_PAGES;
    if (end > this.#classes.length) {
      const classes = new Uint8Array(2 * end);
      classes.set(this.#classes);
      this.#classes = classes;
    }
    this.#bytes[slab] = bytes;
    this.#words[slab] = new Uint32Array(bytes.buffer);
    this.#slabPages[slab] = 0;
    // The very first page has no cells: its first reference would be 0.
    for (let number = end - 1; number >= Math.max(1, slab * SLAB_PAGES); number--) this.#freePages.push(number);
  }

  /** A slab without cells goes back to the system if the others have half as many free pages as one has. */
  #freePage(number: number): void {
    const slab = (number / SLAB_PAGES) | 0;
    this.#freePages.push(number);
    if (--this.#slabPages[slab] > 0 || this.#freePages.length < 1.5 * SLAB_PAGES) return;
    this.#freePages = this.#freePages.filter((free) => ((free / SLAB_PAGES) | 0) !== slab);
    this.#bytes[slab] = NO_BYTES;
    this.#words[slab] = NO_WORDS;
  }

  #addOpenPage(number: number, page: Page, cellClass: number): void {
    const openPages = this.#openPages[cellClass];
    page.openIndex = openPages.length;
    openPages.push(number);
  }

  #removeOpenPage(page: Page, cellClass: number): void {
    const openPages = this.#openPages[cellClass];
    const last = openPages.pop() as number;
    if (page.openIndex < openPages.length) {
      openPages[page.openIndex] = last;
      (this.#pages[last] as Page).openIndex = page.openIndex;
    }
    page.openIndex = -1;
  }
}
