// Lays out messages for SHA-256 in the shared memory. The worker runs the function over them (sha256-update.ts).
//
// Scratch of a thread: 128 bytes for each message's context | LIST: context, message, length | destinations | SECOND:
// second messages | messages | CHECK: a script check (checks.ts) | SPENT: outputs that a transaction spends (spent.ts)

import { at, copy32, readSize, same32, seek, skip } from './bytes';
import { IDS, MAX_INPUTS, RAW, RAW_BYTES, TX_BYTES, TXS, WIDS } from './layout';
import { SPENT_BYTES } from './spent';

/** Messages that are hashed in one go. */
const CHUNK: u32 = 512;
export const LIST: u32 = CHUNK * 128;
const DESTINATIONS: u32 = LIST + CHUNK * 12;
export const SECOND: u32 = DESTINATIONS + CHUNK * 4;
export const MESSAGES: u32 = SECOND + CHUNK * 64;
/** Bytes of messages after which no further transaction is added. */
const ENOUGH: u32 = 160_000;
/** The largest transaction may follow, as a whole and without its witness. */
export const CHECK: u32 = (MESSAGES + ENOUGH + 2 * RAW_BYTES + 1024 + 7) & ~7;
export const SPENT: u32 = CHECK + 512;
export const SCRATCH_BYTES: u32 = (SPENT + SPENT_BYTES * MAX_INPUTS + 65535) & ~65535;

/** Writes the initial state of SHA-256 as OpenSSL's context holds it. */
// @ts-ignore: decorator
@inline function initial(context: usize): void {
  store<u64>(context, 0xbb67ae856a09e667); store<u64>(context, 0xa54ff53a3c6ef372, 8); store<u64>(context, 0x9b05688c510e527f, 16);
  store<u64>(context, 0x5be0cd191f83d9ab, 24);
}
/** Pads a message. @returns its length with the padding */
// @ts-ignore: decorator
@inline function pad(p: usize, length: u32): u32 {
  const whole = (length + 9 + 63) & ~63;
  memory.fill(p + length, 0, whole - length);
  store<u8>(p + length, 0x80);
  store<u64>(p + whole - 8, bswap<u64>(<u64>length << 3));
  return whole;
}
// @ts-ignore: decorator
@inline function put(scratch: usize, m: u32, p: usize, whole: u32, destination: u32): u32 {
  const context = scratch + m * 128, list = scratch + LIST + m * 12;
  initial(context);
  store<u64>(context, 0, 32); store<u32>(context, 0, 104);
  store<u32>(list, <u32>context); store<u32>(list, <u32>p, 4); store<u32>(list, whole, 8);
  store<u32>(scratch + DESTINATIONS + m * 4, destination);
  return whole;
}
// @ts-ignore: decorator
@inline function swapWords(x: u64): u64 { return rotr<u64>(bswap<u64>(x), 32); }
// @ts-ignore: decorator
@inline function digest(context: usize, to: usize): void {
  for (let k: usize = 0; k < 32; k += 8) store<u64>(to + k, swapWords(load<u64>(context + k)));
}

/** Runs SHA-256's compression over whole blocks of a message (sha256-update.ts). The kernel's loader provides the function. */
// @ts-ignore: decorator
@external("env", "compress") declare function compress(context: usize, message: usize, length: u32): void;

/** Hashes a message, with space for its padding behind it. The context lies at the begin of the scratch. */
export function sha256(scratch: usize, p: usize, length: u32, to: usize): void {
  initial(scratch);
  store<u64>(scratch, 0, 32); store<u32>(scratch, 0, 104);
  compress(scratch, p, pad(p, length));
  digest(scratch, to);
}
/** Hashes a message twice, and overwrites it. */
export function sha256d(scratch: usize, p: usize, length: u32, to: usize): void {
  sha256(scratch, p, length, p);
  sha256(scratch, p, 32, to);
}

