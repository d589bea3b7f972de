// Writes JSON as bytes, piece by piece, for results with very many entries. Concatenated strings would be trees inside
// the engine, and converting those to bytes costs more than everything else about an entry.
import { encodeString, formatAmount } from './json-write.js';

/** Buffer takes smaller buffers than 4 kB from a pool, which is faster. */
const FIRST_BYTES = 2 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Bytes that are left for the next entry before another chunk begins. */
const SPARE_BYTES = 64 * 1024;

/** The two hex digits of every byte, in ASCII. */
const HEX = Uint8Array.from({ length: 512 }, (_, i) => '0123456789abcdef'.charCodeAt(i & 1 ? (i >> 1) & 15 : i >> 5));
/** Size above which Buffer converts to hex faster than the loop here. */
const NATIVE_HEX_BYTES = 96;
const ZERO = 0x30;
const SATS_PER_COIN = 100_000_000;
/** Amounts below this number of satoshis are written digit by digit, because #digits() takes 32 bits of whole coins. */
const DIGITS_BELOW = 2 ** 32 * SATS_PER_COIN;

export class JsonBytes {
  readonly #full: Buffer[] = [];
  #buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  /** Position of the next byte, for drop(), takeText(), and repeatText(). Valid until the next beginEntry(). */
  get at(): number {
    return this.#at;
  }

  /** Starts an entry. Everything written until the next beginEntry() lies in one buffer. */
  beginEntry(): void {
    if (this.#at < CHUNK_BYTES - SPARE_BYTES) return;
    this.#full.push(this.#buffer.subarray(0, this.#at));
    this.#buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    this.#at = 0;
  }

  /** Removes what was written since a position. */
  drop(since: number): void {
    this.#at = since;
  }

  /** Removes the last byte. */
  dropLast(): void {
    if (this.#at === 0) {
      this.#buffer = this.#full.pop() as Buffer;
      this.#at = this.#buffer.length;
    }
    this.#at--;
  }

  /** Removes what was written since a position, and returns it as text. */
  takeText(since: number): string {
    const text = this.#buffer.toString('utf8', since, this.#at);
    this.#at = since;
    return text;
  }

  /** Writes a copy of the bytes between two positions. */
  repeatText(from: number, to: number): void {
    this.#ensure(to - from);
    this.#buffer.copyWithin(this.#at, from, to);
    this.#at += to - from;
  }

  /** Writes text without quotes or escapes. */
  text(text: string): void {
    this.#ensure(text.length * 3);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c > 0x7f) {
        this.#at += buffer.write(text, this.#at);
        return;
      }
      buffer[at++] = c;
    }
    this.#at = at;
  }

  /** Writes bytes unchanged. */
  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes a string with quotes and escapes. */
  string(text: string): void {
    this.text(encodeString(text));
  }

  /** Writes an integer. */
  int(value: number): void {
    if (value < 0 || value > 0xffff_ffff) this.text(String(value));
    else this.#digits(value, 1);
  }

  /** Writes satoshis as BTC with eight decimals. */
  amount(sats: number | bigint): void {
    if (typeof sats === 'bigint' || Math.abs(sats) >= DIGITS_BELOW) {
      this.text(formatAmount(sats));
      return;
    }
    this.#ensure(32);
    let left = sats;
    if (left < 0) {
      this.#buffer[this.#at++] = 0x2d;
      left = -left;
    }
    const whole = Math.floor(left / SATS_PER_COIN);
    this.#digits(whole, 1);
    this.#buffer[this.#at++] = 0x2e;
    this.#digits(left - whole * SATS_PER_COIN, 8);
  }

  /** Writes a hash as a string of hex digits in display order. */
  hash(hash: Uint8Array): void {
    this.#ensure(2 * hash.length + 2);
    const buffer = this.#buffer;
    let at = this.#at;
    buffer[at++] = 0x22;
    for (let i = hash.length - 1; i >= 0; i--) {
      const digits = hash[i] << 1;
      buffer[at++] = HEX[digits];
      buffer[at++] = HEX[digits + 1];
    }
    buffer[at++] = 0x22;
    this.#at = at;
  }

  /** Writes the bytes from `from` to `to` as a string of hex digits. */
  hex(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.#ensure(2 * (to - from) + 2);
    const buffer = this.#buffer;
    let at = this.#at;
    buffer[at++] = 0x22;
    if (to - from > NATIVE_HEX_BYTES) {
      at += buffer.write(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('hex'), at, 'latin1');
    } else {
      for (let i = from; i < to; i++) {
        const digits = bytes[i] << 1;
        buffer[at++] = HEX[digits];
        buffer[at++] = HEX[digits + 1];
      }
    }
    buffer[at++] = 0x22;
    this.#at = at;
  }

  /** Number of bytes written. */
  get size(): number {
    return this.#full.reduce((sum, chunk) => sum + chunk.length, this.#at);
  }

  /** Returns everything that was written. Nothing may be written afterwards. */
  parts(): readonly Buffer[] {
    if (this.#at === 0) return this.#full;
    const last = this.#buffer.subarray(0, this.#at);
    // A part that is retained retains its whole buffer.
    return [...this.#full, this.#buffer.length > SPARE_BYTES ? Buffer.from(new Uint8Array(last).buffer) : last];
  }

  toString(): string {
    return this.parts()
      .map((part) => part.toString())
      .join('');
  }

  /** Writes a number with at least `least` digits. @param value below 2^32 */
  #digits(value: number, least: number): void {
    this.#ensure(16);
    let size = least;
    for (let bound = 10 ** least; value >= bound; bound *= 10) size++;
    const buffer = this.#buffer;
    let left = value;
    for (let at = this.#at + size - 1; at >= this.#at; at--) {
      const rest = (left / 10) >>> 0;
      buffer[at] = ZERO + left - rest * 10;
      left = rest;
    }
    this.#at += size;
  }

  #ensure(more: number): void {
    if (this.#at + more <= this.#buffer.length) return;
    const { length } = this.#buffer;
    const grown = Buffer.allocUnsafe(Math.max(this.#at + more, length < CHUNK_BYTES ? length * 2 : length + SPARE_BYTES * 4));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
  }
}
