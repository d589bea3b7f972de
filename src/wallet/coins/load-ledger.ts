// Reads a wallet's transactions and coins from its database into the ledger's tables: records, who spends what, own outputs. A million
// transactions take a few seconds. Caller: manage/load-wallet.
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Store } from '../../storage/store.js';
import { WALLET_PREFIX } from '../storage/layout.js';
import { scanRows } from '../storage/scan-rows.js';
import type { Ledger } from './ledger.js';

/** Transactions whose bytes are fetched together. */
const PORTION = 256;
const TXID = 32;
const OUTPOINT = 36;

/** Fills an empty ledger; where its coins stand is not decided before the tip is known (`judgeAll`). @returns false when rows are damaged */
export async function loadLedger(store: Store, ledger: Ledger, hashes: Hashes): Promise<boolean> {
  const { txs } = ledger;
  let sound = true;
  const live: number[] = [];
  await scanRows(store, WALLET_PREFIX.tx, (key, value) => {
    const txid = key.subarray(1);
    const row = txid.length === TXID ? txs.load(txid, value) : -1;
    if (row < 0) sound = false;
    else if (txs.isLive(row)) live.push(row);
  });
  txs.loaded();
  for (let from = 0; from < live.length; from += PORTION) {
    const rows = live.slice(from, from + PORTION);
    const values = await store.getMany(rows.map((row) => txs.bytesKey(row)));
    values.forEach((bytes, i) => {
      if (bytes) txs.setView(rows[i], parseTx(new Uint8Array(bytes), hashes));
      else sound = false;
    });
  }
  await scanRows(store, WALLET_PREFIX.spender, (key) => {
    if (!ledger.loadSpend(key.subarray(1, 1 + OUTPOINT), key.subarray(1 + OUTPOINT))) sound = false;
  });
  await scanRows(store, WALLET_PREFIX.output, (key, value) => {
    if (!ledger.loadCoin(key.subarray(1), value)) sound = false;
  });
  return sound;
}
