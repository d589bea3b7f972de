// A transaction as its own bytes plus a table of offsets: nothing is copied, ids and sizes appear when asked for. Used
// everywhere a transaction is read; values are built by build-tx.ts. Format: BIP-0144 and the legacy one before it.
//
//   legacy:    version 4 | inputs | outputs | locktime 4
//   extended:  version 4 | 00 | flag 01 | inputs | outputs | witness of each input | locktime 4
//   input:     outpoint (txid 32, index 4) | script with size | sequence 4
//   output:    value 8 | script with size
// The table's layout is in read-lists.ts.

import type { Hashes } from '../../crypto/crypto.js';
import { isZero } from '../bytes/hex.js';
import { joinBuffer } from '../bytes/join-buffer.js';
import { ByteReader, DecodeError, readI64, readU32 } from '../bytes/reader.js';
import { copyBytes } from '../bytes/writer.js';
import { OffsetTable } from './offset-table.js';
import { INPUT_SLOTS, OUTPUT_SLOTS, readInputs, readOutputs } from './read-lists.js';
import { LongWitness, MOST_WITNESS_VIEWS, type WitnessStack } from './witness-stack.js';

const WITNESS_FLAG = 1;
const WITNESS_SCALE = 4;

/**
 * What is known of a transaction that was checked before. All of it hangs on the transaction's bytes and on the outputs
 * that they name, so it holds in every chain: it passes checkTransaction, and the rest as follows.
 */
export interface TxFacts {
  /** Satoshis. */
  readonly fee: number;
  /** BIP-0141 cost under P2SH and WITNESS. */
  readonly sigopCost: number;
  /** SCRIPT_VERIFY_* bits under which its scripts pass. */
  readonly flags: number;
}

/** How to read a transaction. */
export interface ParseTxOptions {
  /** Where it starts; default 0. */
  offset?: number;
  /**
   * Read the extended format when marked (default); false treats the marker as an empty input list, as Core without
   * witness does.
   */
  allowWitness?: boolean;
  /** Bytes after the transaction are an error. */
  exact?: boolean;
}

/**
 * Reads one transaction from the bytes, which must stay unchanged while the view lives.
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

/** Reads the transaction at the reader's position into a table that neighbours may share. @throws DecodeError */
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
    // Flag 0 was no flag but an empty output list: a transaction with neither inputs nor outputs.
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

/**
 * The legacy encoding of a transaction in the extended format.
 * @param start of the transaction in `buffer`, and `end` @param body where its inputs begin, and where its outputs end
 * @param out of the size of the legacy encoding; also the result
 */
export function stripTx(buffer: Uint8Array, start: number, body: number, bodyEnd: number, end: number, out: Uint8Array): Uint8Array {
  copyBytes(buffer, start, out, 0, 4);
  out.set(buffer.subarray(body, bodyEnd), 4);
  copyBytes(buffer, end - 4, out, out.length - 4, 4);
  return out;
}

/** A parsed transaction. Indices must be within inputCount and outputCount: callers loop, they do not probe. */
export class TxView {
  readonly inputCount: number;
  readonly outputCount: number;
  /** Whether at least one input has a witness item, which is also whether the bytes are in the extended format. */
  readonly hasWitness: boolean;
  /** The buffer that holds the transaction, perhaps a whole block. */
  readonly buffer: Uint8Array;
  /** Position of the first byte in `buffer`. */
  readonly start: number;
  /** Position after the last byte in `buffer`. */
  readonly end: number;
  readonly #body: number;
  readonly #bodyEnd: number;
  readonly #table: OffsetTable;
  readonly #base: number;
  /** The hash functions that ids are made with. */
  readonly hashes: Hashes;
  /** Null: nothing is known. */
  facts: TxFacts | null = null;
  /** What a mempool learnt of it before its turn (mempool/accept/lookahead.ts): a field costs less than a weak map. */
  prefetched: object | null = null;
  #txidCache: Uint8Array | undefined = undefined;
  #wtxidCache: Uint8Array | undefined = undefined;

  /** Made by parseTx and readTx only. */
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

  /** The whole encoding, witness included; also the exact re-encoding. */
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

  /** Where the outpoint of input i stands in `buffer`: 36 bytes. */
  outpointAt(i: number): number {
    return this.#inputSlot(i, 0);
  }

  /** View of 36 bytes: previous txid in internal order, then its output index little-endian. */
  outpoint(i: number): Uint8Array {
    const at = this.#inputSlot(i, 0);
    return this.buffer.subarray(at, at + 36);
  }

  prevHash(i: number): Uint8Array {
    const at = this.#inputSlot(i, 0);
    return this.buffer.subarray(at, at + 32);
  }

