// Lays out signature, key and hashed message of an input for one check on the curve. Takes the usual spends only: P2PKH and
// P2WPKH with a compressed key and hash type ALL, and P2TR by key without an annex, with hash type DEFAULT or ALL. The
// interpreter judges all others. The block must be finished.
//
// CHECK: signature, r and s, 64 | key 33, or x-only 32 | expected hash of the key 20 | message 32 | PARTS: SHA-256 of all
// outpoints, amounts, scripts, sequences, outputs (BIP-0341) | SHA-256 of the first, fourth and fifth (BIP-0143) |
// SHA-256 of "TapSighash", which the thread writes once

import { at, copy20, copy32, readSize, seek, skip, u8at } from './bytes';
import { CHECK, MESSAGE, sha256, sha256d, SPENT } from './hashing';
import { INS, TX_BYTES, TXS } from './layout';
import { listSpent, SPENT_BYTES } from './spent';

export const CHECK_KEY: u32 = 64;
export const CHECK_KEY_HASH: u32 = 100;
export const CHECK_MESSAGE: u32 = 120;
const PARTS: u32 = 152;
const DOUBLE_PARTS: u32 = PARTS + 5 * 32;
export const CHECK_TAG: u32 = DOUBLE_PARTS + 3 * 32;

/** Results of layOutCheck. 0: the interpreter must judge the input. */
export const CHECK_ECDSA: u32 = 1;
export const CHECK_SCHNORR: u32 = 2;

/** SCRIPT_VERIFY_WITNESS and SCRIPT_VERIFY_TAPROOT (consensus/script/flags.ts). */
const WITNESS: u32 = 1 << 11;
const TAPROOT: u32 = 1 << 17;

const SIGHASH_ALL: u32 = 1;
const KEY_BYTES: u32 = 33;
/** Sizes of a strict DER signature with its hash type. A shorter one might occur in the script, which would remove it there. */
const MIN_SIGNATURE: u32 = 21;
const MAX_SIGNATURE: u32 = 73;
/** Bits of `known`. */
const COMMON_PARTS: u32 = 1;
const BIP143_PARTS: u32 = 2;
const BIP341_PARTS: u32 = 4;

/** The open transaction: its row and scratch, its number of inputs, and the hashes in PARTS that are computed. */
let row: usize = 0;
let block: usize = 0;
let scratch: usize = 0;
let inputs: u32 = 0;
let known: u32 = 0;
/** Position of the witness of input `witnessOf`. */
let witnessAt: usize = 0;
let witnessOf: u32 = 0;

/** Opens a transaction, whose spent outputs are listed at SPENT then. */
export function openTx(slot: usize, t: u32, scratchAt: usize): void {
  block = slot;
  row = slot + TXS + t * TX_BYTES;
  scratch = scratchAt;
  inputs = load<u32>(row, 16);
  known = 0;
  witnessAt = slot + load<u32>(row, 8);
  witnessOf = 0;
  listSpent(slot, t, scratch + SPENT);
}

/** Lays out the check of an input of the open transaction. */
export function layOutCheck(i: u32, flags: u32): u32 {
  const spent = spentAt(i);
  const script = <usize>load<u32>(spent, 8), length = load<u32>(spent, 12);
  seek(inputAt(i) + 36, slotEnd());
  const unlock = readSize(), from = at;
  const items = seekWitness(i);
  if (length == 25) {
    if (items != 0 || (load<u32>(script) & 0xffffff) != 0x14a976 || load<u16>(script, 23) != 0xac88) return 0;
    return layOutKeyHash(i, script, from, unlock);
  }
  // A program whose first eight bytes are zero may count as false.
  if (unlock != 0 || (flags & WITNESS) == 0 || length < 22 || load<u64>(script, 2) == 0) return 0;
  if (length == 22 && load<u16>(script) == 0x1400 && items == 2) return layOutWitnessKeyHash(i, script);
  if (length == 34 && load<u16>(script) == 0x2051 && items == 1 && (flags & TAPROOT) != 0) return layOutTaproot(i, script);
  return 0;
}

// @ts-ignore: decorator
@inline function spentAt(i: u32): usize { return scratch + SPENT + i * SPENT_BYTES; }
// @ts-ignore: decorator
@inline function inputAt(i: u32): usize { return block + load<u32>(block + INS + ((load<u32>(row, 20) + i) << 2)); }
// @ts-ignore: decorator
@inline function slotEnd(): usize { return block + load<u32>(row, 12); }
// @ts-ignore: decorator
@inline function check(): usize { return scratch + CHECK; }

