// Cursor over a serialised PSBT. Its errors have the words of Core's streams, with the suffix that C++ adds to such
// exceptions, because callers print them.
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Curve, Hashes } from '../crypto/crypto.js';

/** Cryptography for reading: hashes for ids, the curve for keys. */
export type PsbtCrypto = Hashes & Pick<Curve, 'isPoint'>;

/** Error of bytes that are not a PSBT, as Core prints it after "TX decode failed". */
export class PsbtError extends Error {
  override readonly name = 'PsbtError';
}

/** Throws the error of a stream. */
export function failRead(what: string): never {
  throw new PsbtError(`${what}: iostream error`);
}

export class PsbtReader {
  readonly crypto: PsbtCrypto;
  /** True to use the rules and messages of Core 32. */
  readonly later: boolean;
  readonly #reader: ByteReader;

  constructor(bytes: Uint8Array, crypto: PsbtCrypto, later: boolean) {
    // Convert a Buffer to a plain array. The reader relies on slice() making a copy, but a Buffer's slice() shares
    // memory.
    this.#reader = new ByteReader(bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes));
    this.crypto = crypto;
    this.later = later;
  }

  /** Throws the error of a stream, whose class name differs between releases. */
  failStream(what: string): never {
    return failRead(this.later ? what.replace('CDataStream', 'SpanReader') : what);
  }

  /** Runs a read, and converts its error to Core's form. */
  withStreamErrors<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof DecodeError) return this.failStream(error.message);
      throw error;
    }
  }

  get isEmpty(): boolean {
    return this.#reader.remaining === 0;
  }
  get offset(): number {
    return this.#reader.offset;
  }
  bytes(count: number): Uint8Array {
    return this.withStreamErrors(() => this.#reader.bytes(count));
  }
  u8(): number {
    return this.withStreamErrors(() => this.#reader.u8());
  }
  u32(): number {
    return this.withStreamErrors(() => this.#reader.u32());
  }
  i64(): bigint {
    return this.withStreamErrors(() => this.#reader.i64big());
  }
  compactSize(): number {
    return this.withStreamErrors(() => this.#reader.compactSize());
  }
  /** Reads a size, then that many bytes. */
  varBytes(): Uint8Array {
    return this.withStreamErrors(() => this.#reader.varBytes());
  }
  tx(allowWitness: boolean): TxView {
    return this.withStreamErrors(() => {
      const tx = parseTx(this.#reader.data, this.crypto, { offset: this.#reader.offset, allowWitness });
      this.#reader.offset = tx.end;
      return tx;
    });
  }

  /** Reads a size, then a value, and checks that the value used exactly that many bytes. */
  readSized<T>(read: () => T): T {
    const size = this.compactSize();
    const start = this.offset;
    const value = read();
    if (this.offset - start !== size) failRead('Size of value was not the stated size');
    return value;
  }

  /** Reads a value that must have exactly a given size. */
  fixedBytes(size: number): Uint8Array {
    return this.readSized(() => this.bytes(size));
  }
}
