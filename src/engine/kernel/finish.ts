// Checks what needs the spent coins of a block: amounts, fees, the coinbase's amount, relative locks, signature
// operations of redeem scripts and witnesses. Writes the undo data (storage/codec/undo.ts).

import { dataAt, dataLength, lastPush, readSize, readVarint, seek, seekVarint, sigops, skip, at, u8at, varintAt } from './bytes';
import {
  COUNT_REDEEM_SCRIPTS, COUNT_WITNESSES, DIGEST, DIGEST_BYTES, E_BELOW_OUTPUTS, E_COIN, E_COIN_VALUE, E_COINBASE_AMOUNT, E_FEES, E_MISSING,
  E_RELATIVE_LOCK, E_SIGOP_COST, E_UNDO, FEES, FLAGS, HEIGHT, INPUT_COUNT, INS, MAX_COST, MAX_MONEY, PARENT_MEDIAN_TIME, RELATIVE_LOCKS,
  RESULT, RESULT_LENGTH, SIGOP_COST, SUBSIDY, TX_BYTES, TX_COUNT, TXS, UNDO, UNDO_LENGTH, WIDS,
} from './layout';
import { hashUndo } from './hashing';
import { decompressAmount } from './records';

const DISABLED: u32 = 0x80000000;
const BY_TIME: u32 = 0x00400000;

/** Finishes a block. @param times address of the median times by height @returns 0 or an error code */
export function finish(slot: usize, times: usize, scratch: usize): i32 {
  const txs = load<u32>(slot, TX_COUNT), inputs = load<u32>(slot, INPUT_COUNT);
  const resultLength = load<u32>(slot, RESULT_LENGTH);
  if (resultLength + txs * 3 + 80 > DIGEST_BYTES) return E_UNDO;
  const where = slot + WIDS;
  let found: u32 = 1;
  let r = slot + RESULT;
  for (const end = r + resultLength; r < end; found++) {
    store<u32>(where + (<usize>load<u32>(r) << 2), <u32>(r - slot));
    r = (r + 8 + load<u32>(r, 4) + 3) & ~3;
  }
  if (found != inputs) return E_MISSING;
  const flags = load<u32>(slot, FLAGS);
  let fees: i64 = 0, cost = load<u32>(slot, SIGOP_COST);
  let to = writeCount(slot + UNDO, txs - 1);
  for (let t: u32 = 1; t < txs; t++) {
    const row = slot + TXS + t * TX_BYTES;
    const inputCount = load<u32>(row, 16), first = load<u32>(row, 20);
    const witness = load<u32>(row, 28) != 0;
    const locks = (flags & RELATIVE_LOCKS) != 0 && load<u32>(row, 44) >= 2;
    // The witnesses lie between the outputs and the lock time.
    seek(slot + load<u32>(row, 8), slot + load<u32>(row, 12));
    to = writeCount(to, inputCount);
    let sum: i64 = 0;
    for (let i = first; i < first + inputCount; i++) {
      const record = slot + load<u32>(where + (<usize>i << 2));
      const coin = record + 8, length = load<u32>(record, 4);
      seekVarint(coin);
      const code = <u32>readVarint();
      const codeEnd = varintAt;
      const value = decompressAmount(readVarint());
      if (value > <u64>MAX_MONEY) return E_COIN_VALUE;
      sum += <i64>value;
      if (sum > MAX_MONEY) return E_COIN_VALUE;
      const form = <u32>readVarint();
      if (form == 4 || form == 5) return E_COIN;
      const script = varintAt;
      const head = <u32>(codeEnd - coin);
      for (let k: u32 = 0; k < head; k++) store<u8>(to + k, load<u8>(coin + k));
      to += head;
      if (code > 1) store<u8>(to++, 0);
      const rest = length - head;
      copyBytes(to, codeEnd, rest);
      to += rest;
      const input = slot + load<u32>(slot + INS + (<usize>i << 2));
      if (locks && !lockMet(slot, input, code >> 1, times)) return E_RELATIVE_LOCK;
      cost += inputCost(flags, form, script, input, witness);
    }
    const fee = sum - load<i64>(row, 32);
    if (fee < 0) return E_BELOW_OUTPUTS;
    fees += fee;
    if (fees > MAX_MONEY) return E_FEES;
    if (cost > MAX_COST) return E_SIGOP_COST;
  }
  if (cost > MAX_COST) return E_SIGOP_COST;
  if (load<i64>(slot + TXS, 32) > fees + load<i64>(slot, SUBSIDY)) return E_COINBASE_AMOUNT;
  store<i64>(slot, fees, FEES);
  store<u32>(slot, <u32>(to - slot - UNDO), UNDO_LENGTH);
  store<u32>(slot, cost, SIGOP_COST);
  hashUndo(slot, scratch);
  return 0;
}

