// The typed tables of a wallet written down as they lie in memory, so that loading reads columns instead of walking a
// million rows. Every table has one method, `image(at)`, that names its columns in a fixed order: on the way out the
// used part of each is noted, on the way in each is replaced by what was read. image-file.ts keeps the columns,
// wallet-images.ts decides when.

/** A column of a table. */
export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/**
 * Order and meaning of the columns of all tables; an image of another format is not read, and the tables are made from
 * rows again. To be raised with every change to an `image` method or to what a column means.
 */
export const IMAGE_FORMAT = 6;

/** One column of an image. */
export interface ImageColumn {
  /** The used part, a view. */
  readonly column: Column;
  /** Whether it holds private keys: never copied, and wiped when it is not used. */
  readonly secret: boolean;
}

/** Overwrites columns of private keys that will not be used. */
export function wipeSecrets(columns: readonly ImageColumn[]): void {
  for (const { column, secret } of columns) if (secret) column.fill(0);
}

export class ImageError extends Error {}

/** What a table sees of an image, in both directions. */
export interface TableImage {
  /**
   * @param used elements in use, as they are after the numbers before were exchanged
   * @returns the column to go on with
   */
  column<T extends Column>(column: T, used: number): T;
  /** The same for a column that holds private keys. */
  secret(column: Uint8Array<ArrayBuffer>, used: number): Uint8Array<ArrayBuffer>;
  /** A whole number or any other double. */
  number(value: number): number;
  /** Bytes of any length: what is no column. */
  bytes(value: () => Uint8Array): Uint8Array;
  /** Whether columns are being replaced. */
  readonly restoring: boolean;
}

/** Notes the columns of tables, as views: nothing may change until they are written. */
export class ImageSaver implements TableImage {
  readonly restoring = false;
  readonly columns: ImageColumn[] = [];

  column<T extends Column>(column: T, used: number): T {
    this.columns.push({ column: column.subarray(0, used), secret: false });
    return column;
  }
  secret(column: Uint8Array<ArrayBuffer>, used: number): Uint8Array<ArrayBuffer> {
    this.columns.push({ column: column.subarray(0, used), secret: true });
    return column;
  }
  number(value: number): number {
    this.columns.push({ column: Float64Array.of(value), secret: false });
    return value;
  }
  bytes(value: () => Uint8Array): Uint8Array {
    const bytes = value();
    this.columns.push({ column: bytes, secret: false });
    return bytes;
  }
}

/** Hands out columns that were read, in the order they were noted. */
export class ImageLoader implements TableImage {
  readonly restoring = true;
  #next = 0;
  readonly #columns: readonly ImageColumn[];

  /** @param columns with room behind the used part, see `withRoom` */
  constructor(columns: readonly ImageColumn[]) {
    this.#columns = columns;
  }

  column<T extends Column>(column: T, used: number): T {
    const next = this.#columns[this.#next++];
    if (next === undefined || next.column.constructor !== column.constructor) throw new ImageError('columns are not those of the tables');
    if (next.column.length !== used) throw new ImageError('a column is not as long as its table');
    return wholeBuffer(next.column) as T;
  }
  secret(column: Uint8Array<ArrayBuffer>, used: number): Uint8Array<ArrayBuffer> {
    if (this.#columns[this.#next]?.secret !== true) throw new ImageError('columns are not those of the tables');
    return this.column(column, used);
  }
  number(value: number): number {
    return this.column(Float64Array.of(value), 1)[0];
  }
  bytes(): Uint8Array {
    const next = this.#columns[this.#next++];
    if (!(next?.column instanceof Uint8Array)) throw new ImageError('columns are not those of the tables');
    return next.column;
  }
  /** @throws ImageError when columns are left over */
  done(): void {
    if (this.#next !== this.#columns.length) throw new ImageError('columns are not those of the tables');
  }
}

const TYPES = [Uint8Array, Int32Array, Uint32Array, Float64Array] as const;

/** A number for the type of a column. */
export function typeOf(column: Column): number {
  return TYPES.findIndex((type) => column instanceof type);
}

/**
 * A column of a type with so many used elements, and room for an eighth more: the first additions must not copy
 * everything.
 */
export function columnWithCapacity(type: number, used: number): Column {
  const Type = TYPES[type];
  if (Type === undefined) throw new ImageError(`a column has the unknown type ${type}`);
  const whole = new Type(used + (used >>> 3) + 32);
  return whole.subarray(0, used);
}

/** The column with its room. */
function wholeBuffer(used: Column): Column {
  const Type = used.constructor as new (buffer: ArrayBufferLike) => Column;
  return new Type(used.buffer);
}

/** Writes a set of rows down, or fills an empty one. */
export function transferSet(at: TableImage, set: Set<number>): void {
  const count = at.number(set.size);
  const members = at.column(at.restoring ? new Int32Array(0) : Int32Array.from(set), count);
  if (at.restoring) for (let i = 0; i < count; i++) set.add(members[i]);
}
