// Encodes the `transactions` array of getblocktemplate (BIP-0022, BIP-0145) into shared memory, with the same members,
// order and spelling as Core. A template has millions of bytes, so hex digits come from a table, two at a time. See
// docs/decisions/0037-no-json-fragment-cache.md.

export interface TemplateTx {
  /** Bytes that contain txid and wtxid (32 each, internal order) and the serialisation. */
  readonly record: Uint8Array;
  /** Offsets of the ids and of the serialisation. */
  readonly idsAt: number;
  readonly dataAt: number;
  readonly dataLength: number;
  readonly fee: number;
  /** Number for the reply: sigop cost if segwit is active, otherwise sigop cost divided by 4 and rounded down. */
  readonly sigops: number;
  readonly weight: number;
}

const DIGITS = '0123456789abcdef';
const HIGH = new Uint8Array(256);
const LOW = new Uint8Array(256);
for (let i = 0; i < 256; i++) {
  HIGH[i] = DIGITS.charCodeAt(i >> 4);
  LOW[i] = DIGITS.charCodeAt(i & 15);
}

const text = new TextEncoder();
const OPEN_DATA = text.encode('{"data":"');
const TXID = text.encode('","txid":"');
const HASH = text.encode('","hash":"');
const DEPENDS = text.encode('","depends":[');
const FEE = text.encode('],"fee":');
const SIGOPS = text.encode(',"sigops":');
const WEIGHT = text.encode(',"weight":');
const CLOSE = 0x7d;
const COMMA = 0x2c;

/** Members, two hashes, three numbers, a comma: the most that a transaction needs besides its hex and its depends. */
export const FRAME_BYTES = 80 + 128 + 3 * 17;
/** Digits and comma of one entry of depends. */
export const DEPENDS_BYTES = 6;
/** Smallest serialised input. Each input may add one entry of depends. */
const MIN_INPUT_BYTES = 41;

/** Returns an upper bound of the array's size for transactions of these sizes. */
export function maxEncodedBytes(txCount: number, txBytes: number): number {
  return 2 + txCount * FRAME_BYTES + txBytes * 2 + Math.ceil(txBytes / MIN_INPUT_BYTES) * DEPENDS_BYTES;
}

/** Writes the array transaction by transaction. Never writes beyond the end of `out`; `overflowed` is set instead. */
export class TransactionsEncoder {
  readonly #out: Uint8Array;
  #at = 0;
  #count = 0;
  #overflowed = false;

  /** @param out receives the array from its first byte on */
  constructor(out: Uint8Array) {
    this.#out = out;
    if (out.length < 2) this.#overflowed = true;
    else out[this.#at++] = 0x5b;
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.#at;
  }

  /** Begins with the bytes of an earlier encoding of `count` transactions, including the opening bracket. */
  resume(prefix: Uint8Array, count: number): void {
    if (this.#overflowed || prefix.length + 1 > this.#out.length) {
      this.#overflowed = true;
      return;
    }
    this.#out.set(prefix);
    this.#at = prefix.length;
    this.#count = count;
  }

  /** True once `out` was too small. The content of `out` is then useless. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** @param depends positions of earlier transactions, from 1, one per spending input */
  add(tx: TemplateTx, depends: readonly number[]): void {
    // One check for the whole transaction, with one byte for the closing bracket.
    const needed = FRAME_BYTES + tx.dataLength * 2 + depends.length * DEPENDS_BYTES + 1;
    if (this.#overflowed || this.#at + needed > this.#out.length) {
      this.#overflowed = true;
      return;
    }
    if (this.#count++ > 0) this.#out[this.#at++] = COMMA;
    this.#text(OPEN_DATA);
    this.#hex(tx.record, tx.dataAt, tx.dataLength);
    this.#text(TXID);
    this.#hashHex(tx.record, tx.idsAt);
    this.#text(HASH);
    this.#hashHex(tx.record, tx.idsAt + 32);
    this.#text(DEPENDS);
    for (let i = 0; i < depends.length; i++) {
      if (i > 0) this.#out[this.#at++] = COMMA;
      this.#number(depends[i]);
    }
    this.#text(FEE);
    this.#number(tx.fee);
    this.#text(SIGOPS);
    this.#number(tx.sigops);
    this.#text(WEIGHT);
    this.#number(tx.weight);
    this.#out[this.#at++] = CLOSE;
  }

  /** Closes the array. @returns its length in bytes */
  finish(): number {
    if (!this.#overflowed) this.#out[this.#at++] = 0x5d;
    return this.#at;
  }

  #text(bytes: Uint8Array): void {
    this.#out.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #hex(from: Uint8Array, start: number, length: number): void {
    const out = this.#out;
    let at = this.#at;
    for (let i = start, end = start + length; i < end; i++) {
      const byte = from[i];
      out[at] = HIGH[byte];
      out[at + 1] = LOW[byte];
      at += 2;
    }
    this.#at = at;
  }

  /** Writes a hash in display order: last byte first. */
  #hashHex(from: Uint8Array, start: number): void {
    const out = this.#out;
    let at = this.#at;
    for (let i = start + 31; i >= start; i--) {
      const byte = from[i];
      out[at++] = HIGH[byte];
      out[at++] = LOW[byte];
    }
    this.#at = at;
  }

  /** Writes a non-negative safe integer. */
  #number(value: number): void {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    let rest = value;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const next = Math.floor(rest / 10);
      this.#out[at] = 0x30 + (rest - next * 10);
      rest = next;
    }
    this.#at += digits;
  }
}
