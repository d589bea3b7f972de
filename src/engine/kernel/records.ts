// Writes what a block does to the coins: one segment of records for each shard, in the order of transactions. An
// outpoint belongs to one shard, so this order gives the exact rule that only later transactions can spend an output.
//
//   spend    0x80000000 | index of the input, 4 | outpoint, 36
//   outputs  number of outputs, with 0x40000000 for a coinbase, 4 | txid, 32 | for each output: index, 4 | length, 4 |
//            coin as it is stored, rounded up to 4

import { at, copy20, copy32, readSize, seek, skip, u8at, writeVarint } from './bytes';
import {
  DIGEST, DIGEST_BYTES, E_SEGMENTS, HEIGHT, IDS, INPUT_COUNT, INS, MAX_SCRIPT, SEGMENT_BEGIN, SEGMENT_END, TX_BYTES, TX_COUNT, TXS,
} from './layout';

export const SPEND: u32 = 0x80000000;
export const COINBASE: u32 = 0x40000000;
export const SPEND_BYTES: u32 = 40;
/** Bytes before the outputs of a transaction. */
export const OUTPUTS_HEAD: u32 = 36;
/**
 * Most bytes of an output's record beyond its bytes in the block, which are its script and nine or more: 8 for index and length, 5 for the height,
 * 8 for the amount, 2 for the script's form, 3 for rounding.
 */
const OUTPUT_EXTRA: u32 = 20;

/** Returns the shard of the outpoints of a transaction. */
// @ts-ignore: decorator
@inline export function shardOf(txid: usize, shards: u32): u32 { return <u32>((<u64>load<u32>(txid) * <u64>shards) >> 32); }

/** Writes the segments. @returns 0 or an error code */
export function emit(slot: usize, shards: u32): i32 {
  const txs = load<u32>(slot, TX_COUNT);
  const ends = slot + SEGMENT_END, begins = slot + SEGMENT_BEGIN, ins = slot + INS;
  for (let s: u32 = 0; s < shards; s++) store<u32>(ends + (s << 2), 0);
  for (let i: u32 = 1, n = load<u32>(slot, INPUT_COUNT); i < n; i++) {
    const s = ends + (shardOf(slot + load<u32>(ins + (i << 2)), shards) << 2);
    store<u32>(s, load<u32>(s) + SPEND_BYTES);
  }
  for (let t: u32 = 0; t < txs; t++) {
    const row = slot + TXS + t * TX_BYTES;
    const s = ends + (shardOf(slot + IDS + t * 32, shards) << 2);
    store<u32>(s, load<u32>(s) + OUTPUTS_HEAD + load<u32>(row, 24) * OUTPUT_EXTRA + load<u32>(row, 8) - load<u32>(row, 40));
  }
  let sum: u32 = DIGEST;
  for (let s: u32 = 0; s < shards; s++) {
    const most = load<u32>(ends + (s << 2));
    store<u32>(ends + (s << 2), sum);
    store<u32>(begins + (s << 2), sum);
    sum += (most + 15) & ~7;
  }
  if (sum > DIGEST + DIGEST_BYTES) return E_SEGMENTS;
  const height = load<u32>(slot, HEIGHT);
  for (let t: u32 = 0; t < txs; t++) {
    const row = slot + TXS + t * TX_BYTES;
    if (t > 0) emitSpends(slot, load<u32>(row, 20), load<u32>(row, 16), shards);
    emitOutputs(slot, t, row, height, shards);
  }
  return 0;
}

function emitSpends(slot: usize, first: u32, count: u32, shards: u32): void {
  const ins = slot + INS, ends = slot + SEGMENT_END;
  for (let i = first; i < first + count; i++) {
    const outpoint = slot + load<u32>(ins + (i << 2));
    const s = ends + (shardOf(outpoint, shards) << 2);
    const to = load<u32>(s), record = slot + to;
    store<u32>(record, SPEND | i);
    copy32(record + 4, outpoint);
    store<u32>(record, load<u32>(outpoint, 32), 36);
    store<u32>(s, to + SPEND_BYTES);
  }
}

function emitOutputs(slot: usize, t: u32, row: usize, height: u32, shards: u32): void {
  const id = slot + IDS + t * 32;
  const s = slot + SEGMENT_END + (shardOf(id, shards) << 2);
  const head = slot + load<u32>(s);
  copy32(head + 4, id);
  let record = head + OUTPUTS_HEAD;
  seek(slot + load<u32>(row, 40), slot + load<u32>(row, 8));
  let coins: u32 = 0;
  const heightCode = <u64>height * 2 + <u64>(t == 0);
  for (let i: u32 = 0, n = load<u32>(row, 24); i < n; i++) {
    const value = load<u64>(at);
    skip(8);
    const length = readSize();
    const script = at;
    skip(length);
    // An unspendable output is no coin.
    if ((length > 0 && u8at(script) == 0x6a) || length > MAX_SCRIPT) continue;
    let p = writeVarint(record + 8, heightCode);
    p = writeVarint(p, compressAmount(value));
    p = writeScript(p, script, length);
    store<u32>(record, i);
    store<u32>(record, <u32>(p - record - 8), 4);
    record = (p + 3) & ~3;
    coins++;
  }
  if (coins == 0) return;
  store<u32>(head, coins | (t == 0 ? COINBASE : 0));
  store<u32>(s, <u32>(record - slot));
}

/** Compresses an amount (storage/codec/coin.ts). */
export function compressAmount(value: u64): u64 {
  if (value == 0) return 0;
  let e: u64 = 0, n = value;
  while (e < 9 && n % 10 == 0) { n /= 10; e++; }
  if (e < 9) {
    const digit = n % 10;
    return 1 + (n / 10 * 9 + digit - 1) * 10 + e;
  }
  return 1 + (n - 1) * 10 + 9;
}

/** Decompresses an amount of at most 9 bytes; the result may exceed the largest amount but not 64 bits. */
export function decompressAmount(compressed: u64): u64 {
  if (compressed == 0) return 0;
  let x = compressed - 1;
  let e = x % 10;
  x /= 10;
  let n: u64;
  if (e < 9) {
    n = x / 9 * 10 + x % 9 + 1;
  } else n = x + 1;
  // Above this limit the product would be more than all money anyway, and might overflow.
  if (n > 2_100_000_000_000_000) return n;
  while (e > 0) {
    n *= 10;
    e--;
    if (n > 2_100_000_000_000_000) return n;
  }
  return n;
}

/** Writes a script in its stored form (storage/codec/script.ts). @returns the position behind it */
function writeScript(p: usize, s: usize, length: u32): usize {
  if (length == 25 && (load<u32>(s) & 0xffffff) == 0x14a976 && load<u16>(s, 23) == 0xac88) {
    store<u8>(p, 0);
    copy20(p + 1, s + 3);
    return p + 21;
  }
  if (length == 23 && load<u16>(s) == 0x14a9 && u8at(s + 22) == 0x87) {
    store<u8>(p, 1);
    copy20(p + 1, s + 2);
    return p + 21;
  }
  if (length == 35 && u8at(s) == 33 && u8at(s + 34) == 0xac && (u8at(s + 1) & 0xfe) == 2) {
    memory.copy(p, s + 1, 33);
    return p + 33;
  }
  p = writeVarint(p, length + 6);
  memory.copy(p, s, length);
  return p + length;
}
