// Encrypts a wallet. Every row with a private key is written encrypted into a new database, which replaces the old one;
// the old files are deleted. Then a new seed becomes active, so that no key of an old unencrypted backup is given out.
// The wallet is locked afterwards. If the process dies before the new seed is written, the wallet gives out no
// addresses. The next unlocking makes the seed.
import { randomFillSync } from 'node:crypto';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { openStore } from '../../storage/open-store.js';
import type { BatchOp, Store } from '../../storage/store.js';
import { encodeMasterKey, openAnyMasterKey, sealMasterKey } from '../crypt/master-key.js';
import { type Seal, sealSecret } from '../crypt/vault.js';
import { isOfImage, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packRow, unpackRow } from '../storage/rows.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import { clearNewDatabase, databaseOf, exchangeDatabase } from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import { generateKeys } from './new-keys.js';

const ROWS = 1000;
const openDatabase = (path: string): Promise<Store> => openStore({ path, cacheBytes: 4 << 20, writeBufferBytes: 8 << 20 });

/** Returns the value of a row for the new database, with any private key encrypted. */
function sealedRow(key: Uint8Array, value: Uint8Array, seal: Seal): Uint8Array {
  if (key[0] === WALLET_PREFIX.key) {
    const fields = unpackRow(value);
    if (!(fields[2] instanceof Uint8Array)) return value;
    fields[2] = seal(bytesOf(fields[1]), fields[2]);
    return packRow(fields);
  }
  if (key[0] === WALLET_PREFIX.descriptorKey) {
    const [publicKey, secret] = unpackRow(value);
    return packRow([publicKey, seal(bytesOf(publicKey), bytesOf(secret))]);
  }
  return value;
}

const NEEDS_SEED_KEY = walletKey(WALLET_PREFIX.needsNewSeed);

/** Copies the rows to the new database. @param pool false: leave out the rows of the key pool */
async function copySealed(from: Store, to: Store, seal: Seal, pool: boolean): Promise<void> {
  const cursor = from.cursor();
  try {
    for (let entries = await cursor.next(ROWS); entries.length > 0; entries = await cursor.next(ROWS)) {
      const ops: BatchOp[] = [];
      for (const [key, value] of entries) {
        if (isOfImage(key) || (!pool && key[0] === WALLET_PREFIX.pool)) continue;
        ops.push({ type: 'put', key, value: sealedRow(key, value, seal) });
      }
      await to.batch(ops);
    }
  } finally {
    await cursor.close();
  }
}

/**
 * Encrypts a wallet with exclusive access. Calls that wait for the wallet meanwhile find it locked.
 * @param passphrase bytes that the caller wipes
 * @param check called once the access is exclusive; an exception ends the work
 */
export async function encryptWallet(
  wallet: Wallet,
  passphrase: Uint8Array,
  context: DescriptorContext,
  check: () => void = () => {},
): Promise<void> {
  await wallet.access.runExclusive(async () => {
    wallet.assertOpen();
    check();
    const masterKey = randomFillSync(secretBytes(32));
    try {
      await sealWallet(wallet, masterKey, passphrase);
    } finally {
      masterKey.fill(0);
    }
    try {
      if (wallet.encryption.needsNewSeed) await makeSeed(wallet, context);
    } catch (error) {
      // If the wallet was unloaded meanwhile, its database is encrypted but has no new seed. Row 'S' says so, and the
      // next unlocking makes the seed.
      if (wallet.closed) return;
      throw error;
    } finally {
      wallet.encryption.lockNow();
    }
  });
}

