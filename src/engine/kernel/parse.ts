// Reads a block and checks every rule that needs neither ids nor coins: checkBlock without the merkle root, and
// contextualCheckBlock without the witness commitment.

import { at, BAD, end, left, readSize, same32, seek, sigops, skip, u8at } from './bytes';
import {
  E_COINBASE, E_COINBASE_HEIGHT, E_COINBASE_SCRIPT, E_INPUT_COUNT, E_LEGACY_SIGOPS, E_LOCK_TIME, E_OUTPUT_COUNT, E_OUTPUT_VALUE,
  E_REPEATED_INPUT, E_TRAILING, E_TRUNCATED, E_TX_COUNT, E_WEIGHT, E_WITNESS, FLAGS, HEIGHT, HEIGHT_IN_COINBASE, INPUT_COUNT, INS, LENGTH,
  LOCK_TIME_CUTOFF, MAX_COST, MAX_INPUTS, MAX_MONEY, MAX_OUTPUTS, MAX_TXS, RAW, RAW_BYTES, RESERVED, SIGOP_COST, TX_BYTES, TX_COUNT, TXS,
  WITNESS_TXS,
} from './layout';

const HEADER: u32 = 80;
/** Smallest transaction: version, one input of 41 bytes, one output of 9, lock time, two counts. */
const SMALLEST_TX: u32 = 60;
const LOCK_TIME_THRESHOLD: u32 = 500_000_000;
/** Number of inputs up to which pairs are compared. The shards find a repeated outpoint of more inputs: it is missing. */
const FEW_INPUTS: u32 = 16;

/** Totals of the block so far. */
let inputs: u32 = 0;
let outputs: u32 = 0;
let ops: u32 = 0;
let stripped: u32 = 0;

/** Parses the slot's block. @returns 0 or an error code */
export function parse(slot: usize): i32 {
  const length = load<u32>(slot, LENGTH);
  if (length < HEADER || length > RAW_BYTES) return E_TRUNCATED;
  seek(slot + RAW + HEADER, slot + RAW + length);
  const count = readSize();
  if (count == 0 || count > MAX_TXS) return E_TX_COUNT;
  inputs = 0; outputs = 0; ops = 0;
  stripped = <u32>(at - slot) - RAW;
  store<u32>(slot, 0, RESERVED);
  let witnesses: u32 = 0;
  for (let t: u32 = 0; t < count; t++) {
    const row = slot + TXS + t * TX_BYTES;
    const code = parseTx(slot, t, row);
    if (code != 0) return code;
    witnesses += load<u32>(row, 28);
  }
  if (at != end) return E_TRAILING;
  if (ops * 4 > MAX_COST) return E_LEGACY_SIGOPS;
  if (stripped * 3 + length > 4_000_000) return E_WEIGHT;
  store<u32>(slot, count, TX_COUNT);
  store<u32>(slot, inputs, INPUT_COUNT);
  store<u32>(slot, witnesses, WITNESS_TXS);
  store<u32>(slot, ops * 4, SIGOP_COST);
  return load<u32>(slot, FLAGS) & HEIGHT_IN_COINBASE ? checkHeight(slot) : 0;
}

