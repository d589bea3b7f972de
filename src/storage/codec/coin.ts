// Value of a coin's row, as in Core's chainstate: varint(2 height + coinbase), compressed amount, compressed script.
// undo.ts shares the output part.

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { SIGOPS, sigopsOf } from '../../consensus/script/sigops.js';
import type { PackedOutput } from '../../consensus/script/spent-output.js';
import { StoreError } from '../store-error.js';
import { isPlainForm, readScript, SPECIAL_FORMS, scriptLength, storedLength, unpackScript, writeScript } from './script.js';
import { readVarint, readVarintBig, writeVarint } from './varint.js';

// Core's amount compression (src/compressor.cpp): round amounts become small numbers.
//
//   amount 0                      -> 0
//   amount = (10 n + d) 10^e      -> 1 + 10 (9 n + d - 1) + e      e < 9, d = 1..9 the last non-zero digit
//   amount = n 10^9               -> 1 + 10 (n - 1) + 9
//
// The result exceeds 2^53 for odd amounts above some 10 million bitcoins, hence the bigint branch.

/**
 * Largest amount (after division by powers of ten) that compresses within the safe integers: 1 + 10 (9 n + 8) with n =
 * amount / 10.
 */
const NUMBER_LIMIT = 900_000_000_000_000;

/**
 * Compresses an amount.
 * @param amount satoshis, a non-negative safe integer
 */
export function compressAmount(amount: number): number | bigint {
  if (amount === 0) return 0;
  let exponent = 0;
  let n = amount;
  while (n % 10 === 0 && exponent < 9) {
    n /= 10;
    exponent++;
  }
  if (n > NUMBER_LIMIT) {
    const big = BigInt(n);
    return exponent < 9 ? 1n + (9n * (big / 10n) + (big % 10n) - 1n) * 10n + BigInt(exponent) : 1n + (big - 1n) * 10n + 9n;
  }
  if (exponent === 9) return 1 + (n - 1) * 10 + 9;
  const digit = n % 10;
  return 1 + (9 * ((n - digit) / 10) + digit - 1) * 10 + exponent;
}

/**
 * Decompresses an amount.
 * @returns satoshis, or null if the result exceeds 2^53 - 1
 */
export function decompressAmount(compressed: number | bigint): number | null {
  if (typeof compressed === 'bigint') {
    if (compressed > BigInt(Number.MAX_SAFE_INTEGER)) {
      let x = compressed - 1n;
      const exponent = Number(x % 10n);
      x /= 10n;
      const n = exponent < 9 ? (x / 9n) * 10n + (x % 9n) + 1n : x + 1n;
      const amount = n * 10n ** BigInt(exponent);
      return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : null;
    }
    compressed = Number(compressed);
  }
  if (compressed === 0) return 0;
  let x = compressed - 1;
  const exponent = x % 10;
  x = (x - exponent) / 10;
  const n = exponent < 9 ? ((x - (x % 9)) / 9) * 10 + (x % 9) + 1 : x + 1;
  const amount = n * POWERS[exponent];
  return amount <= Number.MAX_SAFE_INTEGER ? amount : null;
}

const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Largest height code: heights have 31 bits in Core's coin. */
const MAX_HEIGHT_CODE = 0xffff_ffff;

/** Number of bytes up to which a compressed amount is below 2^53. A longer varint needs the bigint reader. */
const SMALL_VARINT_BYTES = 7;

/**
 * Writes amount and script of an output in Core's compressed form.
 * @param bytes buffer with the script at `at`
 */
export function writeTxOut(writer: ByteWriter, value: number, bytes: Uint8Array, at = 0, length: number = bytes.length): void {
  if (!(Number.isSafeInteger(value) && value >= 0)) throw new RangeError('a coin must be worth a non-negative safe number of satoshi');
  writeVarint(writer, compressAmount(value));
  writeScript(writer, bytes, at, length);
}

/** Reads the amount of an output. Throws DecodeError. */
export function readAmount(reader: ByteReader): number {
  let length = 1;
  while (reader.offset + length <= reader.end && (reader.data[reader.offset + length - 1] & 0x80) !== 0) length++;
  const amount = decompressAmount(length <= SMALL_VARINT_BYTES ? readVarint(reader) : readVarintBig(reader));
  if (amount === null) throw new DecodeError('amount out of range');
  return amount;
}