  prevIndex(i: number): number {
    return readU32(this.buffer, this.#inputSlot(i, 0) + 32);
  }

  scriptSig(i: number): Uint8Array {
    return this.buffer.subarray(this.#inputSlot(i, 1), this.#inputSlot(i, 2));
  }

  /** Where the scriptSig of input i begins in `buffer`. */
  scriptSigAt(i: number): number {
    return this.#inputSlot(i, 1);
  }

  /** Length of the scriptSig, without a view of it. */
  scriptSigLength(i: number): number {
    return this.#inputSlot(i, 2) - this.#inputSlot(i, 1);
  }

  sequence(i: number): number {
    return readU32(this.buffer, this.#inputSlot(i, 2));
  }

  /** Whether input i spends the null outpoint (zero hash, index 2^32-1), the mark of a coinbase. */
  isNullOutpoint(i: number): boolean {
    const at = this.#inputSlot(i, 0);
    return readU32(this.buffer, at + 32) === 0xffffffff && isZero(this.buffer.subarray(at, at + 32));
  }

  /** The witness stack of input i, bottom first; empty when there is none. */
  witness(i: number): Uint8Array[] {
    const items: Uint8Array[] = [];
    const at = this.#inputSlot(i, 3);
    if (at === 0) return items;
    const reader = new ByteReader(this.buffer, at, this.end);
    const count = reader.compactSize();
    for (let k = 0; k < count; k++) items.push(reader.varBytes());
    return items;
  }

  /** The same without a view of each item, where there are very many. */
  witnessStack(i: number): WitnessStack {
    return this.witnessCount(i) > MOST_WITNESS_VIEWS ? new LongWitness(this.buffer, this.#inputSlot(i, 3), this.end) : this.witness(i);
  }

  /** Sum over the witness items of input i of what a function makes of their lengths, without making views. */
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

  /** Number of witness items of input i, without making views. */
  witnessCount(i: number): number {
    const at = this.#inputSlot(i, 3);
    return at === 0 ? 0 : new ByteReader(this.buffer, at, this.end).compactSize();
  }

  /** Satoshi; exact within +-2^53, beyond that rounded with sign and order kept. */
  outputValue(i: number): number {
    return readI64(this.buffer, this.#outputSlot(i, 0));
  }

  /** Satoshi, exact over the signed 64-bit range. */
  outputValueBig(i: number): bigint {
    return new ByteReader(this.buffer, this.#outputSlot(i, 0), this.end).i64big();
  }

  outputScript(i: number): Uint8Array {
    // An output ends where the next begins; the entry after the last output closes the table.
    return this.buffer.subarray(this.#outputSlot(i, 1), this.#outputSlot(i + 1, 0));
  }

  /** Where the script of output i begins in `buffer`. */
  outputScriptAt(i: number): number {
    return this.#outputSlot(i, 1);
  }

  /** Length of the output's script, without a view of it. */
  outputScriptLength(i: number): number {
    return this.#outputSlot(i + 1, 0) - this.#outputSlot(i, 1);
  }

  /** View of output i as encoded: value, script size, script. */
  outputBytes(i: number): Uint8Array {
    return this.buffer.subarray(this.#outputSlot(i, 0), this.#outputSlot(i + 1, 0));
  }

  /** View of all outputs as encoded, without their count: what BIP-0143 and BIP-0341 hash. */
  get outputsSerialized(): Uint8Array {
    return this.buffer.subarray(this.#outputSlot(0, 0), this.#bodyEnd);
  }

  /** One input that spends the null outpoint. */
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

  /** BIP-0141. */
  get weight(): number {
    return this.strippedSize * (WITNESS_SCALE - 1) + this.totalSize;
  }

  /** BIP-0141 virtual size: weight over four, rounded up. */
  get vsize(): number {
    return Math.ceil(this.weight / WITNESS_SCALE);
  }

  /** The legacy encoding: the bytes themselves without witness, else a fresh array. */
  stripped(): Uint8Array {
    if (this.end - this.start === this.strippedSize) return this.bytes;
    return this.#strip(new Uint8Array(this.strippedSize));
  }

  #strip(out: Uint8Array): Uint8Array {
    return stripTx(this.buffer, this.start, this.#body, this.#bodyEnd, this.end, out);
  }

  /** Where inputs and outputs stand in `buffer`. */
  get body(): { readonly start: number; readonly end: number } {
    return { start: this.#body, end: this.#bodyEnd };
  }

  /** Whether both ids are here, so that they cost nothing. */
  get identified(): boolean {
    return this.#txidCache !== undefined && (!this.hasWitness || this.#wtxidCache !== undefined);
  }

  /** Double SHA-256 of the legacy encoding, internal order. */
  get txid(): Uint8Array {
    this.#txidCache ??= this.hashes.sha256d(this.hasWitness ? this.#strip(joinBuffer(this.strippedSize)) : this.stripped());
    return this.#txidCache;
  }

  /**
   * Takes over ids that were computed of the same bytes before, and what else is known of those: hashing is most of what
   * looking at a known transaction costs.
   */
  adopt(txid: Uint8Array, wtxid: Uint8Array, facts: TxFacts | null): void {
    this.#txidCache = txid;
    this.#wtxidCache = wtxid;
    this.facts = facts;
  }

  /** Takes over the double SHA-256 of exactly the transaction's bytes, which is its wtxid. */
  adoptHash(hash: Uint8Array): void {
    if (this.hasWitness) this.#wtxidCache = hash;
    else this.#txidCache = hash;
  }

  /** Double SHA-256 of the whole encoding, internal order; the txid when there is no witness. BIP-0141. */
  get wtxid(): Uint8Array {
    if (!this.hasWitness) return this.txid;
    this.#wtxidCache ??= this.hashes.sha256d(this.bytes);
    return this.#wtxidCache;
  }
}
