// A shard of the coins in a memory of its own, owned by one thread. One file, because table, cells and free lists are
// consistent only together. Layout:
//
//   FREE     first free cell of each size, by size in units of 8 bytes
//   IN       segment of a block, or rows to load
//   OUT      records of the spent coins, or rows of changed coins
//   HASHES   hashes of the outpoints of a block
//   MADE     parts of txids of the youngest transactions
//   BASE     tables and cells
//
// The table is open addressing with linear probing: entries of 8 bytes, the hash of the outpoint above the address of the
// cell / 8. A cell: length and flags, 4 | outpoint, 36 | coin as it is stored; rounded up to 8.
//
// The shard may lack unspent coins that the database has (evict). The caller then loads those that listMissing lists
// before it applies a block. A spent coin of the database stays in the table until the next checkpoint, so that it is not
// taken for a coin that must be read.

import { checkedVarint, checkVarint, copy32, readVarint, same32, seekVarint, varintAt } from './bytes';
import { E_COIN, E_IMMATURE, E_MEMORY, E_MISSING, E_OVERWRITE, E_RECORDS, E_RESULTS, MAX_SCRIPT } from './layout';
import { COINBASE, OUTPUTS_HEAD, SPEND, SPEND_BYTES } from './records';

const MATURITY: i32 = 100;
const CELL_HEAD: u32 = 40;
const LENGTH_MASK: u32 = 0xffff;
/** The database lacks this coin. */
const NEW: u32 = 0x80000000;
/** The database has a coin of this outpoint. */
const STORED: u32 = 0x40000000;
/** The coin is spent. The first word of the coin links to the next such cell. */
const SPENT: u32 = 0x20000000;
/** Size in units of the largest cell: a script of 10,000 bytes, and 18 bytes of varints. */
const MAX_UNITS: u32 = 1_260;

const FREE: u32 = 65_536;
const IN: u32 = FREE + MAX_UNITS * 4;
const IN_BYTES: u32 = 6_000_000;
const OUT: u32 = IN + IN_BYTES;
const OUT_BYTES: u32 = 6_000_000;
const HASHES: u32 = OUT + OUT_BYTES;
const HASHES_BYTES: u32 = 4 * 150_000;
/** First eight bytes of txids of the youngest transactions, by a part of the txid. */
const MADE: u32 = (HASHES + HASHES_BYTES + 7) & ~7;
const MADE_TXIDS: u32 = 65_536;
const BASE: u32 = (MADE + MADE_TXIDS * 8 + 4095) & ~4095;
/** Places of tables that were outgrown. Cells are made there. */
const MAX_SPARE: u32 = 32;
const spare = memory.data(32 * 8);

let table: usize = 0;
let mask: u32 = 0;
/** Number of entries of the table, and how many of these are spent coins. */
let count: u32 = 0;
let spentCount: u32 = 0;
/** End of the used memory, and the bound in pages. */
let top: usize = 0;
let maxPages: u32 = 0;
let k0: u64 = 0;
let k1: u64 = 0;
/** Spent cells of coins that the database has, linked by the word behind the outpoint, as address / 8. */
let removed: u32 = 0;
let removedCount: u32 = 0;
let newCount: u32 = 0;
let spareCount: u32 = 0;
/** Place where cells are made: the last outgrown table, else the end of the memory. */
let bump: usize = 0;
let bumpEnd: usize = 0;

export function inAt(): u32 { return IN; }
export function inBytes(): u32 { return IN_BYTES; }
export function outAt(): u32 { return OUT; }
export function coinCount(): u32 { return count - spentCount; }
export function changedCount(): u32 { return newCount + removedCount; }
/** Returns the used bytes, with the next table if it is due soon. */
export function usedBytes(): f64 { return <f64>top + (count > (mask >> 1) ? <f64>mask * 16 : 0); }

