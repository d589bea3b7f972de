// Reads the rows of a SQLite file with a table main(key, value): Bitcoin Core's descriptor wallets. The file must be
// closed; read-core-wallet.ts refuses a file with a journal. Format: https://www.sqlite.org/fileformat2.html. Numbers
// are big-endian.
//
//   file head    0 "SQLite format 3\0"   16 page size, 2 (1: 65,536)   18 write version   19 read version   20 bytes unused at a page's end
//               68 application id, 4: Bitcoin Core puts the network's magic there
//   page         0 type, 1   1 free block, 2   3 cells, 2   5 content, 2   7 fragments, 1   8 rightmost page, 4 (nodes)   offsets of cells, 2 each
//   leaf's cell    length of the payload, varint   row id, varint   payload   first overflow page, 4, if it does not fit
//   node's cell    page, 4   row id, varint
//   overflow page  next, 4   payload
//   payload        length of the head, varint   type of each column, varint   columns
import { type ByteSource, CoreFileError, type CoreRow, PagedFile } from './paged-file.js';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEAD = 100;
const PAGE = { NODE: 0x05, LEAF: 0x0d } as const;
const DAMAGED = 'The file is damaged';
/** Largest depth of a tree. A file cannot hold the rows of a deeper tree. */
const MOST_LEVELS = 40;

const damaged = (why: string): never => {
  throw new CoreFileError(`${DAMAGED}: ${why}`);
};

/** Returns whether a file begins like a SQLite database. */
export const isSqlite = (head: Uint8Array): boolean => Buffer.compare(head.subarray(0, MAGIC.length), MAGIC) === 0;

/** Returns the application id in the head of the file: the network's magic, as a big-endian number. */
export async function applicationId(source: ByteSource): Promise<number> {
  const head = await source.read(0, HEAD);
  return head.length === HEAD ? view(head).getUint32(68) : damaged('it ends within its header');
}

const view = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length);

/** Pages of a database, and the usable bytes of each. */
class Database {
  private constructor(
    readonly file: PagedFile,
    readonly usable: number,
  ) {}

  static async open(source: ByteSource): Promise<Database> {
    const head = await source.read(0, HEAD);
    if (head.length < HEAD || !isSqlite(head)) return damaged('it ends within its header');
    const size = view(head).getUint16(16);
    const pageSize = size === 1 ? 65_536 : size;
    if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) damaged('its page size is invalid');
    if (head[19] > 2) throw new CoreFileError('The file has a newer SQLite format, which is not supported');
    const usable = pageSize - head[20];
    if (usable < 480) damaged('its pages have too few usable bytes');
    return new Database(new PagedFile(source, pageSize), usable);
  }

  /** Yields copies of the payloads of a table, in the order of its rows. @param root page number, from 1 */
  async *payloads(root: number): AsyncGenerator<Uint8Array> {
    const todo = [{ number: root, level: 0 }];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const bytes = await this.#page(next.number);
      try {
        const at = next.number === 1 ? HEAD : 0;
        const type = bytes[at];
        const cells = this.#cells(bytes, at, type === PAGE.NODE ? 12 : 8);
        if (type === PAGE.LEAF) for (const cell of cells) yield await this.#payload(bytes, cell);
        else if (type === PAGE.NODE && next.level < MOST_LEVELS) {
          const level = next.level + 1;
          todo.push({ number: view(bytes).getUint32(at + 8), level });
          for (const cell of cells.reverse()) {
            if (cell + 4 > this.usable) damaged('a link lies outside of its page');
            todo.push({ number: view(bytes).getUint32(cell), level });
          }
        } else damaged(`page ${next.number} has an unexpected type`);
        if (todo.length > this.file.count) damaged('it has more links than pages');
      } finally {
        bytes.fill(0);
      }
    }
  }
  #page(number: number): Promise<Uint8Array> {
    return number === 0 ? damaged('a link has the page number 0') : this.file.page(number - 1);
  }
  #cells(bytes: Uint8Array, at: number, header: number): number[] {
    const count = view(bytes).getUint16(at + 3);
    const first = at + header;
    if (first + count * 2 > this.usable) damaged('a page has more rows than its size allows');
    return Array.from({ length: count }, (_, i) => view(bytes).getUint16(first + i * 2));
  }
  async #payload(page: Uint8Array, at: number): Promise<Uint8Array> {
    const { usable } = this;
    const length = varint(page, at, usable);
    const row = varint(page, length.next, usable);
    const size = length.value;
    if (size > this.file.count * usable) damaged('a row is longer than the file');
    const local = this.#localOf(size);
    if (row.next + local + (local < size ? 4 : 0) > usable) damaged('a row lies outside of its page');
    const whole = new Uint8Array(size);
    whole.set(page.subarray(row.next, row.next + local));
    let next = local < size ? view(page).getUint32(row.next + local) : 0;
    for (let filled = local; filled < size; ) {
      const bytes = await this.#page(next);
      const part = bytes.subarray(4, Math.min(usable, 4 + size - filled));
      whole.set(part, filled);
      filled += part.length;
      next = view(bytes).getUint32(0);
      bytes.fill(0);
    }
    return whole;
  }
  /** Returns how many bytes of a payload are in its leaf page. */
  #localOf(size: number): number {
    const most = this.usable - 35;
    if (size <= most) return size;
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fitting = least + ((size - least) % (this.usable - 4));
    return fitting <= most ? fitting : least;
  }
}