// @ts-ignore: decorator
@inline function copyBytes(to: usize, from: usize, n: u32): void {
  let k: u32 = 0;
  for (; k + 8 <= n; k += 8) store<u64>(to + k, load<u64>(from + k));
  for (; k < n; k++) store<u8>(to + k, load<u8>(from + k));
}

function writeCount(p: usize, n: u32): usize {
  if (n < 253) { store<u8>(p, <u8>n); return p + 1; }
  store<u8>(p, 253);
  store<u16>(p, <u16>n, 1);
  return p + 3;
}

/** Returns whether the relative lock of an input is met (BIP-0068). */
function lockMet(slot: usize, input: usize, coinHeight: u32, times: usize): bool {
  seekScript(input);
  const sequence = load<u32>(scriptAt + scriptLength);
  if (sequence & DISABLED) return true;
  const value = sequence & 0xffff, height = load<u32>(slot, HEIGHT);
  // The lock's time starts at the median time of the block before the coin's block.
  if (sequence & BY_TIME) {
    if (coinHeight > height) return false;
    const begin = <u64>load<u32>(times + (<usize>(coinHeight == 0 ? 0 : coinHeight - 1) << 2));
    return begin + (<u64>value << 9) <= <u64>load<u32>(slot, PARENT_MEDIAN_TIME);
  }
  return <u64>coinHeight + <u64>value <= <u64>height;
}

let scriptAt: usize = 0;
let scriptLength: u32 = 0;
/** Finds the script of an input; the sequence is behind it. parse has checked its bounds. */
function seekScript(input: usize): void {
  const first = u8at(input + 36);
  if (first < 253) { scriptAt = input + 37; scriptLength = first; }
  else if (first == 253) { scriptAt = input + 39; scriptLength = <u32>load<u16>(input, 37); }
  else { scriptAt = input + 41; scriptLength = load<u32>(input, 37); }
}

const NO_PROGRAM: u32 = 0;
const KEY_PROGRAM: u32 = 1;
const SCRIPT_PROGRAM: u32 = 2;
// @ts-ignore: decorator
@inline function programOf(script: usize, length: u32): u32 {
  if (length == 22 && load<u16>(script) == 0x1400) return KEY_PROGRAM;
  return length == 34 && load<u16>(script) == 0x2000 ? SCRIPT_PROGRAM : NO_PROGRAM;
}

/** Returns the cost of an input beyond its legacy operations (sigopCost), and moves the cursor behind its witness. */
function inputCost(flags: u32, form: u32, script: usize, input: usize, witness: bool): u32 {
  let lastItem: usize = 0, lastLength: u32 = 0;
  if (witness) {
    for (let items = readSize(); items > 0; items--) {
      lastLength = readSize();
      lastItem = at;
      skip(lastLength);
    }
  }
  let program = NO_PROGRAM, cost: u32 = 0;
  if (form >= 6) {
    const length = form - 6;
    if (length == 23 && load<u16>(script) == 0x14a9 && u8at(script + 22) == 0x87) form = 1;
    else program = programOf(script, length);
  }
  if (form == 1) {
    seekScript(input);
    if (lastPush(scriptAt, scriptAt + scriptLength)) {
      if (flags & COUNT_REDEEM_SCRIPTS) cost = 4 * sigopsOfPush();
      program = programOf(dataAt, dataLength);
    }
  }
  if (program == NO_PROGRAM || (flags & COUNT_WITNESSES) == 0) return cost;
  return cost + (program == KEY_PROGRAM ? 1 : sigops(lastItem, lastItem + lastLength, true));
}

/** Counts the operations of the last push, and keeps its place. */
function sigopsOfPush(): u32 {
  const script = dataAt, length = dataLength;
  const count = sigops(script, script + length, true);
  lastPush(scriptAt, scriptAt + scriptLength);
  return count;
}