/** Makes memory up to `limit` available. @returns false if it exceeds the bound or the system refuses */
function ensure(limit: usize, bound: u32): bool {
  const pages = <u32>((<u64>limit + 65535) >> 16), have = <u32>memory.size();
  if (limit < top || pages > bound) return false;
  if (pages <= have) return true;
  const want = min(pages + 255, bound);
  return memory.grow(want - have) >= 0 || memory.grow(pages - have) >= 0;
}

/** Empties the shard. @param bits of the table's size @param bound in pages @returns 0 or an error code */
export function open(secret0: u64, secret1: u64, bits: u32, bound: u32): i32 {
  k0 = secret0;
  k1 = secret1;
  maxPages = bound;
  table = BASE;
  mask = (1 << bits) - 1;
  count = 0; spentCount = 0; removed = 0; removedCount = 0; newCount = 0; spareCount = 0; bump = 0; bumpEnd = 0;
  top = 0;
  if (!ensure(table + (<usize>8 << bits), bound)) return E_MEMORY;
  top = table + (<usize>8 << bits);
  memory.fill(FREE, 0, MAX_UNITS * 4);
  memory.fill(MADE, 0, MADE_TXIDS * 8);
  memory.fill(table, 0, top - table);
  return 0;
}

/** SipHash-1-3 of an outpoint under the shard's secret. */
// @ts-ignore: decorator
@inline function siphash(p: usize, index: u32): u32 {
  let a = k0 ^ 0x736f6d6570736575, b = k1 ^ 0x646f72616e646f6d, c = k0 ^ 0x6c7967656e657261, d = k1 ^ 0x7465646279746573;
  for (let i: usize = 0; i < 40; i += 8) {
    const m = i < 32 ? load<u64>(p + i) : <u64>index | (<u64>36 << 56);
    d ^= m;
    a += b; b = rotl<u64>(b, 13); b ^= a; a = rotl<u64>(a, 32); c += d; d = rotl<u64>(d, 16); d ^= c; a += d; d = rotl<u64>(d, 21); d ^= a; c += b; b = rotl<u64>(b, 17); b ^= c; c = rotl<u64>(c, 32);
    a ^= m;
  }
  c ^= 0xff;
  for (let i = 0; i < 3; i++) { a += b; b = rotl<u64>(b, 13); b ^= a; a = rotl<u64>(a, 32); c += d; d = rotl<u64>(d, 16); d ^= c; a += d; d = rotl<u64>(d, 21); d ^= a; c += b; b = rotl<u64>(b, 17); b ^= c; c = rotl<u64>(c, 32); }
  return <u32>(a ^ b ^ c ^ d);
}

/** Doubles the table. The old one's place is used for cells. */
function rehash(): bool {
  const old = table, entries = mask + 1;
  if (entries >= 0x10000000) return false;
  const to = (top + 7) & ~7, bytes = <usize>entries << 4;
  if (to + bytes < to || !ensure(to + bytes, maxPages)) return false;
  table = to;
  mask = entries * 2 - 1;
  top = to + bytes;
  // A list of changed coins may have been there.
  memory.fill(to, 0, bytes);
  for (let i: u32 = 0; i < entries; i++) {
    const e = load<u64>(old + (<usize>i << 3));
    if (e == 0) continue;
    let j = <u32>(e >> 32) & mask;
    while (load<u64>(table + (<usize>j << 3)) != 0) j = (j + 1) & mask;
    store<u64>(table + (<usize>j << 3), e);
  }
  if (spareCount < MAX_SPARE) {
    store<u32>(spare + (spareCount << 3), <u32>old);
    store<u32>(spare + (spareCount << 3), <u32>(old + (<usize>entries << 3)), 4);
    spareCount++;
  }
  return true;
}

// @ts-ignore: decorator
@inline function unitsOf(length: u32): u32 { return (length + CELL_HEAD + 7) >> 3; }

