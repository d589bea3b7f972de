// Reads the rows of a Berkeley DB file with one B-tree named "main": Bitcoin Core's wallets (wallet.dat) up to release
// 29. The file must be closed, because records in its log file are not read. Layouts are those of Berkeley DB's
// dbinc/db_page.h. Numbers have the byte order of the machine that wrote the file.
//
//   every page    0 LSN: file, 4   4 LSN: offset, 4   8 page number, 4
//   meta page    12 magic, 4   16 version, 4   20 page size, 4   24 encryption, 1   25 type, 1   48 flags, 4   88 root page, 4
//   data page    12 previous, 4   16 next, 4   20 entries, 2   22 free offset, 2   24 level, 1   25 type, 1   26 offsets of items, 2 each
//   item          0 length, 2    2 type, 1   3 data
//   overflow      0 unused, 2    2 type, 1   3 unused, 1   4 page, 4   8 length, 4
//   in a node     0 length, 2    2 type, 1   3 unused, 1   4 page, 4   8 records, 4   12 key
import { type ByteSource, CoreFileError, type CoreRow, PagedFile } from './paged-file.js';

const MAGIC = 0x053162;
const VERSION = 9;
const HAS_NAMES = 0x20;
const PAGE = { NODE: 3, LEAF: 5, OVERFLOW: 7, META: 9 } as const;
const ITEM = { DATA: 1, OVERFLOW: 3, DELETED: 0x80 } as const;
const HEADER = 26;
const META_SIZE = 512;
const MAGIC_AT = 12;

const damaged = (why: string): never => {
  throw new CoreFileError(`The file is damaged: ${why}`);
};

/** Returns whether a file begins like a Berkeley DB B-tree. */
export function isBdb(head: Uint8Array): boolean {
  return head.length >= MAGIC_AT + 4 && byteOrder(head) !== null;
}

/** Returns whether numbers are little-endian; null if the file is not a B-tree. */
function byteOrder(head: Uint8Array): boolean | null {
  const view = viewOf(head);
  if (view.getUint32(MAGIC_AT, true) === MAGIC) return true;
  return view.getUint32(MAGIC_AT, false) === MAGIC ? false : null;
}

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length);

/** Fields of a meta page. */
interface Meta {
  readonly little: boolean;
  readonly pageSize: number;
  readonly root: number;
}

function readMeta(bytes: Uint8Array, number: number): Meta {
  if (bytes.length < META_SIZE) return damaged('it ends within its first page');
  const little = byteOrder(bytes) ?? damaged('a metadata page is missing');
  const view = viewOf(bytes);
  if (view.getUint32(8, little) !== number || bytes[25] !== PAGE.META) damaged('a metadata page is missing');
  const version = view.getUint32(16, little);
  if (version !== VERSION)
    throw new CoreFileError(`Berkeley DB version ${version} is not supported, only version ${VERSION}, which Bitcoin Core writes`);
  if (bytes[24] !== 0) throw new CoreFileError('Files that Berkeley DB itself encrypted are not supported');
  const pageSize = view.getUint32(20, little);
  if (pageSize < META_SIZE || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) damaged('its page size is invalid');
  if (view.getUint32(48, little) !== HAS_NAMES) throw new CoreFileError('The file is a database, but not a wallet');
  return { little, pageSize, root: view.getUint32(88, little) };
}

/** Page of a tree, and its items. */
class TreePage {
  readonly #view: DataView;
  readonly #little: boolean;

  constructor(
    readonly bytes: Uint8Array,
    little: boolean,
    number: number,
  ) {
    this.#little = little;
    this.#view = viewOf(bytes);
    if (this.u32(8) !== number) damaged(`page ${number} has the number of another page`);
    if (this.u32(0) !== 0 || this.u32(4) !== 1) {
      throw new CoreFileError('The file was not closed: open and close the wallet once with Bitcoin Core 29 or older');
    }
  }
  get type(): number {
    return this.bytes[25];
  }
  get level(): number {
    return this.bytes[24];
  }
  get next(): number {
    return this.u32(16);
  }
  /** Number of data bytes on an overflow page. */
  get filled(): number {
    return this.u16(22);
  }
  u16(at: number): number {
    return this.#view.getUint16(at, this.#little);
  }
  u32(at: number): number {
    return this.#view.getUint32(at, this.#little);
  }
  /** Yields the offsets of the items. */
  *items(): Generator<number> {
    const entries = this.u16(20);
    if (HEADER + entries * 2 > this.bytes.length) damaged('a page has more items than its size allows');
    for (let i = 0; i < entries; i++) {
      const at = this.u16(HEADER + i * 2);
      if (at < HEADER + entries * 2 || at + 3 > this.bytes.length) damaged('an item lies outside of its page');
      yield at;
    }
  }
  /** Returns a view of bytes of the page. */
  part(at: number, length: number): Uint8Array {
    if (at + length > this.bytes.length) damaged('an item lies outside of its page');
    return this.bytes.subarray(at, at + length);
  }
}

