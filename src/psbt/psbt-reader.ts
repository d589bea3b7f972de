// A cursor over a serialised PSBT that fails in the words of Core's streams. Every failure inside one carries the
// suffix that C++ gives such exceptions: callers print it. Used by read-*.ts.
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Curve, Hashes } from '../crypto/crypto.js';

/** What reading needs: hashes for ids, the curve for keys. */
export type PsbtCrypto = Hashes & Pick<Curve, 'isPoint'>;

/** Why bytes are no PSBT, as Core prints it behind "TX decode failed". */
export class PsbtError extends Error {
  override readonly name = 'PsbtError';
}

/** Fails as a stream does. */
export function failRead(what: string): never {
  throw new PsbtError(`${what}: iostream error`);
}

export class PsbtReader {
  readonly crypto: PsbtCrypto;
  /** Whether rules and words are those of release 32. */
  readonly later: boolean;
  readonly #reader: ByteReader;

  constructor(bytes: Uint8Array, crypto: PsbtCrypto, later: boolean) {
    // Views of Buffers would share memory where copies are meant.
    this.#reader = new ByteReader(bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes));
    this.crypto = crypto;
    this.later = later;
  }

  /** Fails with the words of a stream, whose name differs between releases. */
  failStream(what: string): never {
    return failRead(this.later ? what.replace('CDataStream', 'SpanReader') : what);
  }

  /** Runs a read and puts its failure into the form of Core's. */
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
  /** Bytes behind their size. */
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

  /** A value of its own form behind the size that the form must turn out to have. */
  readSized<T>(read: () => T): T {
    const size = this.compactSize();
    const start = this.offset;
    const value = read();
    if (this.offset - start !== size) failRead('Size of value was not the stated size');
    return value;
  }

  /** A value of exactly so many bytes. */
  fixedBytes(size: number): Uint8Array {
    return this.readSized(() => this.bytes(size));
  }
}
