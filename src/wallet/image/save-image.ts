import type { AddressBook } from '../address-book.js';
import type { Ledger } from '../coins/ledger.js';
import type { KeySource } from '../keys/key-source.js';
import type { WalletStorage } from '../storage/wallet-storage.js';
import type { TableImage } from './table-image.js';

/** Members of a wallet that an image contains. */
interface ImagedWallet {
  readonly keys: KeySource;
  readonly book: AddressBook;
  readonly ledger: Ledger;
}

/** Saves every table to an image, or restores it from one. */
export function transferTables({ keys, book, ledger }: ImagedWallet, at: TableImage): void {
  keys.transferImage(at);
  book.transferImage(at);
  ledger.transferImage(at);
}

/**
 * Writes a new image of the tables if one is due (WalletImages.isNewImageDue). The caller has exclusive access to the
 * wallet.
 */
export async function saveImage(wallet: ImagedWallet & { readonly storage: WalletStorage }): Promise<void> {
  const { storage, ledger, keys } = wallet;
  const { images, generation } = storage;
  if (images === null || !ledger.isClassified || !images.isNewImageDue(keys.scriptCount + ledger.txs.size + ledger.coins.size)) return;
  await images.save(
    storage.store,
    (at) => transferTables(wallet, at),
    () => storage.generation === generation,
  );
}
