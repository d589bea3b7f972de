// Hashes messages with OpenSSL's SHA-256: header, ids, merkle roots, the checksum of the undo data.
//
// Scratch of a thread: context of SHA-256, 128 | one message | CHECK: a script check (checks.ts) | SPENT: outputs that a
// transaction spends (spent.ts)

import { at, copy32, readSize, same32, seek, skip } from './bytes';
import {
  DIGEST, E_COMMITMENT, E_HEADER, E_MERKLE_ROOT, E_MUTATED, E_UNEXPECTED_WITNESS, FLAGS, HASH, IDS, MAX_INPUTS, RAW, RAW_BYTES, RESERVED,
  TX_BYTES, TX_COUNT, TXS, UNDO, UNDO_CHECKSUM, UNDO_LENGTH, WIDS, WITNESS_TXS, WITNESSES,
} from './layout';
import { SPENT_BYTES } from './spent';

export const MESSAGE: u32 = 128;
/** The longest messages are undo data and the scripts that a transaction spends. */
export const CHECK: u32 = (MESSAGE + 2 * RAW_BYTES + 1024 + 7) & ~7;
export const SPENT: u32 = CHECK + 512;
export const SCRATCH_BYTES: u32 = (SPENT + SPENT_BYTES * MAX_INPUTS + 65535) & ~65535;

const HEADER: u32 = 80;
/** Offsets in the header. */
const PREV_HASH: u32 = 4;
const MERKLE_ROOT: u32 = 36;

/** Writes the initial state of SHA-256 as OpenSSL's context holds it. */
// @ts-ignore: decorator
@inline function initial(context: usize): void {
  store<u64>(context, 0xbb67ae856a09e667); store<u64>(context, 0xa54ff53a3c6ef372, 8); store<u64>(context, 0x9b05688c510e527f, 16);
  store<u64>(context, 0x5be0cd191f83d9ab, 24); store<u64>(context, 0, 32); store<u32>(context, 0, 104);
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
  compress(scratch, p, pad(p, length));
  digest(scratch, to);
}
/** Hashes a message twice, and overwrites it. */
export function sha256d(scratch: usize, p: usize, length: u32, to: usize): void {
  sha256(scratch, p, length, p);
  sha256(scratch, p, 32, to);
}

/** Computes header hash, ids and roots of a parsed block, and compares them. @returns 0 or an error code */
export function checkHashes(slot: usize, scratch: usize): i32 {
  const p = scratch + MESSAGE;
  memory.copy(p, slot + RAW, HEADER);
  sha256d(scratch, p, HEADER, p);
  if (!same32(p, slot + HASH)) return E_HEADER;
  const txs = load<u32>(slot, TX_COUNT);
  hashIds(slot, scratch, txs);
  const root = merkleRoot(slot, scratch, IDS, txs);
  if (!same32(root, slot + RAW + MERKLE_ROOT)) return E_MERKLE_ROOT;
  if (mutated) return E_MUTATED;
  const commitment = load<u32>(slot, FLAGS) & WITNESSES ? findCommitment(slot) : 0;
  if (commitment == 0) return load<u32>(slot, WITNESS_TXS) == 0 ? 0 : E_UNEXPECTED_WITNESS;
  const reserved = load<u32>(slot, RESERVED);
  if (reserved == 0) return E_COMMITMENT;
  const witnessRoot = merkleRoot(slot, scratch, WIDS, txs);
  copy32(p, witnessRoot);
  copy32(p + 32, slot + reserved);
  sha256d(scratch, p, 64, p);
  return same32(p, slot + commitment) ? 0 : E_COMMITMENT;
}

/** Computes txids and wtxids. The wtxid of the coinbase is zero. */
function hashIds(slot: usize, scratch: usize, txs: u32): void {
  const p = scratch + MESSAGE;
  for (let t: u32 = 0; t < txs; t++) {
    const row = slot + TXS + t * TX_BYTES, id = slot + IDS + t * 32, wid = slot + WIDS + t * 32;
    const start = slot + load<u32>(row), end = slot + load<u32>(row, 12);
    const whole = <u32>(end - start);
    if (load<u32>(row, 28) != 0) {
      const body = slot + load<u32>(row, 4);
      const inner = <u32>(slot + load<u32>(row, 8) - body);
      store<u32>(p, load<u32>(start));
      memory.copy(p + 4, body, inner);
      store<u32>(p + 4 + inner, load<u32>(end - 4));
      sha256d(scratch, p, inner + 8, id);
      memory.copy(p, start, whole);
      if (t > 0) sha256d(scratch, p, whole, wid);
    } else {
      memory.copy(p, start, whole);
      sha256d(scratch, p, whole, id);
      copy32(wid, id);
    }
  }
  memory.fill(slot + WIDS, 0, 32);
}

/** True if merkleRoot has paired two equal hashes. */
let mutated = false;
/** Computes the root over hashes at an offset of the slot. @returns its address */
function merkleRoot(slot: usize, scratch: usize, leaves: u32, count: u32): usize {
  const p = scratch + MESSAGE, to = slot + DIGEST;
  mutated = false;
  let level = slot + leaves;
  for (; count > 1; count = (count + 1) >> 1, level = to) {
    for (let i: u32 = 0; i < count; i += 2) {
      const left = level + (<usize>i << 5), right = i + 1 < count ? left + 32 : left;
      if (right != left && same32(left, right)) mutated = true;
      copy32(p, left);
      copy32(p + 32, right);
      sha256d(scratch, p, 64, to + (<usize>i << 4));
    }
  }
  return level;
}

/** Hashes the undo data of a finished block for the record in a rev file: sha256d of the parent's hash and the data. */
export function hashUndo(slot: usize, scratch: usize): void {
  const p = scratch + MESSAGE, length = load<u32>(slot, UNDO_LENGTH);
  copy32(p, slot + RAW + PREV_HASH);
  memory.copy(p + 32, slot + UNDO, length);
  sha256d(scratch, p, 32 + length, slot + UNDO_CHECKSUM);
}

/** Returns the offset of the witness commitment in the coinbase (BIP-0141); 0 for none. */
function findCommitment(slot: usize): u32 {
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