/** Returns the address of a cell; 0 if there is no memory. */
// @ts-ignore: decorator
@inline function allocate(units: u32): usize {
  const f = FREE + (units << 2), c = load<u32>(f);
  if (c != 0) {
    store<u32>(f, load<u32>(<usize>c << 3));
    return <usize>c << 3;
  }
  return fresh(units);
}
function fresh(units: u32): usize {
  const bytes = <usize>units << 3;
  while (bumpEnd - bump < bytes) {
    if (spareCount == 0) {
      const cell = (top + 7) & ~7;
      if (!ensure(cell + bytes, maxPages)) return 0;
      top = cell + bytes;
      return cell;
    }
    spareCount--;
    bump = load<u32>(spare + (spareCount << 3));
    bumpEnd = load<u32>(spare + (spareCount << 3), 4);
  }
  const cell = bump;
  bump += bytes;
  return cell;
}
// @ts-ignore: decorator
@inline function free(cell: usize, units: u32): void {
  const f = FREE + (units << 2);
  store<u32>(cell, load<u32>(f));
  store<u32>(f, <u32>(cell >> 3));
}

// @ts-ignore: decorator
@inline function isCellOf(cell: usize, txid: usize, index: u32): bool { return load<u32>(cell, 36) == index && same32(cell + 4, txid); }
/** Finds an outpoint. @returns the index of its entry; -1 if it is not there */
// @ts-ignore: decorator
@inline function find(hash: u32, txid: usize, index: u32): i32 {
  let j = hash & mask, e = load<u64>(table + (<usize>j << 3));
  while (e != 0 && !(<u32>(e >> 32) == hash && isCellOf(<usize><u32>e << 3, txid, index))) {
    j = (j + 1) & mask;
    e = load<u64>(table + (<usize>j << 3));
  }
  return e == 0 ? -1 : <i32>j;
}

/** Returns whether the result of `find` is an unspent coin. */
// @ts-ignore: decorator
@inline function isUnspent(entry: i32): bool {
  return entry >= 0 && (load<u32>(<usize><u32>load<u64>(table + (<usize>entry << 3)) << 3) & SPENT) == 0;
}

/** Removes an entry and closes the gap. */
// @ts-ignore: decorator
@inline function removeEntry(entry: u32): void {
  let gap = entry, j = entry;
  for (;;) {
    j = (j + 1) & mask;
    const e = load<u64>(table + (<usize>j << 3));
    if (e == 0) break;
    const home = <u32>(e >> 32) & mask;
    if (((j - home) & mask) < ((j - gap) & mask)) continue;
    store<u64>(table + (<usize>gap << 3), e);
    gap = j;
  }
  store<u64>(table + (<usize>gap << 3), 0);
  count--;
}

/** Copies whole words. Both sides have space for three bytes more. */
// @ts-ignore: decorator
@inline function copyWords(to: usize, from: usize, length: u32): void {
  for (let k: usize = 0; k < length; k += 4) store<u32>(to + k, load<u32>(from + k));
}
// @ts-ignore: decorator
@inline function nextOutput(p: usize): usize { return (p + 8 + load<u32>(p, 4) + 3) & ~3; }

let touched: u32 = 0;
/** Computes all hashes and reads the entries that they lead to, so that memory answers several reads at a time. */
function hashAll(end: usize): bool {
  let p: usize = IN, h: usize = HASHES, x: u32 = 0;
  while (p < end) {
    if (h > HASHES + HASHES_BYTES - 4) return false;
    const tag = load<u32>(p);
    if (tag & SPEND) {
      const v = siphash(p + 4, load<u32>(p, 36));
      store<u32>(h, v);
      h += 4;
      x ^= load<u32>(table + (<usize>(v & mask) << 3));
      p += SPEND_BYTES;
    } else {
      const n = tag & ~COINBASE;
      if (h + (<usize>n << 2) > HASHES + HASHES_BYTES) return false;
      let o = p + OUTPUTS_HEAD;
      for (let i: u32 = 0; i < n; i++) {
        const v = siphash(p + 4, load<u32>(o));
        store<u32>(h, v);
        h += 4;
        x ^= load<u32>(table + (<usize>(v & mask) << 3));
        o = nextOutput(o);
      }
      p = o;
    }
  }
  touched = x;
  return true;
}

