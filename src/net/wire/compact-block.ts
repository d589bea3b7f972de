// Compact blocks, BIP-0152 version 2: messages cmpctblock, getblocktxn and blocktxn, and the short ids inside. Callers: relay.
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';

/** Bytes of a short id. */
const SHORT_ID_BYTES = 6;
/** No block has more transactions: 4,000,000 weight over the 60-byte, 240-weight least. */
const MAX_TXS = 66_667;

/** A transaction sent whole inside a compact block. */
export interface PrefilledTx {
  /** Place in the block. */
  readonly index: number;
  readonly tx: TxView;
}

/** cmpctblock. */
export interface CompactBlock {
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly nonce: bigint;
  /** 48-bit numbers in the order of the transactions that are not prefilled. */
  readonly shortIds: readonly number[];
  /** By index. */
  readonly prefilled: readonly PrefilledTx[];
}

export function encodeCompactBlock(block: CompactBlock): Uint8Array {
  const writer = new ByteWriter(120 + block.shortIds.length * SHORT_ID_BYTES);
  writer.bytes(block.header).u64(block.nonce).compactSize(block.shortIds.length);
  for (const id of block.shortIds) writer.u32(id % 0x1_0000_0000).u16(Math.floor(id / 0x1_0000_0000));
  writer.compactSize(block.prefilled.length);
  let last = -1;
  for (const { index, tx } of block.prefilled) {
    writer.compactSize(index - last - 1).bytes(tx.bytes);
    last = index;
  }
  return writer.finish();
}

/** @throws DecodeError */
export function decodeCompactBlock(payload: Uint8Array, hashes: Hashes): CompactBlock {
  const reader = new ByteReader(payload);
  const header = reader.bytes(80);
  const nonce = reader.u64big();
  const count = reader.compactSize(MAX_TXS);
  if (reader.remaining < count * SHORT_ID_BYTES) throw new DecodeError('compact block ends early');
  const shortIds: number[] = new Array(count);
  for (let i = 0; i < count; i++) {
    const low = reader.u32();
    shortIds[i] = reader.u16() * 0x1_0000_0000 + low;
  }
  const whole = reader.compactSize(MAX_TXS);
  const prefilled: PrefilledTx[] = [];
  let index = -1;
  for (let i = 0; i < whole; i++) {
    index += reader.compactSize(0xffff) + 1;
    if (index > 0xffff) throw new DecodeError('index overflowed 16-bits');
    prefilled.push({ index, tx: txAt(payload, reader, hashes) });
  }
  return { header, nonce, shortIds, prefilled };
}

/** Reads one transaction and moves the reader behind it. */
function txAt(payload: Uint8Array, reader: ByteReader, hashes: Hashes): TxView {
  const tx = parseTx(payload, hashes, { offset: reader.offset, exact: false });
  reader.skip(tx.totalSize);
  return tx;
}

/** getblocktxn: which transactions of a block are wanted. */
export interface BlockTxRequest {
  readonly hash: Uint8Array;
  /** Rising. */
  readonly indexes: readonly number[];
}

export function encodeBlockTxRequest({ hash, indexes }: BlockTxRequest): Uint8Array {
  const writer = new ByteWriter(40 + indexes.length * 3).bytes(hash).compactSize(indexes.length);
  let last = -1;
  for (const index of indexes) {
    writer.compactSize(index - last - 1);
    last = index;
  }
  return writer.finish();
}

/** @throws DecodeError */
export function decodeBlockTxRequest(payload: Uint8Array): BlockTxRequest {
  const reader = new ByteReader(payload);
  const hash = reader.hash();
  const count = reader.compactSize();
  if (reader.remaining < count) throw new DecodeError('getblocktxn ends early');
  const indexes: number[] = [];
  let index = -1;
  for (let i = 0; i < count; i++) {
    index += reader.compactSize(0xffff) + 1;
    if (index > 0xffff) throw new DecodeError('differential value overflow');
    indexes.push(index);
  }
  return { hash, indexes };
}

/** blocktxn. */
export function encodeBlockTxs(hash: Uint8Array, txs: readonly TxView[]): Uint8Array {
  const writer = new ByteWriter(40 + txs.reduce((sum, tx) => sum + tx.totalSize, 0)).bytes(hash).compactSize(txs.length);
  for (const tx of txs) writer.bytes(tx.bytes);
  return writer.finish();
}

