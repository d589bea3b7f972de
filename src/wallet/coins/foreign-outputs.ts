// Which known transactions pay a script that is not the wallet's, as rows of its database: the script may become the
// wallet's later (reassess.ts). One row says that a mark of 32 bits is paid at all, so that scripts without payments
// cost one look-up by key each; the rows behind it name the transactions by their order of arrival. Another script
// shares a mark by chance once in 2^32 / (marks), or by a stranger's choice, who might as well pay the script itself:
// transactions are read in vain then, and they decide.
import { seededMark } from '../../jobs/script-marks.js';
import type { Store } from '../../storage/store.js';
import { keyNumber, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

/** Part of the rows' format. */
const SEED = 0;
const NOTHING = new Uint8Array(0);
const ORDER_AT = 5;

const markOf = (script: Uint8Array): number => seededMark(SEED, 0, script, 0, script.length);

/** Notes that a transaction pays a script of others. @param order of its arrival */
export function addForeignOutput(script: Uint8Array, order: number, batch: WalletBatch): void {
  const mark = markOf(script);
  batch.put(walletKey(WALLET_PREFIX.foreign, mark), NOTHING);
  batch.put(walletKey(WALLET_PREFIX.foreign, mark, order), NOTHING);
}
/** The transaction is forgotten, whether or not that was noted. The row of the mark stays: it may be others' too. */
export function removeForeignOutput(script: Uint8Array, order: number, batch: WalletBatch): void {
  batch.del(walletKey(WALLET_PREFIX.foreign, markOf(script), order));
}
/** Orders of arrival of transactions that may pay one of some scripts; some of them may come twice. */
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