/** Reads the cells of spent coins likewise, and checks that no output exists before the block (BIP-0030). */
function checkOverwrites(end: usize, noOverwrites: bool): i32 {
  let p: usize = IN, h: usize = HASHES, x: u32 = 0;
  while (p < end) {
    const tag = load<u32>(p);
    if (tag & SPEND) {
      x ^= load<u32>(<usize><u32>load<u64>(table + (<usize>(load<u32>(h) & mask) << 3)) << 3);
      h += 4;
      p += SPEND_BYTES;
    } else {
      const n = tag & ~COINBASE;
      let o = p + OUTPUTS_HEAD;
      for (let i: u32 = 0; i < n; i++) {
        if (isUnspent(find(load<u32>(h), p + 4, load<u32>(o))) && (noOverwrites || (tag & COINBASE) == 0)) return E_OVERWRITE;
        h += 4;
        o = nextOutput(o);
      }
      p = o;
    }
  }
  touched ^= x;
  return 0;
}

/**
 * Applies a block's segment at IN: finds and removes the spent coins, and adds the outputs. Records of the spent coins
 * are at OUT. After an error the shard is useless.
 * @returns bytes at OUT, or an error code as a negative number
 */
export function apply(length: u32, height: u32, noOverwrites: bool): i32 {
  const end = IN + length;
  if (!hashAll(end)) return -E_RECORDS;
  const code = checkOverwrites(end, noOverwrites);
  if (code != 0) return -code;
  let p: usize = IN, h: usize = HASHES, out: usize = OUT;
  while (p < end) {
    const tag = load<u32>(p);
    if (tag & SPEND) {
      const entry = find(load<u32>(h), p + 4, load<u32>(p, 36));
      if (entry < 0) return -E_MISSING;
      const cell = <usize><u32>load<u64>(table + (<usize>entry << 3)) << 3;
      const head = load<u32>(cell), size = head & LENGTH_MASK;
      if (head & SPENT) return -E_MISSING;
      if (out + size + 12 > OUT + OUT_BYTES) return -E_RESULTS;
      seekVarint(cell + CELL_HEAD);
      const code = <u32>readVarint();
      if ((code & 1) != 0 && <i32>height - <i32>(code >> 1) < MATURITY) return -E_IMMATURE;
      store<u32>(out, tag & ~SPEND);
      store<u32>(out, size, 4);
      copyWords(out + 8, cell + CELL_HEAD, size);
      out = nextOutput(out);
      removeCoin(<u32>entry, cell, head);
      h += 4;
      p += SPEND_BYTES;
    } else {
      const n = tag & ~COINBASE;
      let o = p + OUTPUTS_HEAD;
      for (let i: u32 = 0; i < n; i++) {
        const code = add(load<u32>(h), p + 4, load<u32>(o), o + 8, load<u32>(o, 4), NEW, (tag & COINBASE) != 0 && !noOverwrites);
        if (code != 0) return -code;
        h += 4;
        o = nextOutput(o);
      }
      p = o;
    }
  }
  return <i32>(out - OUT);
}

/** Removes a spent coin; if the database has the coin, not before the next checkpoint. */
// @ts-ignore: decorator
@inline function removeCoin(entry: u32, cell: usize, head: u32): void {
  if (head & NEW) newCount--;
  if (head & STORED) {
    store<u32>(cell, (head & ~NEW) | SPENT);
    store<u32>(cell, removed, CELL_HEAD);
    removed = <u32>(cell >> 3);
    removedCount++;
    spentCount++;
  } else {
    removeEntry(entry);
    free(cell, unitsOf(head & LENGTH_MASK));
  }
}

