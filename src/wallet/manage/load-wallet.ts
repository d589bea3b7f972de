// Reads a wallet's database into a Wallet: tables first, then transactions, then what refers to them. A million rows take seconds.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Store } from '../../storage/store.js';
import { loadLedger } from '../coins/load-ledger.js';
import { decodeMasterKey } from '../crypt/master-key.js';
import { Vault } from '../crypt/vault.js';
import { decodeOpenScan, type OpenScan } from '../follow/rescan.js';
import { DescriptorKeys } from '../keys/descriptor-keys.js';
import { LegacyKeys } from '../keys/legacy-keys.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../storage/layout.js';
import { scanRows } from '../storage/scan-rows.js';
import { Wallet, type WalletParts } from '../wallet.js';
import { KNOWN_FLAGS, WALLET_FLAG, WalletRecord } from '../wallet-record.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

/** What every wallet of the node is made with. */
export type WalletSurroundings = Pick<WalletParts, 'crypto' | 'options' | 'now' | 'isFinal' | 'onFault' | 'onTransaction'> & {
  readonly context: DescriptorContext;
};

/** A wallet over an empty or about to be read database. */
export function assembleWallet(
  surroundings: WalletSurroundings,
  wallet: { name: string; folder: string; record: WalletRecord; encrypted: boolean; store: Store },
): Wallet {
  const { record } = wallet;
  const vault = new Vault(wallet.encrypted, surroundings.crypto);
  const { context, options, now, crypto } = surroundings;
  const descriptors = record.has(WALLET_FLAG.DESCRIPTORS)
    ? new DescriptorKeys({ record, vault, context, keypoolSize: options.keypool })
    : null;
  const legacy = descriptors ? null : new LegacyKeys({ record, vault, hashes: crypto, tools: context, now, keypoolSize: options.keypool });
  return new Wallet({ ...surroundings, name: wallet.name, folder: wallet.folder, record, vault, legacy, descriptors }, wallet.store);
}

/** Reads everything but the chain's part. @returns the wallet and the locator it was left with */
export async function loadWallet(
  surroundings: WalletSurroundings,
  place: { name: string; folder: string },
  store: Store,
): Promise<{ wallet: Wallet; locator: Uint8Array; openScan: OpenScan | null }> {
  const corrupt = (why: string): never => {
    throw new WalletError(WALLET_CODE.WALLET, `Wallet loading failed. Error loading ${place.name}: ${why}`);
  };
  const schema = await store.get(walletKey(WALLET_PREFIX.schema));
  if (schema !== undefined && schema[0] !== WALLET_SCHEMA) corrupt(`Wallet requires newer version of adit`);
  const row = await store.get(WalletRecord.key());
  if (schema === undefined || row === undefined) return corrupt('Wallet corrupted');
  const record = WalletRecord.decode(row);
  // Flags above bit 31 say what must be understood.
  if ((record.flags & ~KNOWN_FLAGS) >> 32n !== 0n) corrupt('Wallet requires newer version of adit');

  const masterRow = await store.get(walletKey(WALLET_PREFIX.masterKey, 1));
  const wallet = assembleWallet(surroundings, { ...place, record, encrypted: masterRow !== undefined, store });
  if (masterRow) wallet.masterKeys.push(decodeMasterKey(masterRow));
  const { legacy, descriptors, ledger, book } = wallet;
  if (legacy) {
    let rows = 0;
    for (const prefix of [WALLET_PREFIX.key, WALLET_PREFIX.script, WALLET_PREFIX.watched, WALLET_PREFIX.pool]) {
      rows += await scanRows(store, prefix, (key, value) => legacy.loadRow(key, value));
    }
    legacy.pool.lastIndex = record.lastPoolIndex;
    wallet.hasKeyManager = rows > 0;
  }
  if (descriptors) {
    for (const prefix of [WALLET_PREFIX.descriptor, WALLET_PREFIX.descriptorKey, WALLET_PREFIX.descriptorScripts]) {
      await scanRows(store, prefix, (key, value) => {
        if (!descriptors.loadRow(key, value)) corrupt('Wallet corrupted');
      });
    }
  }
  await scanRows(store, WALLET_PREFIX.address, (key, value) => book.load(key.subarray(1), value));
  if (!(await loadLedger(store, ledger, surroundings.crypto))) return corrupt('Wallet corrupted');
  const locator = (await store.get(walletKey(WALLET_PREFIX.locator))) ?? new Uint8Array(0);
  const scanRow = await store.get(walletKey(WALLET_PREFIX.rescan));
  return { wallet, locator: new Uint8Array(locator), openScan: scanRow ? decodeOpenScan(scanRow) : null };
}
