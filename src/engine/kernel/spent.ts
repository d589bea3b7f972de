// Lists the outputs that a transaction spends, for its script checks. The block must be finished.
//
//   value f64 | address of the script, 4 | length of the script, 4 | place for a script that is stored in a shorter form, 40

import { copy20, readVarint, seekVarint, varintAt } from './bytes';
import { TX_BYTES, TXS, WIDS } from './layout';
import { decompressAmount } from './records';

export const SPENT_BYTES: u32 = 56;
/** Offset of the place for a script. */
const SCRIPT: u32 = 16;

/** Writes an entry for each input of transaction `t`, from `to` on. */
export function listSpent(slot: usize, t: u32, to: usize): void {
  const row = slot + TXS + t * TX_BYTES;
  const first = load<u32>(row, 20), end = first + load<u32>(row, 16);
  let entry = to;
  for (let i = first; i < end; i++) {
    seekVarint(slot + load<u32>(slot + WIDS + (<usize>i << 2)) + 8);
    readVarint();
    store<f64>(entry, <f64>decompressAmount(readVarint()));
    const form = <u32>readVarint();
    store<u32>(entry, <u32>(form < 6 ? entry + SCRIPT : varintAt), 8);
    store<u32>(entry, form < 6 ? expand(entry + SCRIPT, form, varintAt) : form - 6, 12);
    entry += SPENT_BYTES;
  }
}

/** Writes a script of forms 0 to 3 (storage/codec/script.ts). @returns its length */
function expand(to: usize, form: u32, from: usize): u32 {
  if (form == 0) {
    store<u32>(to, 0x14a976);
    copy20(to + 3, from);
    store<u16>(to, 0xac88, 23);
    return 25;
  }
  if (form == 1) {
    store<u16>(to, 0x14a9);
    copy20(to + 2, from);
    store<u8>(to, 0x87, 22);
    return 23;
  }
  store<u8>(to, 33);
  store<u8>(to, <u8>form, 1);
  memory.copy(to + 2, from, 32);
  store<u8>(to, 0xac, 34);
  return 35;
}