/** Adds a coin. @param flags NEW or STORED @returns 0 or an error code */
function add(hash: u32, txid: usize, index: u32, coin: usize, size: u32, flags: u32, overwrite: bool): i32 {
  if (count >= (mask >> 2) * 3 && !rehash()) return E_MEMORY;
  let j = hash & mask;
  for (;;) {
    const e = load<u64>(table + (<usize>j << 3));
    if (e == 0) break;
    const old = <usize><u32>e << 3;
    if (<u32>(e >> 32) == hash && isCellOf(old, txid, index)) {
      const head = load<u32>(old);
      if (head & SPENT) spentCount--;
      else if (overwrite) {
        if (head & NEW) newCount--;
        free(old, unitsOf(head & LENGTH_MASK));
      } else return E_OVERWRITE;
      // The row in the database is replaced, not removed.
      flags |= head & STORED;
      count--;
      break;
    }
    j = (j + 1) & mask;
  }
  const cell = allocate(unitsOf(size));
  if (cell == 0) return E_MEMORY;
  store<u64>(table + (<usize>j << 3), <u64>hash << 32 | <u64>(cell >> 3));
  store<u32>(cell, size | flags);
  copy32(cell + 4, txid);
  store<u32>(cell, index, 36);
  copyWords(cell + CELL_HEAD, coin, size);
  count++;
  if (flags & NEW) newCount++;
  return 0;
}

/** Notes the txids of a block's outputs at MADE. A later one may take the place of an earlier one. */
function noteTxids(end: usize): void {
  for (let p: usize = IN; p < end; ) {
    const tag = load<u32>(p);
    if (tag & SPEND) {
      p += SPEND_BYTES;
      continue;
    }
    store<u64>(madeAt(p + 4), load<u64>(p + 4));
    p += OUTPUTS_HEAD;
    for (let n = tag & ~COINBASE; n > 0; n--) p = nextOutput(p);
  }
}
// @ts-ignore: decorator
@inline function madeAt(txid: usize): usize { return MADE + ((load<u32>(txid, 8) & (MADE_TXIDS - 1)) << 3); }
// @ts-ignore: decorator
@inline function isMade(txid: usize): bool {
  const first = load<u64>(txid);
  return first != 0 && load<u64>(madeAt(txid)) == first;
}

/** Outputs that listMissing lists besides the spent coins. */
export const ASK_NONE: u32 = 0;
export const ASK_COINBASE: u32 = 1;
export const ASK_ALL: u32 = 2;

/**
 * Lists the outpoints of the segment at IN about which only the database knows: spent coins that are neither in the
 * shard nor made by a block since `open` or `evict`, and outputs that may exist already. 36 bytes each, at OUT. Must be
 * called for all blocks in order of height, but a block need not be applied before the next one is listed.
 * @param outputs ASK_NONE, ASK_COINBASE or ASK_ALL
 * @returns number of outpoints, or an error code as a negative number
 */
export function listMissing(length: u32, outputs: u32): i32 {
  const end = IN + length;
  if (!hashAll(end)) return -E_RECORDS;
  noteTxids(end);
  let out: usize = OUT, h: usize = HASHES;
  for (let p: usize = IN; p < end; ) {
    const tag = load<u32>(p), txid = p + 4;
    if (tag & SPEND) {
      const index = load<u32>(p, 36);
      if (find(load<u32>(h), txid, index) < 0 && !isMade(txid)) {
        if (out + 36 > OUT + OUT_BYTES) return -E_RESULTS;
        copy32(out, txid);
        store<u32>(out, index, 32);
        out += 36;
      }
      h += 4;
      p += SPEND_BYTES;
    } else {
      const asked = outputs == ASK_ALL || (outputs == ASK_COINBASE && (tag & COINBASE) != 0);
      let o = p + OUTPUTS_HEAD;
      for (let n = tag & ~COINBASE; n > 0; n--) {
        const index = load<u32>(o);
        if (asked && find(load<u32>(h), txid, index) < 0) {
          if (out + 36 > OUT + OUT_BYTES) return -E_RESULTS;
          copy32(out, txid);
          store<u32>(out, index, 32);
          out += 36;
        }
        h += 4;
        o = nextOutput(o);
      }
      p = o;
    }
  }
  return <i32>((out - OUT) / 36);
}

