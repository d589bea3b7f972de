// Builds byte strings in Bitcoin's wire format (little-endian) in a buffer that grows when necessary.

/** Appends numbers and bytes; `finish` returns the result. */
export class ByteWriter {
  #data: Uint8Array;
  #length = 0;

  /** @param capacity expected size in bytes; good estimates avoid copying */
  constructor(capacity = 64) {
    this.#data = new Uint8Array(capacity);
  }

  /** Number of bytes written. */
  get size(): number {
    return this.#length;
  }

  #reserve(n: number): number {
    const at = this.#length;
    const need = at + n;
    if (need > this.#data.length) {
      const grown = new Uint8Array(Math.max(need, this.#data.length * 2));
      grown.set(this.#data.subarray(0, at));
      this.#data = grown;
    }
    this.#length = need;
    return at;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#data[at] = value;
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#data[at] = value;
    this.#data[at + 1] = value >>> 8;
    return this;
  }

  /** Writes the low 32 bits. Negative numbers are thereby written in two's complement. */
  u32(value: number): this {
    const at = this.#reserve(4);
    writeU32(this.#data, at, value);
    return this;
  }

  i32(value: number): this {
    return this.u32(value);
  }

  /**
   * Writes 64 bits.
   * @param value a safe non-negative integer, or a bigint from -2^63 to 2^64 - 1
   */
  u64(value: number | bigint): this {
    const at = this.#reserve(8);
    if (typeof value === 'bigint') {
      const bits = BigInt.asUintN(64, value);
      writeU32(this.#data, at, Number(bits & 0xffffffffn));
      writeU32(this.#data, at + 4, Number(bits >> 32n));
    } else {
      writeU32(this.#data, at, value % 0x1_0000_0000);
      writeU32(this.#data, at + 4, Math.floor(value / 0x1_0000_0000));
    }
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#reserve(value.length);
    this.#data.set(value, at);
    return this;
  }

  /** Writes `count` bytes of a larger array, from `at`. */
  piece(value: Uint8Array, at: number, count: number): this {
    const to = this.#reserve(count);
    copyBytes(value, at, this.#data, to, count);
    return this;
  }

  compactSize(value: number | bigint): this {
    if (value < 0xfd) return this.u8(Number(value));
    if (value <= 0xffff) return this.u8(0xfd).u16(Number(value));
    if (value <= 0xffffffff) return this.u8(0xfe).u32(Number(value));
    return this.u8(0xff).u64(value);
  }

  /** Writes the compact size of the bytes, then the bytes. */
  varBytes(value: Uint8Array): this {
    return this.compactSize(value.length).bytes(value);
  }

  /**
   * Clears the writer but keeps its memory. Only for callers that use `copy`, because `finish` may return the memory
   * itself.
   */
  restart(): this {
    this.#length = 0;
    return this;
  }

  /** Buffer that begins with all written bytes, valid until the next write. */
  get memory(): Uint8Array {
    return this.#data;
  }

  /** Returns a copy of everything written. */
  copy(): Uint8Array {
    return this.#data.slice(0, this.#length);
  }

  /** Returns everything written as an array of exactly that length. The writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#length === this.#data.length ? this.#data : this.#data.slice(0, this.#length);
  }
}

/** Number of bytes up to which a loop copies faster than `set` with a view. */
const FEW_BYTES = 64;

/** Copies from[at..at+count) to to[toAt..]. */
export function copyBytes(from: Uint8Array, at: number, to: Uint8Array, toAt: number, count: number): void {
  if (count > FEW_BYTES) to.set(from.subarray(at, at + count), toAt);
  else for (let i = 0; i < count; i++) to[toAt + i] = from[at + i];
}

/** Writes the low 32 bits of `value` little-endian at `at`. */
export function writeU32(data: Uint8Array, at: number, value: number): void {
  data[at] = value;
  data[at + 1] = value >>> 8;
  data[at + 2] = value >>> 16;
  data[at + 3] = value >>> 24;
}
