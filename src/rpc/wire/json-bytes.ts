// JSON written as bytes, piece by piece, for answers with very many entries: adding strings makes trees inside the
// engine, and turning those into bytes costs more than everything else about an entry. Used by the wallet's history.
import { encodeString } from './json-write.js';

const FIRST_BYTES = 4 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Two hex digits of every byte. */
const HEX = Uint8Array.from({ length: 512 }, (_, i) => '0123456789abcdef'.charCodeAt(i & 1 ? (i >> 1) & 15 : i >> 5));
const ZERO = 0x30;
const SATS_PER_COIN = 100_000_000;

export class JsonBytes {
  readonly #full: Buffer[] = [];
  #buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  /** Where the next byte goes, as a place for drop() and again(); good until the next begin(). */
  get at(): number {
    return this.#at;
  }

  /** What is written until the next begin() lies together. */
  beginEntry(): void {
    if (this.#at < CHUNK_BYTES / 2) return;
    this.#full.push(this.#buffer.subarray(0, this.#at));
    this.#buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    this.#at = 0;
  }

  /** Takes back what was written since a place. */
  drop(since: number): void {
    this.#at = since;
  }

  /** Takes the last byte back, wherever it is. */
  dropLast(): void {
    if (this.#at === 0) {
      this.#buffer = this.#full.pop() as Buffer;
      this.#at = this.#buffer.length;
    }
    this.#at--;
  }

  /** Takes back what was written since a place, as text. */
  takeText(since: number): string {
    const text = this.#buffer.toString('utf8', since, this.#at);
    this.#at = since;
    return text;
  }

  /** Writes what stands between two places once more. */
  repeatText(from: number, to: number): void {
    this.#ensure(to - from);
    this.#buffer.copyWithin(this.#at, from, to);
    this.#at += to - from;
  }

  /** Text as it is. */
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

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A string with its quotes. */
  string(text: string): void {
    this.text(encodeString(text));
  }

  /** A whole number. */
  int(value: number): void {
    if (value < 0 || value > 0xffff_ffff) this.text(String(value));
    else this.#digits(value, 1);
  }

  /** Satoshis as BTC with eight decimals. */
  amount(sats: number): void {
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

  /** Display hex of a hash: its bytes backwards, between quotes. */
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

  /** Bytes written. */
  get size(): number {
    return this.#full.reduce((sum, chunk) => sum + chunk.length, this.#at);
  }

  /** What was written until now; nothing may be written afterwards. */
  parts(): readonly Buffer[] {
    return this.#at === 0 ? this.#full : [...this.#full, this.#buffer.subarray(0, this.#at)];
  }

  toString(): string {
    return this.parts()
      .map((part) => part.toString())
      .join('');
  }

  /** At least so many digits. @param value below 2^32 */
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
    const grown = Buffer.allocUnsafe(Math.max(this.#at + more, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
  }
}