/**
 * Loads rows at IN: outpoint, 36 | length, 4 | coin; rounded up to 4. Skips a coin whose outpoint is in the table
 * already, unspent or spent.
 * @returns 0 or an error code
 */
export function loadRows(length: u32): i32 {
  let p: usize = IN;
  for (const end = p + length; p < end; ) {
    const size = load<u32>(p, 36);
    if (!checkCoin(p + 40, size)) return E_COIN;
    const index = load<u32>(p, 32), hash = siphash(p, index);
    if (find(hash, p, index) < 0) {
      const code = add(hash, p, index, p + 40, size, STORED, false);
      if (code != 0) return code;
    }
    p = (p + 40 + size + 3) & ~3;
  }
  return 0;
}

/** Returns whether a coin has the form that the kernel reads: forms 4 and 5 of scripts need arithmetic on the curve. */
function checkCoin(p: usize, size: u32): bool {
  const end = p + size;
  seekVarint(p);
  if (!checkVarint(end) || checkedVarint > 0xffffffff || !checkVarint(end) || !checkVarint(end)) return false;
  const form = checkedVarint;
  if (form == 4 || form == 5 || form > MAX_SCRIPT + 6) return false;
  const rest = form < 2 ? 20 : form < 6 ? 32 : <u32>form - 6;
  return <u32>(end - varintAt) == rest;
}

// ---- changed coins -----------------------------------------------------------------------------------------------

let list: usize = 0;
let listCount: u32 = 0;
let listNext: u32 = 0;

/** Returns the first four bytes of a cell's key as a number that sorts like the key. */
// @ts-ignore: decorator
@inline function rank(cell: usize): u64 { return <u64>bswap<u32>(load<u32>(cell, 4)); }

/**
 * Lists the changed coins in key order behind the used memory, which may exceed the bound.
 * @returns 0 or an error code
 */
export function listChanged(): i32 {
  listCount = newCount + removedCount;
  listNext = 0;
  list = (top + 7) & ~7;
  const bytes = <u64>listCount << 4;
  if (<u64>list + bytes > 0xffff0000 || !ensure(list + <usize>bytes, 65535)) return E_MEMORY;
  let p = list;
  for (let i: u32 = 0; i <= mask; i++) {
    const e = load<u64>(table + (<usize>i << 3));
    if (e == 0) continue;
    const cell = <usize><u32>e << 3;
    if ((load<u32>(cell) & NEW) == 0) continue;
    store<u64>(p, rank(cell) << 32 | <u64>(cell >> 3));
    p += 8;
  }
  for (let c = removed; c != 0; c = load<u32>(<usize>c << 3, CELL_HEAD)) {
    store<u64>(p, rank(<usize>c << 3) << 32 | <u64>c);
    p += 8;
  }
  if (p != list + (<usize>listCount << 3)) return E_RECORDS;
  sortList();
  return 0;
}

