// Writes a legacy wallet of any size straight into its database: the rows that this number of getnewaddress calls
// leaves (a private key, its P2WPKH script, a label). Public keys are made up, because deriving real ones takes a
// minute per million, and benches of such a wallet sign nothing.
import fs from 'node:fs';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { openStore } from '../../src/storage/open-store.js';
import { AddressBook } from '../../src/wallet/address-book.js';
import { KeyTable, keyHashProgram } from '../../src/wallet/keys/key-table.js';
import { be64, WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../src/wallet/storage/layout.js';
import { WalletBatch } from '../../src/wallet/storage/wallet-batch.js';
import { databaseOf } from '../../src/wallet/storage/wallet-folder.js';
import { WALLET_FLAG, WalletRecord } from '../../src/wallet/wallet-record.js';

const crypto = createNativeCrypto();
const ROWS = 2_000;

/** Returns public key number i: of the right length, but not a point of the curve. */
function publicKeyOf(i: number): Uint8Array {
  const seed = new Uint8Array(4);
  new DataView(seed.buffer).setUint32(0, i);
  const key = new Uint8Array(33);
  key[0] = 2;
  key.set(crypto.sha256(seed), 1);
  return key;
}
/** P2WPKH output script of address i. */
export const scriptOf = (i: number): Uint8Array => keyHashProgram(crypto.hash160(publicKeyOf(i)));

/** @param folder of the wallet; its database must not exist */
export async function writeBigWallet(folder: string, addresses: number): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  const store = await openStore({ path: databaseOf(folder), writeBufferBytes: 64 << 20 });
  const time = Math.floor(Date.now() / 1000) - 100_000;
  const record = new WalletRecord();
  record.flags = WALLET_FLAG.KEY_ORIGIN_METADATA;
  record.recordBirth(time);
  const seedId = crypto.hash160(publicKeyOf(0xffffffff));
  let table = new KeyTable(crypto);
  let book = new AddressBook();
  let batch = new WalletBatch();
  batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
  record.write(batch);
  const fingerprint = seedId.slice(0, 4);
  for (let i = 0; i < addresses; i++) {
    const publicKey = publicKeyOf(i);
    const row = table.touch(publicKey);
    table.setTime(row, time);
    table.setOrigin(row, { fingerprint, path: [0x80000000, 0x80000000, 0x80000000 + i] }, seedId);
    table.setSecret(row, crypto.sha256(publicKey));
    table.write(row, batch);
    const script = keyHashProgram(table.id(row));
    const value = new Uint8Array(8 + script.length);
    value.set(be64(0));
    value.set(script, 8);
    batch.put(walletKey(WALLET_PREFIX.script, crypto.hash160(script)), value);
    book.set(script, '', 'receive', batch);
    if (i % ROWS !== ROWS - 1 && i !== addresses - 1) continue;
    await store.batch(batch.ops);
    batch = new WalletBatch();
    table = new KeyTable(crypto);
    book = new AddressBook();
  }
  await store.batch([], { sync: true });
  await store.close();
}