/** Replaces the database and the keys in memory by encrypted ones. The wallet is unlocked afterwards. */
async function sealWallet(wallet: Wallet, masterKey: Uint8Array, passphrase: Uint8Array): Promise<void> {
  const { folder, crypto } = wallet.parts;
  const seal: Seal = (publicKey, secret) => sealSecret(masterKey, publicKey, secret, crypto);
  const stored = await sealMasterKey(masterKey, passphrase);
  const renew = wallet.descriptors ? !wallet.record.has(WALLET_FLAG.BLANK) : wallet.legacy!.hdEnabled;
  await wallet.storage.queueWrite(async () => {
    // If the wallet was closed meanwhile, its folder may belong to another wallet by now.
    wallet.assertOpen();
    const fresh = await openDatabase(await clearNewDatabase(folder));
    try {
      await copySealed(wallet.storage.store, fresh, seal, !renew);
      const last: BatchOp[] = [{ type: 'put', key: walletKey(WALLET_PREFIX.masterKey, 1), value: encodeMasterKey(stored) }];
      if (renew) last.push({ type: 'put', key: NEEDS_SEED_KEY, value: new Uint8Array(0) });
      await fresh.batch(last, { sync: true });
    } finally {
      await fresh.close();
    }
    wallet.storage.images?.detachImage();
    await wallet.storage.store.close();
    await exchangeDatabase(folder);
    wallet.storage.replaceStore(await openDatabase(databaseOf(folder)));
  });
  const sealed = (wallet.legacy?.keys ?? wallet.descriptors!).sealAllSecrets(seal);
  wallet.encryption.masterKeys.push(stored);
  sealed();
  wallet.encryption.setNeedsNewSeed(renew);
  wallet.vault.unlock(secretCopy(masterKey));
}

/** Makes a new seed for a wallet that is encrypted and unlocked, and all keys that derive from the seed. */
async function makeSeed(wallet: Wallet, context: DescriptorContext): Promise<void> {
  const batch = new WalletBatch();
  putSeed(wallet, context, batch);
  const slice = new TimeSlice();
  while (wallet.keys.topUp(0, batch, () => slice.over) === 'paused') {
    await slice.next();
    wallet.assertOpen();
  }
  await wallet.commit(batch, true);
}
function putSeed(wallet: Wallet, context: DescriptorContext, batch: WalletBatch): void {
  generateKeys(wallet, context, batch);
  batch.del(NEEDS_SEED_KEY);
  wallet.encryption.setNeedsNewSeed(false);
}

/** Makes the new seed of an unlocked wallet if it is missing since the encryption. The caller fills the key pools. */
export async function renewSeed(wallet: Wallet, context: DescriptorContext): Promise<void> {
  if (!wallet.encryption.needsNewSeed) return;
  await wallet.change((batch) => {
    if (wallet.encryption.needsNewSeed && !wallet.vault.locked) putSeed(wallet, context, batch);
  });
}

/** Reads whether a wallet still needs a new seed. If so, stops its old descriptors from giving out addresses. */
export async function readNeedsNewSeed(wallet: Wallet): Promise<void> {
  wallet.encryption.setNeedsNewSeed((await wallet.storage.store.get(NEEDS_SEED_KEY)) !== undefined);
  if (wallet.encryption.needsNewSeed) wallet.record.active.clear();
}

/**
 * Replaces the passphrase of an encrypted wallet. The caller wipes both passphrases.
 * @returns false if the old passphrase is wrong
 */
export async function changePassphrase(wallet: Wallet, old: Uint8Array, fresh: Uint8Array): Promise<boolean> {
  const { masterKeys } = wallet.encryption;
  const opened = await openAnyMasterKey(masterKeys, old);
  if (opened === null) return false;
  try {
    const renewed = await sealMasterKey(opened.key, fresh);
    return await wallet.change((batch) => {
      // Another call may have changed the passphrase meanwhile, so that the old one is no longer valid.
      if (!masterKeys.includes(opened.stored)) return false;
      masterKeys.splice(0, masterKeys.length, renewed);
      batch.put(walletKey(WALLET_PREFIX.masterKey, 1), encodeMasterKey(renewed));
      return true;
    });
  } finally {
    opened.key.fill(0);
  }
}