/** Sorts the list by 32 bits of its entries with a radix sort. @param first lowest of these bits */
function sortByBits(first: u64): void {
  let from = list, to = list + (<usize>listCount << 3);
  for (let shift = first; shift < first + 32; shift += 8) {
    memory.fill(HASHES, 0, 1024);
    for (let i: u32 = 0; i < listCount; i++) {
      const c = HASHES + (<u32>(load<u64>(from + (<usize>i << 3)) >> shift & 255) << 2);
      store<u32>(c, load<u32>(c) + 1);
    }
    let sum: u32 = 0;
    for (let b: u32 = 0; b < 256; b++) {
      const n = load<u32>(HASHES + (b << 2));
      store<u32>(HASHES + (b << 2), sum);
      sum += n;
    }
    for (let i: u32 = 0; i < listCount; i++) {
      const v = load<u64>(from + (<usize>i << 3));
      const c = HASHES + (<u32>(v >> shift & 255) << 2), place = load<u32>(c);
      store<u32>(c, place + 1);
      store<u64>(to + (<usize>place << 3), v);
    }
    const swap = from;
    from = to;
    to = swap;
  }
}

/** Sorts by the first four bytes of the keys, and equal ones by their keys. */
function sortList(): void {
  sortByBits(32);
  for (let i: u32 = 0, begin: u32 = 0; i <= listCount; i++) {
    if (i < listCount && load<u64>(list + (<usize>i << 3)) >> 32 == load<u64>(list + (<usize>begin << 3)) >> 32) continue;
    if (i - begin > 1) sortRun(list + (<usize>begin << 3), i - begin);
    begin = i;
  }
}

/** Sorts entries that are equal in their first four bytes: a shell sort, since a transaction may have 111,111 outputs. */
function sortRun(run: usize, length: u32): void {
  let gap: u32 = 1;
  while (gap < length / 3) gap = gap * 3 + 1;
  for (; gap > 0; gap /= 3) {
    for (let i = gap; i < length; i++) {
      const v = load<u64>(run + (<usize>i << 3));
      let k = i;
      while (k >= gap && isAfter(load<u64>(run + (<usize>(k - gap) << 3)), v)) {
        store<u64>(run + (<usize>k << 3), load<u64>(run + (<usize>(k - gap) << 3)));
        k -= gap;
      }
      store<u64>(run + (<usize>k << 3), v);
    }
  }
}

/** Compares list entries by key; of the same key, a new coin is after a removal. */
function isAfter(a: u64, b: u64): bool {
  const x = <usize><u32>a << 3, y = <usize><u32>b << 3;
  for (let k: usize = 4; k < 36; k += 4) {
    const p = bswap<u32>(load<u32>(x + k)), q = bswap<u32>(load<u32>(y + k));
    if (p != q) return p > q;
  }
  const i = load<u32>(x, 36), j = load<u32>(y, 36);
  return i != j ? i > j : (load<u32>(x) & NEW) != 0 && (load<u32>(y) & NEW) == 0;
}

/** Number of rows that nextChanged wrote. */
let rows: u32 = 0;
export function rowCount(): u32 { return rows; }

/**
 * Writes the next rows of the list to OUT, in the form of a WriteBatch (storage/write-batch.ts).
 * @param prefix first byte of the keys
 * @returns number of bytes; 0 at the end
 */
export function nextChanged(prefix: u32): u32 {
  let p: usize = OUT;
  rows = 0;
  while (listNext < listCount && p < OUT + 1_000_000) {
    const cell = <usize><u32>load<u64>(list + (<usize>(listNext++) << 3)) << 3;
    const head = load<u32>(cell), size = head & LENGTH_MASK;
    const isNew = (head & NEW) != 0;
    store<u32>(p, 37);
    store<u32>(p, isNew ? size + 1 : 0, 4);
    store<u8>(p, <u8>prefix, 8);
    copy32(p + 9, cell + 4);
    store<u32>(p, bswap<u32>(load<u32>(cell, 36)), 41);
    p += 45;
    if (isNew) {
      memory.copy(p, cell + CELL_HEAD, size);
      p += size;
    }
    rows++;
  }
  return <u32>(p - OUT);
}

