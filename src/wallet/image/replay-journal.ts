// Updates tables that were restored from an image with the rows written after it.
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Store } from '../../storage/store.js';
import { bytesKeyOf, decodeTxRow, type TxRow } from '../coins/tx-row.js';
import { TX_STATE } from '../coins/tx-table.js';
import { DESCRIPTOR_ROWS, WALLET_PREFIX } from '../storage/layout.js';
import type { Wallet } from '../wallet.js';

/** Number of rows read together. */
const PORTION = 256;
const OUTPOINT = 36;

/** Applies the journal. @param touched keys of the rows, each once @returns false if rows are damaged or missing */
export async function replayJournal(store: Store, wallet: Wallet, touched: readonly Uint8Array[], hashes: Hashes): Promise<boolean> {
  const { legacy, descriptors, ledger, book } = wallet;
  const slice = new TimeSlice();
  const byPrefix = new Map<number, Uint8Array[]>();
  for (const key of touched) {
    const keys = byPrefix.get(key[0]);
    if (keys) keys.push(key);
    else byPrefix.set(key[0], [key]);
  }
  let sound = true;
  const each = async (prefix: number, visit: (rest: Uint8Array, value: Uint8Array | undefined, key: Uint8Array) => boolean) => {
    const keys = byPrefix.get(prefix) ?? [];
    for (let from = 0; from < keys.length; from += PORTION) {
      const portion = keys.slice(from, from + PORTION);
      const values = await store.getMany(portion);
      portion.forEach((key, i) => {
        if (!visit(key.subarray(1), values[i], key)) sound = false;
      });
      if (slice.over) await slice.next();
    }
  };
  const present =
    (load: (key: Uint8Array, value: Uint8Array) => unknown) => (_: Uint8Array, value: Uint8Array | undefined, key: Uint8Array) =>
      value !== undefined && load(key, value) !== false;
  await each(
    WALLET_PREFIX.key,
    present((key, value) => legacy?.loadRow(key, value)),
  );
  await each(
    WALLET_PREFIX.script,
    present((key, value) => legacy?.loadRow(key, value)),
  );
  await each(WALLET_PREFIX.watched, (script, value, key) => {
    if (value) legacy?.loadRow(key, value);
    else legacy?.unloadWatched(script);
    return true;
  });
  for (const prefix of DESCRIPTOR_ROWS) {
    await each(
      prefix,
      present((key, value) => descriptors?.loadRow(key, value)),
    );
  }
  await each(
    WALLET_PREFIX.address,
    present((key, value) => book.load(key.subarray(1), value)),
  );

  // New transactions get their rows in order of arrival.
  const records: { txid: Uint8Array; value: Uint8Array; row: TxRow }[] = [];
  await each(WALLET_PREFIX.tx, (txid, value) => {
    const row = {} as TxRow;
    if (value === undefined || decodeTxRow(value, row) === null) return false;
    records.push({ txid, value: new Uint8Array(value), row });
    return true;
  });
  records.sort((a, b) => a.row.order - b.row.order);
  let highest = ledger.tipHeight;
  for (const { txid, value, row } of records) {
    ledger.txs.reloadRecord(txid, value);
    if (row.state === TX_STATE.CONFIRMED) highest = Math.max(highest, row.height);
    if (slice.over) await slice.next();
  }
  ledger.setTip(highest);
  await each(WALLET_PREFIX.spender, (rest) => ledger.loadSpend(rest.subarray(0, OUTPOINT), rest.subarray(OUTPOINT)));
  await each(
    WALLET_PREFIX.output,
    present((key, value) => ledger.loadCoin(key.subarray(1), value)),
  );

  for (let from = 0; from < records.length; from += PORTION) {
    const values = await store.getMany(records.slice(from, from + PORTION).map(({ row }) => bytesKeyOf(row.order)));
    for (const bytes of values) {
      if (bytes) ledger.classifyTx(parseTx(new Uint8Array(bytes), hashes));
      else sound = false;
    }
    if (slice.over) await slice.next();
  }
  for (const key of byPrefix.get(WALLET_PREFIX.output) ?? []) ledger.classifyOutput(key.subarray(1));
  return sound;
}
