// Shared by listsinceblock and listtransactions. Both select rows in memory first. Then they read only the bytes of
// transactions that spent coins of the wallet, in portions.

import type { TxView } from '../../consensus/tx/tx-view.js';
import type { RecordSnapshot, Wallet } from '../../wallet/index.js';
import type { JsonBytes } from '../wire/json-bytes.js';
import type { EntryOptions, HistoryWriter } from './history-entry.js';

/**
 * Records whose bytes are read together: each needs a read on the file threads, and a portion a few milliseconds of
 * parsing.
 */
const PORTION = 1024;

export interface Work {
  readonly writer: HistoryWriter;
  readonly options: EntryOptions;
  readonly out: JsonBytes;
  /** Called after each selected entry, with the position where it starts. */
  readonly onEntry: (start: number) => unknown;
  /** Stop after this many entries, not counting skipped ones. */
  readonly enough?: number;
  /** Number of entries to skip before the first selected one; counted down. */
  readonly skip?: { left: number };
}

/** Writes the entries of pinned records, in their order. */
export async function forEachEntry(wallet: Wallet, pin: RecordSnapshot, work: Work): Promise<void> {
  const { ledger } = wallet;
  const needed = (row: number): boolean => ledger.needsTx(row) || (work.writer.later && !ledger.txs.hasWtxid(row));
  let left = work.enough ?? Number.POSITIVE_INFINITY;
  const portion = (from: number): Promise<(TxView | undefined)[]> =>
    wallet.reader.readMany(Array.from(pin.rows.subarray(from, from + PORTION)), needed);
  let reading = portion(0);
  for (let from = 0; from < pin.size && left > 0; from += PORTION) {
    const txs = await reading;
    // Read the next portion while this one is written.
    if (from + PORTION < pin.size) reading = portion(from + PORTION);
    reading.catch(() => {});
    const asked = work.writer.queryMempool(pin, from, txs);
    if (asked) await asked;
    for (let at = 0; at < txs.length && left > 0; at++) {
      left -= writeRecord(pin, from + at, txs[at], work);
    }
  }
}

/** Writes the selected entries of a record. @returns number of entries written */
function writeRecord(pin: RecordSnapshot, i: number, tx: TxView | undefined, { writer, options, out, onEntry, skip }: Work): number {
  if (!skip || skip.left === 0) return writer.entries(pin, i, tx, options, onEntry);
  const count = writer.count(pin, i, tx, options);
  const before = Math.min(count, skip.left);
  skip.left -= before;
  if (before === count) return 0;
  let at = 0;
  writer.entries(pin, i, tx, options, (start) => {
    if (at++ >= before) onEntry(start);
    else out.drop(start);
  });
  return count - before;
}