/** Marks all coins as stored, and frees the cells of removed ones. */
export function markClean(): void {
  for (let i: u32 = 0; newCount > 0 && i <= mask; i++) {
    const e = load<u64>(table + (<usize>i << 3));
    if (e == 0) continue;
    const cell = <usize><u32>e << 3, head = load<u32>(cell);
    if (head & NEW) store<u32>(cell, (head & ~NEW) | STORED);
  }
  newCount = 0;
  while (removed != 0) {
    const c = removed, cell = <usize>c << 3;
    // A coin that was made again has another cell.
    let j = siphash(cell + 4, load<u32>(cell, 36)) & mask, e = load<u64>(table + (<usize>j << 3));
    while (e != 0 && <u32>e != c) {
      j = (j + 1) & mask;
      e = load<u64>(table + (<usize>j << 3));
    }
    if (e != 0) removeEntry(j);
    removed = load<u32>(cell, CELL_HEAD);
    free(cell, unitsOf(load<u32>(cell) & LENGTH_MASK));
  }
  removedCount = 0;
  spentCount = 0;
}

/** Number of parts of the heights, in the counters of evict at IN. */
const AGES: u32 = 65_536;
// @ts-ignore: decorator
@inline function heightOf(cell: usize): u32 {
  seekVarint(cell + CELL_HEAD);
  return <u32>readVarint() >> 1;
}

/**
 * Drops the older half of the coins, and moves the others together. All coins must be marked as stored.
 * @param height no coin is from a later block
 * @returns 0 or an error code
 */
export function evict(height: u32): i32 {
  if (newCount != 0 || removed != 0) return E_RECORDS;
  let shift: u32 = 0;
  while (height >> shift >= AGES) shift++;
  memory.fill(IN, 0, AGES * 4);
  for (let i: u32 = 0; i <= mask; i++) {
    const e = load<u64>(table + (<usize>i << 3));
    if (e == 0) continue;
    const age = IN + (min(heightOf(<usize><u32>e << 3) >> shift, AGES - 1) << 2);
    store<u32>(age, load<u32>(age) + 1);
  }
  let least = AGES;
  listCount = 0;
  while (least > 0 && listCount + load<u32>(IN + ((least - 1) << 2)) <= count >> 1) listCount += load<u32>(IN + (--least << 2));
  list = (top + 7) & ~7;
  const bytes = <u64>listCount << 4;
  if (<u64>list + bytes > 0xffff0000 || !ensure(list + <usize>bytes, 65535)) return E_MEMORY;
  let p = list;
  for (let i: u32 = 0; i <= mask; i++) {
    const e = load<u64>(table + (<usize>i << 3));
    if (e == 0 || min(heightOf(<usize><u32>e << 3) >> shift, AGES - 1) < least) continue;
    store<u64>(p, e);
    p += 8;
  }
  sortByBits(0);
  const end = table + (<usize>mask + 1) * 8;
  memory.fill(table, 0, end - table);
  // In order of their addresses, cells move down only, and never over one that has not moved yet.
  let to: usize = BASE;
  for (let i: u32 = 0; i < listCount; i++) {
    const e = load<u64>(list + (<usize>i << 3)), from = <usize><u32>e << 3;
    const size = <usize>unitsOf(load<u32>(from) & LENGTH_MASK) << 3;
    if (to < end && to + size > table) to = end;
    memory.copy(to, from, size);
    let j = <u32>(e >> 32) & mask;
    while (load<u64>(table + (<usize>j << 3)) != 0) j = (j + 1) & mask;
    store<u64>(table + (<usize>j << 3), e >> 32 << 32 | <u64>(to >> 3));
    to += size;
  }
  top = max(to, end);
  count = listCount;
  memory.fill(FREE, 0, MAX_UNITS * 4);
  memory.fill(MADE, 0, MADE_TXIDS * 8);
  spareCount = 0; bump = 0; bumpEnd = 0;
  // Cells are made below the table as well.
  if (to < table) {
    bump = to;
    bumpEnd = table;
  }
  return 0;
}
