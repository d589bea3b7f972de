// What listsinceblock and listtransactions share. Both select rows in memory first and fetch bytes only of transactions
// that spent something of ours, in portions, between other work.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { RecordSnapshot } from '../../wallet/coins/record-snapshot.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { Slicer } from '../node/slices.js';
import type { JsonBytes } from '../wire/json-bytes.js';
import type { EntryOptions, HistoryWriter } from './history-entry.js';

/** Records whose bytes are fetched together: a trip to the disk's threads each, and a few milliseconds of parsing. */
const PORTION = 1024;

export interface Work {
  readonly writer: HistoryWriter;
  readonly options: EntryOptions;
  readonly slicer: Slicer;
  readonly out: JsonBytes;
  /** Called after each entry that is wanted, with the place where it begins. */
  readonly onEntry: (start: number) => unknown;
  /** No more records after this many entries, skipped ones not counted. */
  readonly enough?: number;
  /** So many entries come before the first that is wanted; counted down. */
  readonly skip?: { left: number };
}

/** Hands on the entries of pinned records, in their order. */
export async function forEachEntry(wallet: Wallet, pin: RecordSnapshot, work: Work): Promise<void> {
  const { ledger } = wallet;
  const needed = (row: number): boolean => ledger.needsTx(row) || (work.writer.later && !ledger.txs.hasWtxid(row));
  let left = work.enough ?? Number.POSITIVE_INFINITY;
  const portion = (from: number): Promise<(TxView | undefined)[]> =>
    wallet.transactions(Array.from(pin.rows.subarray(from, from + PORTION)), needed);
  let reading = portion(0);
  for (let from = 0; from < pin.size && left > 0; from += PORTION) {
    const txs = await reading;
    // The next bytes come while these are written out.
    if (from + PORTION < pin.size) reading = portion(from + PORTION);
    reading.catch(() => {});
    const asked = work.writer.queryMempool(pin, from, txs);
    if (asked) await asked;
    for (let at = 0; at < txs.length && left > 0; at++) {
      left -= writeRecord(pin, from + at, txs[at], work);
      if (work.slicer.due) await work.slicer.pause();
    }
  }
}

/** Writes what is wanted of a record's entries. @returns how many were */
function writeRecord(pin: RecordSnapshot, i: number, tx: TxView | undefined, { writer, options, out, onEntry: take, skip }: Work): number {
  if (!skip || skip.left === 0) return writer.entries(pin, i, tx, options, take);
  const count = writer.count(pin, i, tx, options);
  const before = Math.min(count, skip.left);
  skip.left -= before;
  if (before === count) return 0;
  let at = 0;
  writer.entries(pin, i, tx, options, (start) => {
    if (at++ >= before) take(start);
    else out.drop(start);
  });
  return count - before;
}
