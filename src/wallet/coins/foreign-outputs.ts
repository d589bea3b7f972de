// Index of known transactions that pay foreign scripts, as rows of the wallet's database. Such a script may become the
// wallet's later (reassess.ts). One row says that a 32-bit hash of a script, its mark, is paid at all, so a script
// without payments costs one lookup. The rows after that one contain the order of arrival of the paying transactions.
// Different scripts may have the same mark, by chance or because an attacker chose them. So callers read the
// transactions and compare their outputs.
import { seededMark } from '../../jobs/script-marks.js';
import type { Store } from '../../storage/store.js';
import { keyNumber, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

/** Seed of the marks; part of the database format. */
const SEED = 0;
const NOTHING = new Uint8Array(0);
const ORDER_AT = 5;

const markOf = (script: Uint8Array): number => seededMark(SEED, 0, script, 0, script.length);

/** Records that a transaction pays a foreign script. @param order its order of arrival */
export function addForeignOutput(script: Uint8Array, order: number, batch: WalletBatch): void {
  const mark = markOf(script);
  batch.put(walletKey(WALLET_PREFIX.foreign, mark), NOTHING);
  batch.put(walletKey(WALLET_PREFIX.foreign, mark, order), NOTHING);
}
/**
 * Removes the row of a transaction, if there is one. The row of the mark stays, because other scripts may have the same
 * mark.
 */
export function removeForeignOutput(script: Uint8Array, order: number, batch: WalletBatch): void {
  batch.del(walletKey(WALLET_PREFIX.foreign, markOf(script), order));
}
/** Returns the orders of arrival of transactions that may pay one of these scripts. A number may occur twice. */
export async function ordersPaying(store: Store, scripts: readonly Uint8Array[]): Promise<number[]> {
  const keys = scripts.map((script) => walletKey(WALLET_PREFIX.foreign, markOf(script)));
  const paid = await store.getMany(keys);
  const orders: number[] = [];
  for (const gte of keys.filter((_, i) => paid[i] !== undefined)) {
    const lt = walletKey(WALLET_PREFIX.foreign, keyNumber(gte, 1), 0xffffffff);
    for await (const [key] of store.iterate({ gte, lt })) if (key.length > ORDER_AT) orders.push(keyNumber(key, ORDER_AT));
  }
  return orders;
}