/** Yields all rows in the order of their keys. @throws CoreFileError */
export async function* bdbRecords(source: ByteSource): AsyncGenerator<CoreRow> {
  const outer = readMeta(await source.read(0, META_SIZE), 0);
  const file = new PagedFile(source, outer.pageSize);
  const main = await mainTree(file, outer);
  const metaPage = await file.page(main);
  const meta = readMeta(metaPage, main);
  if (meta.pageSize !== outer.pageSize) damaged('its trees have different page sizes');
  // Depth first, so that keys arrive in order. A child page must be one level below its parent.
  const todo: { number: number; level: number | null }[] = [{ number: meta.root, level: null }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const page = new TreePage(await file.page(next.number), meta.little, next.number);
    try {
      if (next.level !== null && page.level !== next.level) damaged('a page is on the wrong level');
      if (page.type === PAGE.NODE && page.level > 1) for (const child of childrenOf(page).reverse()) todo.push(child);
      else if (page.type === PAGE.LEAF && page.level === 1) yield* rowsOf(page, file, meta.little);
      else damaged(`page ${next.number} has an unexpected type`);
      if (todo.length > file.count) damaged('it has more links than pages');
    } finally {
      page.bytes.fill(0);
    }
  }
}

/**
 * Returns the page number of the meta page of the tree "main". The root tree maps names of trees to page numbers, and
 * "main" must be its only entry.
 */
async function mainTree(file: PagedFile, { little, root }: Meta): Promise<number> {
  const page = new TreePage(await file.page(root), little, root);
  const [name, place, more] = page.type === PAGE.LEAF ? [...page.items()] : [];
  if (
    name === undefined ||
    place === undefined ||
    more !== undefined ||
    page.bytes[name + 2] !== ITEM.DATA ||
    page.bytes[place + 2] !== ITEM.DATA
  ) {
    throw new CoreFileError('The file is a database, but not a wallet');
  }
  const text = Buffer.from(page.part(name + 3, page.u16(name))).toString('latin1');
  if (text !== 'main' || page.u16(place) !== 4) throw new CoreFileError('The file is a database, but not a wallet');
  // Berkeley DB stores this page number big-endian on every machine.
  return viewOf(page.part(place + 3, 4)).getUint32(0);
}

function childrenOf(page: TreePage): { number: number; level: number }[] {
  const children: { number: number; level: number }[] = [];
  for (const at of page.items()) {
    const kind = page.bytes[at + 2] & ~ITEM.DELETED;
    if (kind !== ITEM.DATA && kind !== ITEM.OVERFLOW) damaged('a link has an unknown type');
    if ((page.bytes[at + 2] & ITEM.DELETED) !== 0) continue;
    page.part(at, 12);
    children.push({ number: page.u32(at + 4), level: page.level - 1 });
  }
  return children;
}

async function* rowsOf(page: TreePage, file: PagedFile, little: boolean): AsyncGenerator<CoreRow> {
  let key: Uint8Array | null = null;
  let isKey = true;
  for (const at of page.items()) {
    const data = await itemAt(page, at, file, little);
    // Berkeley DB marks both items of a deleted pair, or only the value.
    if (isKey) key = data;
    else if (key !== null && data !== null) yield { key, value: data };
    isKey = !isKey;
  }
  if (!isKey) damaged('a key has no value');
}

/** Returns a copy of an item's bytes; null if the item is deleted. */
async function itemAt(page: TreePage, at: number, file: PagedFile, little: boolean): Promise<Uint8Array | null> {
  const kind = page.bytes[at + 2];
  if ((kind & ITEM.DELETED) !== 0) return null;
  if (kind === ITEM.DATA) return page.part(at + 3, page.u16(at)).slice();
  if (kind !== ITEM.OVERFLOW) damaged('an item has an unknown type');
  page.part(at, 12);
  return overflowAt(page.u32(at + 4), page.u32(at + 8), file, little);
}

async function overflowAt(first: number, length: number, file: PagedFile, little: boolean): Promise<Uint8Array> {
  if (length > file.count * file.pageSize) damaged('an item is longer than the file');
  const parts: Uint8Array[] = [];
  let filled = 0;
  for (let number = first; number !== 0; ) {
    const page = new TreePage(await file.page(number), little, number);
    if (page.type !== PAGE.OVERFLOW) damaged('an overflow item continues on a page of another type');
    const part = page.part(HEADER, page.filled);
    filled += part.length;
    if (filled > length) damaged('an overflow item is longer than its stated length');
    parts.push(part);
    number = page.next;
  }
  if (filled !== length) damaged('an overflow item is shorter than its stated length');
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    part.fill(0);
  }
  return whole;
}
