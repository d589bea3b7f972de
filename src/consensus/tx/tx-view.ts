// A transaction as its bytes and a table of offsets. Nothing is copied; ids and sizes are computed when needed.
// build-tx.ts builds transactions from values. Format: BIP-0144 and the legacy one before it.
//
//   legacy:    version 4 | inputs | outputs | locktime 4
//   extended:  version 4 | 00 | flag 01 | inputs | outputs | witness of each input | locktime 4
//   input:     outpoint (txid 32, index 4) | script with size | sequence 4
//   output:    value 8 | script with size
// The table's layout is in read-lists.ts.

import type { Hashes } from '../../crypto/crypto.js';
import { isZero } from '../bytes/hex.js';
import { ByteReader, DecodeError, readI64, readU32 } from '../bytes/reader.js';
import { copyBytes } from '../bytes/writer.js';
import type { Txid, Wtxid } from '../ids.js';
import { OffsetTable } from './offset-table.js';
import { INPUT_SLOTS, OUTPUT_SLOTS, readInputs, readOutputs } from './read-lists.js';
import { LongWitness, MOST_WITNESS_VIEWS, type WitnessStack } from './witness-stack.js';

const WITNESS_FLAG = 1;
const WITNESS_SCALE = 4;

/**
 * Facts about a transaction that was checked before. They depend only on the transaction's bytes and on the outputs
 * that it spends, so they hold in every chain. A transaction with facts has passed checkTransaction.
 */
export interface TxFacts {
  /** Fee in satoshis. */
  readonly fee: number;
  /** Signature operation cost (BIP-0141) under P2SH and WITNESS. */
  readonly sigopCost: number;
  /** SCRIPT_VERIFY_* bits under which the transaction's scripts pass. */
  readonly flags: number;
}

export interface ParseTxOptions {
  /** Offset of the transaction in the bytes; default 0. */
  offset?: number;
  /**
   * True (default): parse the extended format if its marker is present. False: the marker counts as an empty input
   * list, as for Core without witness support.
   */
  allowWitness?: boolean;
  /** Treat trailing bytes as an error. */
  exact?: boolean;
}

/**
 * Parses a transaction. The bytes must not change while the view is in use.
 * @throws DecodeError
 */
export function parseTx(bytes: Uint8Array, hashes: Hashes, opts: ParseTxOptions = {}): TxView {
  const reader = new ByteReader(bytes, opts.offset ?? 0);
  const table = new OffsetTable();
  const tx = readTx(reader, table, hashes, opts.allowWitness ?? true);
  if (opts.exact && reader.remaining > 0) throw new DecodeError('bytes after the transaction');
  table.trim();
  return tx;
}

/**
 * Parses the transaction at the reader's position. The table may be shared with other transactions.
 * @throws DecodeError
 */
export function readTx(reader: ByteReader, table: OffsetTable, hashes: Hashes, allowWitness: boolean): TxView {
  const start = reader.offset;
  const base = table.length;
  const data = reader.data;
  reader.skip(4);
  let flags = 0;
  let body = reader.offset;
  let inputCount = readInputs(reader, table);
  let outputCount = 0;
  let readOutputsToo = true;
  if (inputCount === 0 && allowWitness) {
    flags = reader.u8();
    // Flag 0 is the number of outputs in the legacy format: a transaction with neither inputs nor outputs.
    readOutputsToo = flags !== 0;
    if (flags !== 0) {
      body = reader.offset;
      inputCount = readInputs(reader, table);
    }
  }
  if (readOutputsToo) outputCount = readOutputs(reader, table);
  table.push(reader.offset);
  const bodyEnd = reader.offset;
  let hasWitness = false;
  if ((flags & WITNESS_FLAG) !== 0) {
    flags ^= WITNESS_FLAG;
    for (let i = 0; i < inputCount; i++) {
      table.set(base + i * INPUT_SLOTS + 3, reader.offset);
      const items = reader.compactSize();
      if (items > 0) hasWitness = true;
      for (let k = 0; k < items; k++) reader.skip(reader.compactSize());
    }
    if (!hasWitness) throw new DecodeError('Superfluous witness record');
  }
  if (flags !== 0) throw new DecodeError('Unknown transaction optional data');
  reader.skip(4);
  return new TxView(data, start, reader.offset, body, bodyEnd, table, base, inputCount, outputCount, hasWitness, hashes);
}

/** Pieces of the encoding without witnesses: version, inputs and outputs, lock time. */
const pieces = new Int32Array(6);

/**
 * Computes the txid of a transaction with a witness, and writes the 32 bytes to to[toAt].
 * @param start offset of the transaction in `buffer`; `end` is its end
 * @param body offset of the inputs; `bodyEnd` is the end of the outputs
 */
export function hashStripped(
  buffer: Uint8Array,
  start: number,
  body: number,
  bodyEnd: number,
  end: number,
  hashes: Hashes,
  to: Uint8Array,
  toAt: number,
): void {
  pieces[0] = start;
  pieces[1] = start + 4;
  pieces[2] = body;
  pieces[3] = bodyEnd;
  pieces[4] = end - 4;
  pieces[5] = end;
  hashes.sha256dPieces(buffer, pieces, 3, to, toAt);
}

