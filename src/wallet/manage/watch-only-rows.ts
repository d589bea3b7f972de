// Filters the rows of a watch-only copy: everything except private keys and the master key.
import { isOfImage, WALLET_PREFIX } from '../storage/layout.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import { WALLET_FLAG, WalletRecord } from '../wallet-record.js';

const SECRET: ReadonlySet<number> = new Set([WALLET_PREFIX.descriptorKey, WALLET_PREFIX.masterKey, WALLET_PREFIX.needsNewSeed]);

/** Returns the value of a descriptor wallet's row in the copy; null to leave the row out. */
export function watchOnlyRow(key: Uint8Array, value: Uint8Array): Uint8Array | null {
  if (isOfImage(key) || SECRET.has(key[0])) return null;
  if (key[0] !== WALLET_PREFIX.wallet) return value;
  const record = WalletRecord.decode(value);
  record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  const batch = new WalletBatch();
  record.write(batch);
  const [row] = batch.ops;
  return row.type === 'put' ? row.value : value;
}
