// Cursor over bytes, compact sizes, Core's varints, and signature operations of scripts.

// @ts-ignore: decorator
@inline export function u8at(p: usize): u32 { return <u32>load<u8>(p); }

/** Result of readSize for a size that is truncated, not canonical, or above Core's limit of 32 MiB. */
export const BAD: u32 = 0xffffffff;

/** Position of the cursor, and the end of the bytes that it may read. */
export let at: usize = 0;
export let end: usize = 0;
export function seek(to: usize, limit: usize): void { at = to; end = limit; }
// @ts-ignore: decorator
@inline export function skip(bytes: u32): void { at += bytes; }
// @ts-ignore: decorator
@inline export function left(): u32 { return <u32>(end - at); }

/** Reads a compact size. Never reads at or beyond the end. */
// @ts-ignore: decorator
@inline export function readSize(): u32 {
  if (at >= end) return BAD;
  const first = u8at(at);
  if (first < 253) { at += 1; return first; }
  return longSize(first);
}
function longSize(first: u32): u32 {
  if (first == 253) {
    if (left() < 3) return BAD;
    const v = <u32>load<u16>(at, 1);
    at += 3;
    return v < 253 ? BAD : v;
  }
  if (first == 254) {
    if (left() < 5) return BAD;
    const v = load<u32>(at, 1);
    at += 5;
    return v < 0x10000 || v > 0x02000000 ? BAD : v;
  }
  return BAD;
}

/** Opcodes. */
const PUSHDATA1: u32 = 76;
const PUSHDATA2: u32 = 77;
const PUSHDATA4: u32 = 78;
const OP_1: u32 = 81;
const OP_16: u32 = 96;

/** Data of the token that nextToken read. */
export let dataAt: usize = 0;
export let dataLength: u32 = 0;
let next: usize = 0;
/** Reads the token at p. @returns its opcode, with its data in dataAt and dataLength; BAD for a truncated push */
// @ts-ignore: decorator
@inline function token(p: usize, limit: usize): u32 {
  const op = u8at(p++);
  let n: u32 = 0;
  if (op < PUSHDATA1) n = op;
  else if (op <= PUSHDATA4) {
    const bytes: u32 = <u32>1 << (op - PUSHDATA1);
    if (<u32>(limit - p) < bytes) return BAD;
    n = op == PUSHDATA1 ? u8at(p) : op == PUSHDATA2 ? <u32>load<u16>(p) : load<u32>(p);
    p += bytes;
  }
  if (n > <u32>(limit - p)) return BAD;
  dataAt = p;
  dataLength = n;
  next = p + n;
  return op;
}

/** Counts the signature operations of a script (countSigops in consensus/script/sigops.ts). */
export function sigops(p: usize, limit: usize, accurate: bool): u32 {
  let count: u32 = 0, last: u32 = BAD;
  while (p < limit) {
    const op = token(p, limit);
    if (op == BAD) break;
    if (op == 172 || op == 173) count++;
    else if (op == 174 || op == 175) count += accurate && last >= OP_1 && last <= OP_16 ? last - OP_1 + 1 : 20;
    last = op;
    p = next;
  }
  return count;
}

/** Finds the last push of a script, with the result in dataAt and dataLength. @returns false if the script has other opcodes */
export function lastPush(p: usize, limit: usize): bool {
  dataAt = limit;
  dataLength = 0;
  while (p < limit) {
    const op = token(p, limit);
    if (op == BAD || op > OP_16) return false;
    p = next;
  }
  return true;
}

/** Writes a varint (storage/codec/varint.ts). @returns the position behind it */
// @ts-ignore: decorator
@inline export function writeVarint(p: usize, n: u64): usize {
  if (n < 0x80) { store<u8>(p, <u8>n); return p + 1; }
  if (n < 0x4080) { store<u8>(p, <u8>(0x80 | ((n >> 7) - 1))); store<u8>(p + 1, <u8>(n & 0x7f)); return p + 2; }
  return longVarint(p, n);
}
function longVarint(p: usize, n: u64): usize {
  let length: usize = 1;
  for (let x = n; x > 0x7f; x = (x >> 7) - 1) length++;
  let k = length - 1;
  store<u8>(p + k, <u8>(n & 0x7f));
  while (k > 0) { n = (n >> 7) - 1; k--; store<u8>(p + k, <u8>(n & 0x7f | 0x80)); }
  return p + length;
}

/** Position of readVarint. */
export let varintAt: usize = 0;
export function seekVarint(p: usize): void { varintAt = p; }
/** Reads a varint of a coin that checkCoin has accepted, or that the kernel has written. */
// @ts-ignore: decorator
@inline export function readVarint(): u64 {
  let b = <u64>load<u8>(varintAt++), n = b & 0x7f;
  while (b & 0x80) {
    b = <u64>load<u8>(varintAt++);
    n = (n + 1) << 7 | b & 0x7f;
  }
  return n;
}
/** Reads a varint of at most 9 bytes before `limit`. @returns false if it is longer */
export let checkedVarint: u64 = 0;
export function checkVarint(limit: usize): bool {
  let n: u64 = 0;
  for (let bytes = 0; bytes < 9 && varintAt < limit; bytes++) {
    const b = <u64>load<u8>(varintAt++);
    n = n << 7 | b & 0x7f;
    if ((b & 0x80) == 0) { checkedVarint = n; return true; }
    n++;
  }
  return false;
}

// @ts-ignore: decorator
@inline export function same32(a: usize, b: usize): bool {
  return load<u64>(a) == load<u64>(b) && load<u64>(a, 8) == load<u64>(b, 8) && load<u64>(a, 16) == load<u64>(b, 16) && load<u64>(a, 24) == load<u64>(b, 24);
}
// @ts-ignore: decorator
@inline export function copy32(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from)); store<u64>(to, load<u64>(from, 8), 8); store<u64>(to, load<u64>(from, 16), 16); store<u64>(to, load<u64>(from, 24), 24);
}
// @ts-ignore: decorator
@inline export function copy20(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from)); store<u64>(to, load<u64>(from, 8), 8); store<u32>(to, load<u32>(from, 16), 16);
}