/** A parsed transaction. Indices must be below inputCount and outputCount. */
export class TxView {
  readonly inputCount: number;
  readonly outputCount: number;
  /** True if at least one input has a witness item, which means that the bytes are in the extended format. */
  readonly hasWitness: boolean;
  /** Buffer with the transaction, possibly a whole block. */
  readonly buffer: Uint8Array;
  /** Position of the first byte in `buffer`. */
  readonly start: number;
  /** Position after the last byte in `buffer`. */
  readonly end: number;
  readonly #body: number;
  readonly #bodyEnd: number;
  readonly #table: OffsetTable;
  readonly #base: number;
  /** Hash functions for the ids. */
  readonly hashes: Hashes;
  /** Known facts about the transaction; null if it was not checked before. */
  facts: TxFacts | null = null;
  /**
   * State that a mempool has prefetched for this transaction (mempool/accept/tx-prefetcher.ts). A field costs less than
   * a WeakMap.
   */
  prefetched: object | null = null;
  #txidCache: Txid | undefined = undefined;
  #wtxidCache: Wtxid | undefined = undefined;

  /** Only parseTx and readTx create views. */
  constructor(
    buffer: Uint8Array,
    start: number,
    end: number,
    body: number,
    bodyEnd: number,
    table: OffsetTable,
    base: number,
    inputCount: number,
    outputCount: number,
    hasWitness: boolean,
    hashes: Hashes,
  ) {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.#body = body;
    this.#bodyEnd = bodyEnd;
    this.#table = table;
    this.#base = base;
    this.inputCount = inputCount;
    this.outputCount = outputCount;
    this.hasWitness = hasWitness;
    this.hashes = hashes;
  }

  /** The complete encoding with witnesses. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(this.start, this.end);
  }

  /** Signed 32-bit. */
  get version(): number {
    return readU32(this.buffer, this.start) | 0;
  }

  get locktime(): number {
    return readU32(this.buffer, this.end - 4);
  }