/** Lays out transactions from index `from` on. @returns number of messages | number of transactions << 16 */
export function layOutIds(slot: usize, scratch: usize, from: u32, txs: u32): u32 {
  let m: u32 = 0, t = from;
  let p = scratch + MESSAGES;
  const stop = p + ENOUGH;
  while (t < txs && m + 2 <= CHUNK && p < stop) {
    const row = slot + TXS + t * TX_BYTES;
    const start = slot + load<u32>(row), body = slot + load<u32>(row, 4), bodyEnd = slot + load<u32>(row, 8), end = slot + load<u32>(row, 12);
    const whole = <u32>(end - start);
    if (load<u32>(row, 28) != 0) {
      const inner = <u32>(bodyEnd - body);
      store<u32>(p, load<u32>(start));
      memory.copy(p + 4, body, inner);
      store<u32>(p + 4 + inner, load<u32>(end - 4));
      p += put(scratch, m++, p, pad(p, inner + 8), IDS + t * 32);
      if (t > 0) {
        memory.copy(p, start, whole);
        p += put(scratch, m++, p, pad(p, whole), WIDS + t * 32);
      }
    } else {
      memory.copy(p, start, whole);
      p += put(scratch, m++, p, pad(p, whole), IDS + t * 32);
    }
    t++;
  }
  return m | (t - from) << 16;
}

/** Lays out pairs of a level of a merkle tree at offset `level`; results go to offset `to`. @returns number of messages */
export function layOutPairs(slot: usize, scratch: usize, level: u32, to: u32, from: u32, pairs: u32): u32 {
  let m: u32 = 0;
  let p = scratch + MESSAGES;
  while (m < CHUNK && from + m < pairs) {
    memory.copy(p, slot + level + ((from + m) << 6), 64);
    p += put(scratch, m, p, pad(p, 64), to + ((from + m) << 5));
    m++;
  }
  return m;
}

/** Lays out one message of any range of the memory of at most two blocks' size. @param destination offset in the slot */
export function layOutBytes(scratch: usize, from: usize, length: u32, destination: u32): void {
  const p = scratch + MESSAGES;
  memory.copy(p, from, length);
  put(scratch, 0, p, pad(p, length), destination);
}

/** Makes second messages of the first hashes. */
export function layOutSecond(scratch: usize, m: u32): void {
  for (let i: u32 = 0; i < m; i++) {
    const context = scratch + i * 128, p = scratch + SECOND + i * 64;
    digest(context, p);
    store<u64>(p, 0x80, 32); store<u64>(p, 0, 40); store<u64>(p, 0, 48); store<u64>(p, 0x0001000000000000, 56);
    initial(context);
  }
}

/** Copies the hashes to their destinations. */
export function takeHashes(slot: usize, scratch: usize, m: u32): void {
  for (let i: u32 = 0; i < m; i++) digest(scratch + i * 128, slot + load<u32>(scratch + DESTINATIONS + i * 4));
}

/** Completes the wtxids: zeros for the coinbase, and the txids of transactions without a witness. */
export function fillWtxids(slot: usize, txs: u32): void {
  memory.fill(slot + WIDS, 0, 32);
  for (let t: u32 = 1; t < txs; t++) if (load<u32>(slot + TXS + t * TX_BYTES, 28) == 0) copy32(slot + WIDS + t * 32, slot + IDS + t * 32);
}

/** Repeats the last hash of an odd level. @returns number of pairs, negative if two given hashes of a pair are equal */
export function evenLevel(slot: usize, level: u32, count: u32): i32 {
  let same = false;
  for (let i: u32 = 0; i + 1 < count; i += 2) {
    const a = slot + level + (i << 5);
    if (same32(a, a + 32)) same = true;
  }
  if (count & 1) copy32(slot + level + (count << 5), slot + level + ((count - 1) << 5));
  const pairs = <i32>((count + 1) >> 1);
  return same ? -pairs : pairs;
}

/** Returns the offset of the witness commitment in the coinbase (BIP-0141); 0 for none. */
export function findCommitment(slot: usize): u32 {
  const row = slot + TXS;
  seek(slot + load<u32>(row, 40), slot + load<u32>(row, 8));
  let found: u32 = 0;
  for (let i: u32 = 0, n = load<u32>(row, 24); i < n; i++) {
    skip(8);
    const length = readSize();
    if (length >= 38 && load<u32>(at) == 0x21aa246a && load<u16>(at, 4) == 0xeda9) found = <u32>(at + 6 - slot);
    skip(length);
  }
  return found;
}

/** Returns whether the 32 bytes at two places are equal. */
export function equal32(a: usize, b: usize): bool { return same32(a, b); }
