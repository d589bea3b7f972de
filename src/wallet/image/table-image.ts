// Saves and restores the typed tables of a wallet as they are in memory, so that a load reads columns instead of a
// million rows. Every table has one method, `transferImage`, that lists its columns in a fixed order. To save an image,
// the method passes the used part of each column. To restore one, it replaces each column by the one that was read.
// image-file.ts stores the columns, wallet-images.ts decides when.

export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/**
 * Version of the columns of all tables. An image of another version is ignored, and the tables are made from rows.
 * Increase this number with every change of a `transferImage` method or of the meaning of a column.
 */
export const IMAGE_FORMAT = 6;

/** Column of an image: the values, and how to treat them. */
export interface ImageColumn {
  /** View of the used part of the array. */
  readonly column: Column;
  /**
   * True if the column contains private keys. Such a column is never copied, and its bytes are overwritten if the image
   * is not used.
   */
  readonly secret: boolean;
}

/** Overwrites the columns with private keys of an image that will not be used. */
export function wipeSecrets(columns: readonly ImageColumn[]): void {
  for (const { column, secret } of columns) if (secret) column.fill(0);
}

export class ImageError extends Error {}

/** Interface that a table calls to save its columns to an image, or to restore them. */
export interface TableImage {
  /**
   * Saves or restores a column.
   * @param used number of used elements, saved or restored before with `number`
   * @returns the column that the table uses from now on
   */
  column<T extends Column>(column: T, used: number): T;
  /** Saves or restores a column that contains private keys. */
  secret(column: Uint8Array<ArrayBuffer>, used: number): Uint8Array<ArrayBuffer>;
  /** Saves a number to the image and returns it, or returns the number from the image. */
  number(value: number): number;
  /** Saves or restores bytes of any length, for data that are not in a column. */
  bytes(value: () => Uint8Array): Uint8Array;
  /** True if the table is being restored, false if it is being saved. */
  readonly restoring: boolean;
}

/**
 * Implementation for saving: collects the columns of tables as views. The tables must not change until the columns are
 * written.
 */
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

/** Implementation for restoring: returns the columns that were read, in the order in which they were saved. */
export class ImageLoader implements TableImage {
  readonly restoring = true;
  #next = 0;
  readonly #columns: readonly ImageColumn[];

  /** @param columns with spare capacity behind the used part, see `columnWithCapacity` */
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
  /** Checks that all columns were used. @throws ImageError if some are left over */
  done(): void {
    if (this.#next !== this.#columns.length) throw new ImageError('columns are not those of the tables');
  }
}

const TYPES = [Uint8Array, Int32Array, Uint32Array, Float64Array] as const;

export function typeOf(column: Column): number {
  return TYPES.findIndex((type) => column instanceof type);
}

/**
 * Creates a column with this number of used elements and an eighth more capacity, so that the first additions do not
 * copy everything.
 */
export function columnWithCapacity(type: number, used: number): Column {
  const Type = TYPES[type];
  if (Type === undefined) throw new ImageError(`a column has the unknown type ${type}`);
  const whole = new Type(used + (used >>> 3) + 32);
  return whole.subarray(0, used);
}

/** Returns the column with its spare capacity. */
function wholeBuffer(used: Column): Column {
  const Type = used.constructor as new (buffer: ArrayBufferLike) => Column;
  return new Type(used.buffer);
}

/** Saves a set of row numbers, or fills an empty set from the image. */
export function transferSet(at: TableImage, set: Set<number>): void {
  const count = at.number(set.size);
  const members = at.column(at.restoring ? new Int32Array(0) : Int32Array.from(set), count);
  if (at.restoring) for (let i = 0; i < count; i++) set.add(members[i]);
}