  #inputSlot(i: number, slot: number): number {
    return this.#table.data[this.#base + i * INPUT_SLOTS + slot];
  }

  #outputSlot(i: number, slot: number): number {
    return this.#table.data[this.#base + this.inputCount * INPUT_SLOTS + i * OUTPUT_SLOTS + slot];
  }

  /** Returns the offset of input i's outpoint (36 bytes) in `buffer`. */
  outpointAt(i: number): number {
    return this.#inputSlot(i, 0);
  }

  /** Returns a view of 36 bytes: previous txid in internal order, then its output index little-endian. */
  outpoint(i: number): Uint8Array {
    const at = this.#inputSlot(i, 0);
    return this.buffer.subarray(at, at + 36);
  }

  prevHash(i: number): Txid {
    const at = this.#inputSlot(i, 0);
    return this.buffer.subarray(at, at + 32);
  }

  prevIndex(i: number): number {
    return readU32(this.buffer, this.#inputSlot(i, 0) + 32);
  }

  scriptSig(i: number): Uint8Array {
    return this.buffer.subarray(this.#inputSlot(i, 1), this.#inputSlot(i, 2));
  }

  /** Returns the offset of input i's scriptSig in `buffer`. */
  scriptSigAt(i: number): number {
    return this.#inputSlot(i, 1);
  }

  /** Returns the length of the scriptSig without creating a view. */
  scriptSigLength(i: number): number {
    return this.#inputSlot(i, 2) - this.#inputSlot(i, 1);
  }

  sequence(i: number): number {
    return readU32(this.buffer, this.#inputSlot(i, 2));
  }

  /** Returns whether input i spends the null outpoint (zero hash, index 2^32 - 1), the mark of a coinbase. */
  isNullOutpoint(i: number): boolean {
    const at = this.#inputSlot(i, 0);
    return readU32(this.buffer, at + 32) === 0xffffffff && isZero(this.buffer.subarray(at, at + 32));
  }

  /** Returns the witness stack of input i, bottom first; empty if there is none. */
  witness(i: number): Uint8Array[] {
    const items: Uint8Array[] = [];
    const at = this.#inputSlot(i, 3);
    if (at === 0) return items;
    const reader = new ByteReader(this.buffer, at, this.end);
    const count = reader.compactSize();
    for (let k = 0; k < count; k++) items.push(reader.varBytes());
    return items;
  }

  /**
   * Returns the witness stack of input i. If the stack is very large, items are read when needed, without creating a
   * view of each.
   */
  witnessStack(i: number): WitnessStack {
    return this.witnessCount(i) > MOST_WITNESS_VIEWS ? new LongWitness(this.buffer, this.#inputSlot(i, 3), this.end) : this.witness(i);
  }

  /** Returns the sum of a function over the lengths of input i's witness items, without creating views. */
  sumOfWitness(i: number, value: (length: number) => number): number {
    const at = this.#inputSlot(i, 3);
    if (at === 0) return 0;
    const reader = new ByteReader(this.buffer, at, this.end);
    let sum = 0;
    for (let left = reader.compactSize(); left > 0; left--) {
      const length = reader.compactSize();
      reader.skip(length);
      sum += value(length);
    }
    return sum;
  }

  /** Returns the number of witness items of input i, without creating views. */
  witnessCount(i: number): number {
    const at = this.#inputSlot(i, 3);
    return at === 0 ? 0 : new ByteReader(this.buffer, at, this.end).compactSize();
  }

  /**
   * Returns the value of output i in satoshis: exact within +-2^53, otherwise rounded with sign and order preserved.
   */
  outputValue(i: number): number {
    return readI64(this.buffer, this.#outputSlot(i, 0));
  }

  /** Returns the value of output i in satoshis, exact over the signed 64-bit range. */
  outputValueBig(i: number): bigint {
    return new ByteReader(this.buffer, this.#outputSlot(i, 0), this.end).i64big();
  }

  outputScript(i: number): Uint8Array {
    // An output ends where the next one begins. The last table entry is the end of the last output.
    return this.buffer.subarray(this.#outputSlot(i, 1), this.#outputSlot(i + 1, 0));
  }

  /** Returns the offset of output i's script in `buffer`. */
  outputScriptAt(i: number): number {
    return this.#outputSlot(i, 1);
  }

  /** Returns the length of output i's script without creating a view. */
  outputScriptLength(i: number): number {
    return this.#outputSlot(i + 1, 0) - this.#outputSlot(i, 1);
  }

  /** Returns a view of output i as encoded: value, script size, script. */
  outputBytes(i: number): Uint8Array {
    return this.buffer.subarray(this.#outputSlot(i, 0), this.#outputSlot(i + 1, 0));
  }

  /** View of all outputs as encoded, without their count. BIP-0143 and BIP-0341 hash these bytes. */
  get outputsSerialized(): Uint8Array {
    return this.buffer.subarray(this.#outputSlot(0, 0), this.#bodyEnd);
  }

  /** True if the transaction has one input, which spends the null outpoint. */
  get isCoinbase(): boolean {
    return this.inputCount === 1 && this.isNullOutpoint(0);
  }

  get totalSize(): number {
    return this.end - this.start;
  }

  /** Size in the legacy format. */
  get strippedSize(): number {
    return this.#bodyEnd - this.#body + 8;
  }

  /** Weight (BIP-0141). */
  get weight(): number {
    return this.strippedSize * (WITNESS_SCALE - 1) + this.totalSize;
  }

  /** BIP-0141 virtual size: weight over four, rounded up. */
  get vsize(): number {
    return Math.ceil(this.weight / WITNESS_SCALE);
  }

  /** Returns the legacy encoding: the bytes themselves if the transaction has no witness, otherwise a new array. */
  stripped(): Uint8Array {
    if (this.end - this.start === this.strippedSize) return this.bytes;
    const out = new Uint8Array(this.strippedSize);
    copyBytes(this.buffer, this.start, out, 0, 4);
    out.set(this.buffer.subarray(this.#body, this.#bodyEnd), 4);
    copyBytes(this.buffer, this.end - 4, out, out.length - 4, 4);
    return out;
  }

  /** Range of inputs and outputs in `buffer`. */
  get body(): { readonly start: number; readonly end: number } {
    return { start: this.#body, end: this.#bodyEnd };
  }

  /** True if both ids have been computed. */
  get identified(): boolean {
    return this.#txidCache !== undefined && (!this.hasWitness || this.#wtxidCache !== undefined);
  }

  /** Double SHA-256 of the legacy encoding, internal order. */
  get txid(): Txid {
    this.#txidCache ??= this.hasWitness ? this.#strippedHash() : this.hashes.sha256d(this.stripped());
    return this.#txidCache;
  }

  #strippedHash(): Uint8Array {
    const hash = new Uint8Array(32);
    hashStripped(this.buffer, this.start, this.#body, this.#bodyEnd, this.end, this.hashes, hash, 0);
    return hash;
  }

  /**
   * Sets ids that were computed before from the same bytes, and the known facts. This saves the hashing, which is most
   * of the cost of recognising a transaction.
   */
  adopt(txid: Txid, wtxid: Wtxid, facts: TxFacts | null): void {
    this.#txidCache = txid;
    this.#wtxidCache = wtxid;
    this.facts = facts;
  }

  /** Sets the double SHA-256 of exactly the transaction's bytes, which is its wtxid. */
  adoptHash(hash: Uint8Array): void {
    if (this.hasWitness) this.#wtxidCache = hash;
    else this.#txidCache = hash;
  }

  /** Double SHA-256 of the whole encoding, internal order (BIP-0141). Without a witness it equals the txid. */
  get wtxid(): Wtxid {
    if (!this.hasWitness) return this.txid as Uint8Array;
    this.#wtxidCache ??= this.hashes.sha256d(this.bytes);
    return this.#wtxidCache;
  }
}
