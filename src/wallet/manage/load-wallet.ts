// Reads a wallet's database into a Wallet: from an image of its tables and the rows written after it, or from all rows,
// which takes about ten seconds per million rows.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Store } from '../../storage/store.js';
import { loadLedger, loadViews } from '../coins/load-ledger.js';
import { decodeMasterKey } from '../crypt/master-key.js';
import { Vault } from '../crypt/vault.js';
import { replayJournal } from '../image/replay-journal.js';
import { transferTables } from '../image/save-image.js';
import { type ImageColumn, ImageError, ImageLoader, wipeSecrets } from '../image/table-image.js';
import { type ImageRules, WalletImages } from '../image/wallet-images.js';
import { DescriptorKeys } from '../keys/descriptor-keys.js';
import { LegacyKeys } from '../keys/legacy-keys.js';
import { REASSESS_KEY } from '../reassess.js';
import { DESCRIPTOR_ROWS, WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../storage/layout.js';
import { scanRows } from '../storage/scan-rows.js';
import { databaseOf } from '../storage/wallet-folder.js';
import { Wallet, type WalletParts } from '../wallet.js';
import { KNOWN_FLAGS, WALLET_FLAG, WalletRecord } from '../wallet-record.js';
import { readNeedsNewSeed } from './encrypt-wallet.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

/** Settings and dependencies that all wallets share. */
export type WalletSurroundings = Pick<WalletParts, 'crypto' | 'options' | 'now' | 'isFinal' | 'onFault' | 'onTransaction'> & {
  readonly context: DescriptorContext;
  /** Settings for images; absent: no images. */
  readonly images?: ImageRules;
};

/**
 * Returns the dependencies for a wallet that clients cannot use, for example during a migration. The wallet sends no
 * notifications about its transactions. A failed write fails only the work on it, and is not reported to the
 * WalletManager.
 */
export const unattached = (surroundings: WalletSurroundings): WalletSurroundings => ({
  ...surroundings,
  onTransaction: () => {},
  onFault: () => {},
});

/** A long load writes a log line each time it has read this many rows. */
const LOG_ROWS = 500_000;

/** Creates a wallet over a database that is empty or has not been read yet. */
export function assembleWallet(
  surroundings: WalletSurroundings,
  wallet: { name: string; folder: string; record: WalletRecord; encrypted: boolean; store: Store },
): Wallet {
  const { record } = wallet;
  const vault = new Vault(wallet.encrypted, surroundings.crypto, surroundings.context.keys);
  const { context, options, now, crypto } = surroundings;
  const descriptors = record.has(WALLET_FLAG.DESCRIPTORS)
    ? new DescriptorKeys({ record, vault, context, keypoolSize: options.keypool })
    : null;
  const legacy = descriptors ? null : new LegacyKeys({ record, vault, hashes: crypto, tools: context, now, keypoolSize: options.keypool });
  return new Wallet({ ...surroundings, name: wallet.name, folder: wallet.folder, record, vault, legacy, descriptors }, wallet.store);
}

/**
 * Reads all of a wallet that does not depend on the best chain.
 * @returns the wallet, its locator, whether finishReassessment has work to do, and the argument for it
 */
export async function loadWallet(
  surroundings: WalletSurroundings,
  place: { name: string; folder: string },
  store: Store,
): Promise<{ wallet: Wallet; locator: Uint8Array; reassessDue: boolean; isIndexed: boolean }> {
  const corrupt = (why: string): never => {
    throw new WalletError(WALLET_CODE.WALLET, `Wallet loading failed. Error loading ${place.name}: ${why}`);
  };
  const schema = await store.get(walletKey(WALLET_PREFIX.schema));
  if (schema !== undefined && !(schema[0] >= 1 && schema[0] <= WALLET_SCHEMA)) {
    corrupt(`Wallet requires newer version of adit`);
  }
  const row = await store.get(WalletRecord.key());
  if (schema === undefined || row === undefined) return corrupt('Wallet corrupted');
  const masterRow = await store.get(walletKey(WALLET_PREFIX.masterKey, 1));
  const assemble = (): Wallet => {
    const record = WalletRecord.decode(row);
    // A wallet with unknown flags above bit 31 must not be loaded.
    if ((record.flags & ~KNOWN_FLAGS) >> 32n !== 0n) corrupt('Wallet requires newer version of adit');
    const wallet = assembleWallet(surroundings, { ...place, record, encrypted: masterRow !== undefined, store });
    if (masterRow) wallet.encryption.masterKeys.push(decodeMasterKey(masterRow));
    return wallet;
  };
  const images = surroundings.images ? new WalletImages(surroundings.images, databaseOf(place.folder)) : null;
  // Without images, rows are written without a journal, which would make an image wrong. Discard the image before the
  // first write.
  const head = walletKey(WALLET_PREFIX.image);
  if (!images && (await store.get(head)) !== undefined) await store.batch([{ type: 'del', key: head }], { sync: true });
  let wallet = assemble();
  const image = images && (await images.load(store));
  if (!image || !(await restore(store, wallet, image, surroundings.crypto, images))) {
    if (image) {
      // The restored tables are wrong. Their private keys must not stay in memory.
      wallet.keys.wipeSecrets();
      wallet = assemble();
      await images.discardImage(store);
    }
    if (!(await loadTables(store, wallet, surroundings.crypto, images))) return corrupt('Wallet corrupted');
  }
  const { legacy } = wallet;
  if (legacy) {
    // Read the rows of the key pool, which images do not contain, after the tables, because these rows refer to keys.
    let sound = true;
    await scanRows(store, WALLET_PREFIX.pool, (key, value) => {
      if (!legacy.loadRow(key, value)) sound = false;
    });
    if (!sound) corrupt('Wallet corrupted');
    legacy.pool.lastIndex = wallet.record.lastPoolIndex;
    if (legacy.isEmpty) wallet.session.removeKeyManager();
  }
  await scanRows(store, WALLET_PREFIX.lockedCoin, (key) => wallet.ledger.loadLock(key));
  const { crypto } = surroundings;
  await scanRows(store, WALLET_PREFIX.version, (_, value) => wallet.ledger.txs.loadVersion(parseTx(new Uint8Array(value), crypto)));
  wallet.storage.useImages(images);
  await readNeedsNewSeed(wallet);
  const locator = (await store.get(walletKey(WALLET_PREFIX.locator))) ?? new Uint8Array(0);
  await wallet.scans.load(store);
  const pendingRow = await store.get(REASSESS_KEY);
  wallet.reassessor.finishLoading(pendingRow);
  const isIndexed = schema[0] === WALLET_SCHEMA;
  return { wallet, locator: new Uint8Array(locator), reassessDue: pendingRow !== undefined || !isIndexed, isIndexed };
}

/** Number of rows read together. */
const PORTION = 256;

/** Reads the rows of descriptors that an image does not contain completely. @returns false if a row is damaged */
async function loadCachedDescriptors(store: Store, descriptors: DescriptorKeys): Promise<boolean> {
  const slice = new TimeSlice();
  const keys = [...descriptors.cachedIds()].map((id) => walletKey(WALLET_PREFIX.descriptor, id));
  for (let from = 0; from < keys.length; from += PORTION) {
    const portion = keys.slice(from, from + PORTION);
    const values = await store.getMany(portion);
    for (const [i, key] of portion.entries()) {
      const value = values[i];
      if (value === undefined || !descriptors.loadRow(key, value)) return false;
      if (slice.over) await slice.next();
    }
  }
  return true;
}

/**
 * Fills the tables from an image and the rows written after it.
 * @returns false if that fails or would take too long
 */
async function restore(
  store: Store,
  wallet: Wallet,
  { columns, touched }: { columns: readonly ImageColumn[]; touched: readonly Uint8Array[] },
  hashes: Hashes,
  images: WalletImages,
): Promise<boolean> {
  try {
    const loader = new ImageLoader(columns);
    transferTables(wallet, loader);
    loader.done();
  } catch (error) {
    wipeSecrets(columns);
    if (error instanceof ImageError) return false;
    throw error;
  }
  const { ledger, keys } = wallet;
  if (images.isJournalTooLong(touched.length, keys.scriptCount + ledger.txs.size + ledger.coins.size)) return false;
  if (!(await replayJournal(store, wallet, touched, hashes)) || !(await loadViews(store, ledger, hashes))) return false;
  if (wallet.descriptors && !(await loadCachedDescriptors(store, wallet.descriptors))) return false;
  // Classify the coins of unconfirmed transactions again. The replay classified them when the transactions were not
  // loaded yet.
  const slice = new TimeSlice();
  for (const row of ledger.txs.rowsOutsideChain()) {
    const view = ledger.txs.view(row);
    if (view) ledger.classifyTx(view);
    if (slice.over) await slice.next();
  }
  return true;
}

/** Fills the tables from all rows. @returns false if a row is damaged */
async function loadTables(store: Store, wallet: Wallet, hashes: Hashes, images: WalletImages | null): Promise<boolean> {
  const { legacy, descriptors, book } = wallet;
  let sound = true;
  let rows = 0;
  const visit = (load: (key: Uint8Array, value: Uint8Array) => unknown) => (key: Uint8Array, value: Uint8Array) => {
    if (load(key, value) === false) sound = false;
    if (++rows % LOG_ROWS === 0) images?.logProgress(`Wallet ${JSON.stringify(wallet.name)}: ${rows} rows read`);
  };
  for (const prefix of legacy ? [WALLET_PREFIX.key, WALLET_PREFIX.script, WALLET_PREFIX.watched] : []) {
    await scanRows(
      store,
      prefix,
      visit((key, value) => legacy!.loadRow(key, value)),
    );
  }
  for (const prefix of descriptors ? DESCRIPTOR_ROWS : []) {
    await scanRows(
      store,
      prefix,
      visit((key, value) => descriptors!.loadRow(key, value)),
    );
  }
  await scanRows(
    store,
    WALLET_PREFIX.address,
    visit((key, value) => book.load(key.subarray(1), value)),
  );
  return (await loadLedger(store, wallet.ledger, hashes, visit)) && sound;
}
