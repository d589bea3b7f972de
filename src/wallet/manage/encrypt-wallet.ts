// Encrypts a wallet that is not: every private key is written sealed into a new database, which takes the old one's place; the old one's
// files are deleted. Then a new seed becomes active, so that no key of an old plain backup is given out. The wallet ends locked.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { openStore } from '../../storage/open-store.js';
import type { BatchOp, Store } from '../../storage/store.js';
import { encodeMasterKey, sealMasterKey } from '../crypt/master-key.js';
import { sealSecret } from '../crypt/vault.js';
import { isOfImage, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packRow, unpackRow } from '../storage/rows.js';
import { databaseOf, exchangeDatabase, newDatabaseOf } from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import { generateKeys } from './new-keys.js';

const ROWS = 2000;
const openDatabase = (path: string): Promise<Store> => openStore({ path, cacheBytes: 4 << 20, writeBufferBytes: 8 << 20 });

type Seal = (publicKey: Uint8Array, secret: Uint8Array) => Uint8Array;

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

async function copySealed(from: Store, to: Store, seal: Seal): Promise<void> {
  const cursor = from.cursor();
  try {
    for (let entries = await cursor.next(ROWS); entries.length > 0; entries = await cursor.next(ROWS)) {
      const rows = entries.filter(([key]) => !isOfImage(key));
      const ops: BatchOp[] = rows.map(([key, value]) => ({ type: 'put', key, value: sealedRow(key, value, seal) }));
      await to.batch(ops);
    }
  } finally {
    await cursor.close();
  }
}

/** @param passphrase bytes that the caller wipes */
export async function encryptWallet(wallet: Wallet, passphrase: Uint8Array, context: DescriptorContext): Promise<void> {
  const masterKey = new Uint8Array(randomBytes(32));
  const { folder, crypto } = wallet.parts;
  const seal: Seal = (publicKey, secret) => sealSecret(masterKey, publicKey, secret, crypto);
  wallet.frozen = true;
  try {
    const stored = await sealMasterKey(masterKey, passphrase);
    await wallet.exclusive(async () => {
      await fs.rm(newDatabaseOf(folder), { recursive: true, force: true });
      const fresh = await openDatabase(newDatabaseOf(folder));
      try {
        await copySealed(wallet.store, fresh, seal);
        await fresh.batch([{ type: 'put', key: walletKey(WALLET_PREFIX.masterKey, 1), value: encodeMasterKey(stored) }], { sync: true });
      } finally {
        await fresh.close();
      }
      wallet.images?.forget();
      await wallet.store.close();
      await exchangeDatabase(folder);
      wallet.store = await openDatabase(databaseOf(folder));
    });
    wallet.masterKeys.push(stored);
    wallet.legacy?.keys.resealAll(seal);
    wallet.descriptors?.resealAll(seal);
    wallet.vault.unlock(new Uint8Array(masterKey));
  } finally {
    masterKey.fill(0);
    wallet.frozen = false;
  }
  const renew = wallet.descriptors ? !wallet.record.has(WALLET_FLAG.BLANK) : wallet.legacy!.hdEnabled;
  try {
    if (renew) await wallet.change((batch) => generateKeys(wallet, context, batch), true);
  } finally {
    wallet.lock();
  }
}