/** @throws DecodeError */
export function decodeBlockTxs(payload: Uint8Array, hashes: Hashes): { hash: Uint8Array; txs: TxView[] } {
  const reader = new ByteReader(payload);
  const hash = reader.hash();
  const count = reader.compactSize(MAX_TXS);
  const txs: TxView[] = [];
  for (let i = 0; i < count; i++) txs.push(txAt(payload, reader, hashes));
  return { hash, txs };
}

/** Short ids of one compact block: SipHash-2-4 of the wtxid under a key from header and nonce, its low 48 bits. */
export class ShortIds {
  readonly #k0: bigint;
  readonly #k1: bigint;
  readonly #state = new SipState();

  constructor(header: Uint8Array, nonce: bigint, hashes: Hashes) {
    const key = hashes.sha256(new ByteWriter(88).bytes(header).u64(nonce).finish());
    const reader = new ByteReader(key);
    this.#k0 = reader.u64big();
    this.#k1 = reader.u64big();
  }

  /** @param wtxid 32 bytes, internal order */
  of(wtxid: Uint8Array): number {
    return this.#state.hash256(this.#k0, this.#k1, wtxid);
  }
}

/** SipHash-2-4 over exactly 32 bytes, in pairs of 32-bit halves: a mempool of 100,000 is hashed for each compact block. */
class SipState {
  /** v0..v3 as low and high halves. */
  readonly #v = new Int32Array(8);

  hash256(k0: bigint, k1: bigint, data: Uint8Array): number {
    const v = this.#v;
    const k0l = Number(k0 & 0xffffffffn) | 0;
    const k0h = Number(k0 >> 32n) | 0;
    const k1l = Number(k1 & 0xffffffffn) | 0;
    const k1h = Number(k1 >> 32n) | 0;
    v[0] = k0l ^ 0x70736575;
    v[1] = k0h ^ 0x736f6d65;
    v[2] = k1l ^ 0x6e646f6d;
    v[3] = k1h ^ 0x646f7261;
    v[4] = k0l ^ 0x6e657261;
    v[5] = k0h ^ 0x6c796765;
    v[6] = k1l ^ 0x79746573;
    v[7] = k1h ^ 0x74656462;
    for (let at = 0; at < 32; at += 8) {
      const low = word(data, at);
      const high = word(data, at + 4);
      this.#absorb(low, high);
    }
    this.#absorb(0, 32 << 24);
    v[4] = (v[4] as number) ^ 0xff;
    for (let i = 0; i < 4; i++) this.#round();
    const low = (v[0] as number) ^ (v[2] as number) ^ (v[4] as number) ^ (v[6] as number);
    const high = (v[1] as number) ^ (v[3] as number) ^ (v[5] as number) ^ (v[7] as number);
    return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
  }

  #absorb(low: number, high: number): void {
    const v = this.#v;
    v[6] = (v[6] as number) ^ low;
    v[7] = (v[7] as number) ^ high;
    this.#round();
    this.#round();
    v[0] = (v[0] as number) ^ low;
    v[1] = (v[1] as number) ^ high;
  }

  #round(): void {
    const v = this.#v;
    this.#add(0, 2);
    this.#rotate(2, 13);
    xor(v, 2, 0);
    swap(v, 0);
    this.#add(4, 6);
    this.#rotate(6, 16);
    xor(v, 6, 4);
    this.#add(0, 6);
    this.#rotate(6, 21);
    xor(v, 6, 0);
    this.#add(4, 2);
    this.#rotate(2, 17);
    xor(v, 2, 4);
    swap(v, 4);
  }

  /** 64-bit v[a] += v[b]. */
  #add(a: number, b: number): void {
    const v = this.#v;
    const low = ((v[a] as number) >>> 0) + ((v[b] as number) >>> 0);
    v[a + 1] = (v[a + 1] as number) + (v[b + 1] as number) + (low > 0xffffffff ? 1 : 0);
    v[a] = low;
  }

  /** Rotates left by fewer than 32 bits. */
  #rotate(a: number, bits: number): void {
    const v = this.#v;
    const low = v[a] as number;
    const high = v[a + 1] as number;
    v[a] = (low << bits) | (high >>> (32 - bits));
    v[a + 1] = (high << bits) | (low >>> (32 - bits));
  }
}

function xor(v: Int32Array, a: number, b: number): void {
  v[a] = (v[a] as number) ^ (v[b] as number);
  v[a + 1] = (v[a + 1] as number) ^ (v[b + 1] as number);
}

/** Rotates by 32: the halves change places. */
function swap(v: Int32Array, a: number): void {
  const low = v[a] as number;
  v[a] = v[a + 1] as number;
  v[a + 1] = low;
}

function word(data: Uint8Array, at: number): number {
  return (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16) | ((data[at + 3] as number) << 24);
}
