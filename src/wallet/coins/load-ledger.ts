// Reads a wallet's transactions, spends and coins from its database into the ledger's tables. A million transactions
// take a few seconds.
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Store } from '../../storage/store.js';
import { WALLET_PREFIX } from '../storage/layout.js';
import { scanRows } from '../storage/scan-rows.js';
import type { Ledger } from './ledger.js';

/** Number of transactions whose bytes are read together. */
const PORTION = 256;
const TXID = 32;
const OUTPOINT = 36;

/** Loads a database row into a table. @returns false if the row is damaged */
export type RowLoader = (key: Uint8Array, value: Uint8Array) => unknown;

/**
 * Fills an empty ledger. The buckets of coins are set later, when the tip is known (`classifyAllCoins`).
 * @param visit wraps the loader of a table in one that also counts rows and damaged rows
 * @returns false if transactions are missing
 */
export async function loadLedger(
  store: Store,
  ledger: Ledger,
  hashes: Hashes,
  visit: (load: RowLoader) => (key: Uint8Array, value: Uint8Array) => void,
): Promise<boolean> {
  const { txs } = ledger;
  ledger.isClassified = false;
  const load: RowLoader = (key, value) => {
    const txid = key.subarray(1);
    return txid.length === TXID && txs.loadRecord(txid, value) >= 0;
  };
  await scanRows(store, WALLET_PREFIX.tx, visit(load));
  txs.finishLoading();
  const sound = await loadViews(store, ledger, hashes);
  await scanRows(
    store,
    WALLET_PREFIX.spender,
    visit((key) => ledger.loadSpend(key.subarray(1, 1 + OUTPOINT), key.subarray(1 + OUTPOINT))),
  );
  await scanRows(
    store,
    WALLET_PREFIX.output,
    visit((key, value) => ledger.loadCoin(key.subarray(1), value)),
  );
  return sound;
}

/** Reads the transactions that are not in the best chain. @returns false if the bytes of one are missing */
export async function loadViews(store: Store, { txs }: Ledger, hashes: Hashes): Promise<boolean> {
  let sound = true;
  const live: number[] = [];
  for (const row of txs.rows()) if (txs.isOutsideChain(row)) live.push(row);
  for (let from = 0; from < live.length; from += PORTION) {
    const rows = live.slice(from, from + PORTION);
    const values = await store.getMany(rows.map((row) => txs.bytesKey(row)));
    values.forEach((bytes, i) => {
      if (bytes) txs.setView(rows[i], parseTx(new Uint8Array(bytes), hashes));
      else sound = false;
    });
  }
  return sound;
}