function parseTx(slot: usize, t: u32, row: usize): i32 {
  if (left() < SMALLEST_TX) return E_TRUNCATED;
  const start = at;
  skip(4);
  // Marker 0 and flag 1 (BIP-0144). Without the flag, the marker is a count of zero inputs.
  const witness = load<u16>(at) == 0x0100;
  if (witness) skip(2);
  const body = at;
  const inputCount = readSize();
  if (inputCount == 0 || inputCount > MAX_INPUTS - inputs) return E_INPUT_COUNT;
  if (t == 0 && inputCount != 1) return E_COINBASE;
  const ins = slot + INS, first = inputs;
  let final = true;
  for (let i: u32 = 0; i < inputCount; i++) {
    if (left() < 41) return E_TRUNCATED;
    store<u32>(ins + (<usize>(inputs++) << 2), <u32>(at - slot));
    const isNull = load<u32>(at, 32) == 0xffffffff && (load<u64>(at) | load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) == 0;
    if (isNull != (t == 0)) return E_COINBASE;
    skip(36);
    const length = readSize();
    if (length > left() || left() - length < 4) return E_TRUNCATED;
    if (t == 0 && (length < 2 || length > 100)) return E_COINBASE_SCRIPT;
    ops += sigops(at, at + length, false);
    skip(length);
    if (load<u32>(at) != 0xffffffff) final = false;
    skip(4);
  }
  if (inputCount > 1 && inputCount <= FEW_INPUTS && repeats(ins + (<usize>first << 2), inputCount, slot)) return E_REPEATED_INPUT;
  const outputCount = readSize();
  if (outputCount == 0 || outputCount > MAX_OUTPUTS - outputs) return E_OUTPUT_COUNT;
  outputs += outputCount;
  const outs = at;
  let total: i64 = 0;
  for (let i: u32 = 0; i < outputCount; i++) {
    if (left() < 9) return E_TRUNCATED;
    const value = load<i64>(at);
    if (value < 0 || value > MAX_MONEY) return E_OUTPUT_VALUE;
    total += value;
    if (total > MAX_MONEY) return E_OUTPUT_VALUE;
    skip(8);
    const length = readSize();
    if (length > left()) return E_TRUNCATED;
    ops += sigops(at, at + length, false);
    skip(length);
  }
  const bodyEnd = at;
  if (witness) {
    const code = parseWitness(slot, t, inputCount);
    if (code != 0) return code;
  }
  if (left() < 4) return E_TRUNCATED;
  const lock = load<u32>(at);
  skip(4);
  if (lock != 0 && !final) {
    const reached = lock < LOCK_TIME_THRESHOLD ? load<u32>(slot, HEIGHT) : load<u32>(slot, LOCK_TIME_CUTOFF);
    if (lock >= reached) return E_LOCK_TIME;
  }
  stripped += <u32>(bodyEnd - body) + 8;
  store<u32>(row, <u32>(start - slot)); store<u32>(row, <u32>(body - slot), 4); store<u32>(row, <u32>(bodyEnd - slot), 8); store<u32>(row, <u32>(at - slot), 12);
  store<u32>(row, inputCount, 16); store<u32>(row, first, 20); store<u32>(row, outputCount, 24); store<u32>(row, <u32>witness, 28);
  store<i64>(row, total, 32); store<u32>(row, <u32>(outs - slot), 40); store<u32>(row, load<u32>(start), 44);
  return 0;
}

function parseWitness(slot: usize, t: u32, inputCount: u32): i32 {
  let any = false;
  for (let i: u32 = 0; i < inputCount; i++) {
    const items = readSize();
    if (items > left()) return E_TRUNCATED;
    if (items != 0) any = true;
    for (let k: u32 = 0; k < items; k++) {
      const length = readSize();
      if (length > left()) return E_TRUNCATED;
      if (t == 0 && items == 1 && length == 32) store<u32>(slot, <u32>(at - slot), RESERVED);
      skip(length);
    }
  }
  return any ? 0 : E_WITNESS;
}

function repeats(list: usize, count: u32, slot: usize): bool {
  for (let i: u32 = 1; i < count; i++) {
    const a = slot + load<u32>(list + (<usize>i << 2)), a0 = load<u64>(a);
    for (let k: u32 = 0; k < i; k++) {
      const b = slot + load<u32>(list + (<usize>k << 2));
      if (a0 == load<u64>(b) && load<u32>(a, 32) == load<u32>(b, 32) && same32(a, b)) return true;
    }
  }
  return false;
}

/** Checks that the coinbase's script begins with the height as pushNumber writes it (BIP-0034). */
function checkHeight(slot: usize): i32 {
  const height = load<u32>(slot, HEIGHT);
  // The script has at most 100 bytes, so its size is one byte.
  const script = slot + load<u32>(slot + INS) + 37;
  const length = u8at(script - 1);
  if (height <= 16) return u8at(script) == (height == 0 ? 0 : 80 + height) ? 0 : E_COINBASE_HEIGHT;
  const bytes: u32 = height < 0x80 ? 1 : height < 0x8000 ? 2 : height < 0x800000 ? 3 : 4;
  if (length < bytes + 1 || u8at(script) != bytes) return E_COINBASE_HEIGHT;
  for (let k: u32 = 0; k < bytes; k++) if (u8at(script + 1 + k) != ((height >> (8 * k)) & 255)) return E_COINBASE_HEIGHT;
  return 0;
}