/** Returns height and coinbase flag as one number. */
export function heightCode({ height, coinbase }: Pick<Coin, 'height' | 'coinbase'>): number {
  return height * 2 + (coinbase ? 1 : 0);
}

/** Reads a height code. Throws DecodeError. */
export function readHeightCode(reader: ByteReader): number {
  return readVarint(reader, MAX_HEIGHT_CODE);
}

/** Writer that encodeCoin uses for all coins. */
const coinWriter = new ByteWriter(16_384);

export function encodeCoin(coin: Coin): Uint8Array {
  const writer = coinWriter.restart();
  writeCoin(writer, coin, coin.script);
  return writer.copy();
}

/**
 * Encodes a coin into a writer.
 * @param bytes buffer with the script: `length` bytes at `at`
 */
export function writeCoin(writer: ByteWriter, coin: Omit<Coin, 'script'>, bytes: Uint8Array, at = 0, length: number = bytes.length): void {
  writeVarint(writer, heightCode(coin));
  writeTxOut(writer, coin.value, bytes, at, length);
}

/**
 * A coin in its stored form, for callers that pass coins on without reading their scripts. Amount and height are
 * decoded at once, the script only when it is needed.
 */
export class StoredCoin implements Coin, PackedOutput {
  /**
   * Creates a coin.
   * @param bytes buffer with the coin from `start` to `end` and its amount at `amountAt`; must never be overwritten
   * @param form form of the script; must be a plain form
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly start: number,
    readonly amountAt: number,
    readonly end: number,
    readonly height: number,
    readonly coinbase: boolean,
    readonly value: number,
    readonly form: number,
  ) {}

  get #scriptAt(): number {
    return this.end - storedLength(this.form);
  }

  get scriptLength(): number {
    return scriptLength(this.form);
  }

  get sigops(): number {
    if (this.form === 1) return SIGOPS.redeemScript;
    return this.form < SPECIAL_FORMS ? SIGOPS.none : sigopsOf(this.bytes, this.#scriptAt, this.end);
  }

  copyScript(into: Uint8Array, at: number): void {
    unpackScript(this.form, this.bytes, this.#scriptAt, into, at);
  }

  /** The script, as a new array at each access. */
  get script(): Uint8Array {
    const script = new Uint8Array(this.scriptLength);
    this.copyScript(script, 0);
    return script;
  }
}

/** Returns the coin in bytes [start, end), which must not be overwritten. Throws StoreError STORE_CORRUPTION. */
export function storedCoin(bytes: Uint8Array, start: number, end: number): Coin {
  try {
    const reader = new ByteReader(bytes, start, end);
    const code = readHeightCode(reader);
    const amountAt = reader.offset;
    const value = readAmount(reader);
    const form = readVarint(reader);
    if (!isPlainForm(form)) return decodeCoin(bytes, start, end);
    if (reader.remaining !== storedLength(form)) throw new DecodeError('bytes left over');
    return new StoredCoin(bytes, start, amountAt, end, Math.floor(code / 2), code % 2 === 1, value, form);
  } catch (error) {
    throw asCorruption(error);
  }
}

/** Decodes the coin in bytes [start, end); the script is a copy. Throws StoreError STORE_CORRUPTION. */
export function decodeCoin(bytes: Uint8Array, start = 0, end: number = bytes.length): Coin {
  try {
    const reader = new ByteReader(bytes, start, end);
    const code = readHeightCode(reader);
    const value = readAmount(reader);
    const script = readScript(reader);
    if (reader.remaining !== 0) throw new DecodeError('bytes left over');
    return { value, script, height: Math.floor(code / 2), coinbase: code % 2 === 1 };
  } catch (error) {
    throw asCorruption(error);
  }
}

function asCorruption(error: unknown): unknown {
  if (!(error instanceof DecodeError)) return error;
  return new StoreError('STORE_CORRUPTION', `Stored coin is damaged: ${error.message}`, error);
}

/**
 * Returns a stored coin with its script in a form that adit writes: forms 4 and 5 come from Core's snapshots only.
 * @throws StoreError STORE_CORRUPTION
 */
export function withPlainScript(coin: Uint8Array): Uint8Array {
  let at = 0;
  // Height code and amount.
  for (let varints = 0; varints < 2; varints++) while ((coin[at++] & 0x80) !== 0);
  return coin[at] === 4 || coin[at] === 5 ? encodeCoin(decodeCoin(coin)) : coin;
}