/** Reads a SQLite varint: a number of one to nine bytes. */
function varint(bytes: Uint8Array, start: number, end: number): { value: number; next: number } {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    if (start + i >= end) return damaged('a varint ends outside of its page');
    const byte = bytes[start + i];
    // Numbers above 2^53 lose precision. They occur only as row ids, which this reader ignores.
    value = i === 8 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (byte < 0x80 || i === 8) return { value, next: start + i + 1 };
  }
  return damaged('a varint has no end');
}

/** Value of a column: bytes of a blob or text, or an integer; null for any other type. */
type Column = Uint8Array | number | null;

const NUMBER_SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0] as const;

/** Returns the columns of a payload, as views of it. */
function columnsOf(payload: Uint8Array): Column[] {
  const head = varint(payload, 0, payload.length);
  if (head.value > payload.length) damaged('the header of a row is longer than the row');
  const columns: Column[] = [];
  let data = head.value;
  for (let at = head.next; at < head.value; ) {
    const type = varint(payload, at, head.value);
    at = type.next;
    const size =
      type.value >= 12 ? Math.floor((type.value - 12) / 2) : (NUMBER_SIZES[type.value] ?? damaged('a column has an unknown type'));
    if (data + size > payload.length) damaged('a column lies outside of its row');
    const bytes = payload.subarray(data, data + size);
    data += size;
    if (type.value >= 12) columns.push(bytes);
    else if (type.value === 8 || type.value === 9) columns.push(type.value - 8);
    else columns.push(size > 0 && size <= 6 ? bytes.reduce((number, byte) => number * 256 + byte, 0) : null);
  }
  return columns;
}

const textOf = (column: Column | undefined): string => (column instanceof Uint8Array ? Buffer.from(column).toString('utf8') : '');

/** Yields all rows of the table `main`. @throws CoreFileError */
export async function* sqliteRecords(source: ByteSource): AsyncGenerator<CoreRow> {
  const database = await Database.open(source);
  let root: Column | undefined;
  // Page 1 lists the tables: type, name, table, root page, SQL text.
  for await (const payload of database.payloads(1)) {
    const [type, name, , page] = columnsOf(payload);
    if (textOf(type) === 'table' && textOf(name) === 'main') root = page;
  }
  if (typeof root !== 'number') throw new CoreFileError('The file is a database, but not a wallet');
  for await (const payload of database.payloads(root)) {
    const [key, value] = columnsOf(payload);
    if (!(key instanceof Uint8Array) || !(value instanceof Uint8Array)) return damaged('a row is not a pair of blobs');
    const row = { key: key.slice(), value: value.slice() };
    payload.fill(0);
    yield row;
  }
}
