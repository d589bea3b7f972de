// Encrypts a wallet that is not: every private key is written sealed into a new database, which takes the old one's
// place; the old one's files are deleted. Then a new seed becomes active, so that no key of an old plain backup is
// given out. The wallet ends locked. A process that dies before the new seed is written leaves a wallet that gives out
// no addresses until it is unlocked: then the seed is made.
import { randomFillSync } from 'node:crypto';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';
import { Slicer } from '../../lib/slicer.js';
import { openStore } from '../../storage/open-store.js';
import type { BatchOp, Store } from '../../storage/store.js';
import { encodeMasterKey, sealMasterKey } from '../crypt/master-key.js';
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

/** A row as it is in the new database. */
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

/** @param pool false: without the keys that wait to be given out */
async function copySealed(from: Store, to: Store, seal: Seal, pool: boolean, slicer: Slicer): Promise<void> {
  const cursor = from.cursor();
  try {
    for (let entries = await cursor.next(ROWS); entries.length > 0; entries = await cursor.next(ROWS)) {
      const ops: BatchOp[] = [];
      for (const [key, value] of entries) {
        if (isOfImage(key) || (!pool && key[0] === WALLET_PREFIX.pool)) continue;
        ops.push({ type: 'put', key, value: sealedRow(key, value, seal) });
        if (slicer.due) await slicer.pause();
      }
      await to.batch(ops);
    }
  } finally {
    await cursor.close();
  }
}

/**
 * Nothing else uses the wallet meanwhile, and what waited meets a locked one.
 * @param passphrase bytes that the caller wipes
 * @param check called when the wallet is this work's alone; what it throws ends it
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
      if (wallet.needsNewSeed) await makeSeed(wallet, context);
    } catch (error) {
      // Of a wallet that was unloaded meanwhile the row says that the seed is due; it is encrypted all the same.
      if (wallet.closed) return;
      throw error;
    } finally {
      wallet.lockNow();
    }
  });
}

/** Exchanges the database and the keys in memory for sealed ones. The wallet is unlocked then. */
async function sealWallet(wallet: Wallet, masterKey: Uint8Array, passphrase: Uint8Array): Promise<void> {
  const { folder, crypto } = wallet.parts;
  const seal: Seal = (publicKey, secret) => sealSecret(masterKey, publicKey, secret, crypto);
  const slicer = new Slicer();
  const stored = await sealMasterKey(masterKey, passphrase);
  const renew = wallet.descriptors ? !wallet.record.has(WALLET_FLAG.BLANK) : wallet.legacy!.hdEnabled;
  await wallet.queueWrite(async () => {
    // Closed meanwhile, its folder may be another's.
    wallet.assertOpen();
    const fresh = await openDatabase(await clearNewDatabase(folder));
    try {
      await copySealed(wallet.store, fresh, seal, !renew, slicer);
      const last: BatchOp[] = [{ type: 'put', key: walletKey(WALLET_PREFIX.masterKey, 1), value: encodeMasterKey(stored) }];
      if (renew) last.push({ type: 'put', key: NEEDS_SEED_KEY, value: new Uint8Array(0) });
      await fresh.batch(last, { sync: true });
    } finally {
      await fresh.close();
    }
    wallet.images?.detachImage();
    await wallet.store.close();
    await exchangeDatabase(folder);
    wallet.store = await openDatabase(databaseOf(folder));
  });
  const sealed = await (wallet.legacy?.keys ?? wallet.descriptors!).sealAllSecrets(seal, slicer);
  wallet.masterKeys.push(stored);
  sealed();
  wallet.needsNewSeed = renew;
  wallet.vault.unlock(secretCopy(masterKey));
}

/** The new seed of an encrypted, unlocked wallet, and all that grows from it. */
async function makeSeed(wallet: Wallet, context: DescriptorContext): Promise<void> {
  const batch = new WalletBatch();
  putSeed(wallet, context, batch);
  const slicer = new Slicer();
  while (wallet.keys.topUp(0, batch, () => slicer.due) === 'paused') {
    await slicer.pause();
    wallet.assertOpen();
  }
  await wallet.commit(batch, true);
}
function putSeed(wallet: Wallet, context: DescriptorContext, batch: WalletBatch): void {
  generateKeys(wallet, context, batch);
  batch.del(NEEDS_SEED_KEY);
  wallet.needsNewSeed = false;
}

/** Makes the new seed that an encrypted, unlocked wallet lacks. Pools are the caller's to fill. */
export async function renewSeed(wallet: Wallet, context: DescriptorContext): Promise<void> {
  if (!wallet.needsNewSeed) return;
  await wallet.change((batch) => {
    if (wallet.needsNewSeed && !wallet.vault.locked) putSeed(wallet, context, batch);
  });
}

/** Whether a stored wallet lacks it; the old one gives out nothing any more then. */
export async function readNeedsNewSeed(wallet: Wallet): Promise<void> {
  wallet.needsNewSeed = (await wallet.store.get(NEEDS_SEED_KEY)) !== undefined;
  if (wallet.needsNewSeed) wallet.record.active.clear();
}