/** Moves the cursor to the witness of an input. @returns its number of items */
function seekWitness(i: u32): u32 {
  if (load<u32>(row, 28) == 0) return 0;
  if (i < witnessOf) {
    witnessAt = block + load<u32>(row, 8);
    witnessOf = 0;
  }
  seek(witnessAt, slotEnd());
  for (; witnessOf < i; witnessOf++) for (let items = readSize(); items > 0; items--) skip(readSize());
  witnessAt = at;
  return readSize();
}

/** Copies a compressed key. */
function takeKey(p: usize): bool {
  memory.copy(check() + CHECK_KEY, p, KEY_BYTES);
  return (u8at(p) & 0xfe) == 2;
}

/** Reads a strict DER signature (isStrictDer of consensus/script/der.ts) with hash type ALL and numbers of at most 32 bytes. */
function takeSignature(p: usize, length: u32): bool {
  if (length < MIN_SIGNATURE || length > MAX_SIGNATURE) return false;
  const lengthR = u8at(p + 3);
  if (u8at(p) != 0x30 || u8at(p + 1) != length - 3 || lengthR + 7 > length) return false;
  if (u8at(p + 5 + lengthR) != length - 7 - lengthR || u8at(p + length - 1) != SIGHASH_ALL) return false;
  return takeInteger(check(), p + 2) && takeInteger(check() + 32, p + 4 + lengthR);
}

function takeInteger(to: usize, p: usize): bool {
  let length = u8at(p + 1);
  if (u8at(p) != 2 || length == 0 || u8at(p + 2) >= 0x80) return false;
  p += 2;
  if (length > 1 && u8at(p) == 0) {
    if (u8at(p + 1) < 0x80) return false;
    p++;
    length--;
  }
  if (length > 32) return false;
  memory.fill(to, 0, 32 - length);
  memory.copy(to + 32 - length, p, length);
  return true;
}

function layOutKeyHash(i: u32, script: usize, from: usize, unlock: u32): u32 {
  if (unlock < MIN_SIGNATURE + 2 + KEY_BYTES) return 0;
  const length = u8at(from);
  if (length > MAX_SIGNATURE || unlock != length + 2 + KEY_BYTES || u8at(from + 1 + length) != KEY_BYTES) return 0;
  if (!takeSignature(from + 1, length) || !takeKey(from + 2 + length)) return 0;
  copy20(check() + CHECK_KEY_HASH, script + 3);
  hashLegacy(i, script);
  return CHECK_ECDSA;
}

/** Hashes the transaction with the script in the input, and without the other scripts. */
function hashLegacy(i: u32, script: usize): void {
  const begin = scratch + MESSAGE;
  store<u32>(begin, load<u32>(row, 44));
  let p = begin + 4 + copyRange(begin + 4, block + load<u32>(row, 4), inputAt(0));
  for (let k: u32 = 0; k < inputs; k++) {
    copyOutpoint(p, inputAt(k));
    p += 36;
    if (k == i) {
      store<u8>(p, 25);
      memory.copy(p + 1, script, 25);
      p += 26;
    } else store<u8>(p++, 0);
    store<u32>(p, sequence(k));
    p += 4;
  }
  // The cursor is at the last sequence, and the outputs and their number follow.
  p += copyRange(p, at + 4, block + load<u32>(row, 8));
  store<u32>(p, load<u32>(slotEnd() - 4));
  store<u32>(p, SIGHASH_ALL, 4);
  sha256d(scratch, begin, <u32>(p + 8 - begin), check() + CHECK_MESSAGE);
}

/** Returns an input's sequence, and leaves the cursor there. */
function sequence(i: u32): u32 {
  seek(inputAt(i) + 36, slotEnd());
  skip(readSize());
  return load<u32>(at);
}

// @ts-ignore: decorator
@inline function copyRange(to: usize, from: usize, end: usize): usize { memory.copy(to, from, end - from); return end - from; }
// @ts-ignore: decorator
@inline function copyOutpoint(to: usize, from: usize): void { copy32(to, from); store<u32>(to, load<u32>(from, 32), 32); }

function layOutWitnessKeyHash(i: u32, script: usize): u32 {
  const length = readSize();
  if (!takeSignature(at, length)) return 0;
  skip(length);
  if (readSize() != KEY_BYTES || !takeKey(at)) return 0;
  copy20(check() + CHECK_KEY_HASH, script + 2);
  hashCommonParts();
  if ((known & BIP143_PARTS) == 0) {
    known |= BIP143_PARTS;
    hashAgain(0, 0);
    hashAgain(3, 1);
    hashAgain(4, 2);
  }
  const p = scratch + MESSAGE, parts = check() + DOUBLE_PARTS;
  store<u32>(p, load<u32>(row, 44));
  memory.copy(p + 4, parts, 64);
  copyOutpoint(p + 68, inputAt(i));
  store<u32>(p, 0x14a97619, 104);
  copy20(p + 108, script + 2);
  store<u16>(p, 0xac88, 128);
  store<u64>(p, <u64>load<f64>(spentAt(i)), 130);
  store<u32>(p, sequence(i), 138);
  copy32(p + 142, parts + 64);
  store<u32>(p, load<u32>(slotEnd() - 4), 174);
  store<u32>(p, SIGHASH_ALL, 178);
  sha256d(scratch, p, 182, check() + CHECK_MESSAGE);
  return CHECK_ECDSA;
}

function layOutTaproot(i: u32, script: usize): u32 {
  const length = readSize();
  if (length != 64 && (length != 65 || u8at(at + 64) != SIGHASH_ALL)) return 0;
  memory.copy(check(), at, 64);
  copy32(check() + CHECK_KEY, script + 2);
  hashCommonParts();
  if ((known & BIP341_PARTS) == 0) {
    if (!hashSpent()) return 0;
    known |= BIP341_PARTS;
  }
  const p = scratch + MESSAGE;
  copy32(p, check() + CHECK_TAG);
  copy32(p + 32, check() + CHECK_TAG);
  // Epoch 0, then the hash type.
  store<u16>(p, length == 64 ? 0 : SIGHASH_ALL << 8, 64);
  store<u32>(p, load<u32>(row, 44), 66);
  store<u32>(p, load<u32>(slotEnd() - 4), 70);
  memory.copy(p + 74, check() + PARTS, 5 * 32);
  // Spend type 0: by key, no annex.
  store<u8>(p, 0, 234);
  store<u32>(p, i, 235);
  sha256(scratch, p, 239, check() + CHECK_MESSAGE);
  return CHECK_SCHNORR;
}

// @ts-ignore: decorator
@inline function part(index: u32): usize { return check() + PARTS + index * 32; }

/** Hashes outpoints, sequences and outputs. */
function hashCommonParts(): void {
  if ((known & COMMON_PARTS) != 0) return;
  known |= COMMON_PARTS;
  const begin = scratch + MESSAGE;
  for (let k: u32 = 0; k < inputs; k++) copyOutpoint(begin + k * 36, inputAt(k));
  sha256(scratch, begin, inputs * 36, part(0));
  for (let k: u32 = 0; k < inputs; k++) store<u32>(begin + k * 4, sequence(k));
  sha256(scratch, begin, inputs * 4, part(3));
  sha256(scratch, begin, <u32>copyRange(begin, block + load<u32>(row, 40), block + load<u32>(row, 8)), part(4));
}

function hashAgain(from: u32, to: u32): void {
  copy32(scratch + MESSAGE, part(from));
  sha256(scratch, scratch + MESSAGE, 32, check() + DOUBLE_PARTS + to * 32);
}

/** Hashes amounts and scripts of all spent outputs. @returns false if the scripts exceed the memory */
function hashSpent(): bool {
  const begin = scratch + MESSAGE;
  for (let k: u32 = 0; k < inputs; k++) store<u64>(begin + k * 8, <u64>load<f64>(spentAt(k)));
  sha256(scratch, begin, inputs * 8, part(1));
  let p = begin;
  for (let k: u32 = 0; k < inputs; k++) {
    const length = load<u32>(spentAt(k), 12);
    // A script of a coin has at most 10,000 bytes, so its size takes three at most.
    if (p + length + 3 + 128 > check()) return false;
    if (length < 253) store<u8>(p++, <u8>length);
    else {
      store<u8>(p, 253);
      store<u16>(p, <u16>length, 1);
      p += 3;
    }
    memory.copy(p, <usize>load<u32>(spentAt(k), 8), length);
    p += length;
  }
  sha256(scratch, begin, <u32>(p - begin), part(2));
  return true;
}
