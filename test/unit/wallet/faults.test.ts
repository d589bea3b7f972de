// Faults in a wallet or around it: a batch that fails, an exception in an event, a block that is disconnected during a
// call, a wallet of another network, a damaged private key.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { importprunedfunds } from '../../../src/rpc/methods/wallet/importprunedfunds.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { sealSecret, Vault } from '../../../src/wallet/crypt/vault.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { assembleWallet } from '../../../src/wallet/manage/load-wallet.js';
import { NOT_LOADED } from '../../../src/wallet/manage/wallet-error.js';
import type { BlockFacts } from '../../../src/wallet/node-client.js';
import { WALLET_FLAG, WalletRecord } from '../../../src/wallet/wallet-record.js';
import { clientOf, TestBlock } from '../../framework/chain-client.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, masterKey } from '../../framework/wallet-calls.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

class Failing extends MemoryStore {
  fails = false;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    if (this.fails) throw new Error('disk full');
    await super.batch(ops, options);
  }
}

/** Makes a wallet whose faults are collected in a list. */
async function faulty() {
  const { surroundings } = await createMemoryWallet();
  const faults: unknown[] = [];
  const store = new Failing();
  const record = new WalletRecord();
  record.flags = WALLET_FLAG.KEY_ORIGIN_METADATA;
  const wallet = assembleWallet(
    { ...surroundings, onFault: (error) => faults.push(error) },
    { name: 'w', folder: '', record, encrypted: false, store },
  );
  return { wallet, store, faults };
}
const key = (n: number): Uint8Array => Uint8Array.of(0x7a, n);

t.test('writes nothing after a batch that failed', async (t) => {
  const { wallet, store, faults } = await faulty();
  await wallet.change((batch) => batch.put(key(1), key(1)));
  store.fails = true;
  await t.rejects(
    wallet.change((batch) => batch.put(key(2), key(2))),
    { message: 'disk full' },
  );
  store.fails = false;
  await t.rejects(
    wallet.change((batch) => batch.put(key(3), key(3))),
    { code: -18, message: NOT_LOADED },
  );
  t.same(await store.getMany([key(1), key(2), key(3)]), [key(1), undefined, undefined]);
  t.equal(faults.length, 1, 'the fault is reported once');
});

t.test('writes nothing after an exception in an event', async (t) => {
  const { wallet, store, faults } = await faulty();
  const tx = { totalSize: 100, isCoinbase: false, inputCount: 0, outputCount: 1, txid: new Uint8Array(32) };
  const broken = { ...tx, outputScript: () => assertFails() };
  const assertFails = (): never => {
    throw new Error('an assert');
  };
  wallet.events.push({ kind: 'entered', tx: broken as unknown as TxView });
  t.equal(wallet.events.applyPending(), undefined);
  t.match(faults, [{ message: 'an assert' }]);
  await t.rejects(
    wallet.change((batch) => batch.put(key(3), key(3))),
    { code: -18, message: NOT_LOADED },
  );
  t.equal(await store.get(key(3)), undefined);
});

t.test('importprunedfunds fails when its block is disconnected while the wallet is busy', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const script = await address('bech32');
  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
  const header = new Uint8Array(80);
  header.set(tx.txid, 36);
  // Proof with one transaction, one hash, and one flag bit that marks this hash.
  const proof = Buffer.concat([header, Buffer.of(1, 0, 0, 0, 1), tx.txid, Buffer.of(1, 1)]);
  let inChain = true;
  const block = new TestBlock(new Uint8Array(32).fill(3), null, TIP - 5, 1_600_000_000);
  const client = clientOf({ tip: wallet.tip!, node: () => block, contains: () => inChain });
  const ctx = { ...contextOf(wallet), client };
  const args = [Buffer.from(tx.bytes).toString('hex'), proof.toString('hex')].map((text) => parseJson(Buffer.from(`"${text}"`)));
  const done = async () => runMethod(importprunedfunds, ctx, args, { user: '', path: '/' });
  let going: Promise<unknown> | undefined;
  await wallet.access.runExclusive(async () => {
    going = t.rejects(done(), { code: -5, message: 'Block not found in chain' });
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    inChain = false;
  });
  await going;
  t.equal(wallet.ledger.txs.find(tx.txid), -1, 'nothing was recorded');
  inChain = true;
  t.equal(await done(), null);
  t.ok(wallet.ledger.txs.find(tx.txid) >= 0);
});

t.test('refuses to load a wallet of another network', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-network-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { wallet: some, surroundings } = await createMemoryWallet();
  const on = (genesis: BlockFacts): ReturnType<typeof managerIn> => managerIn({ dir, surroundings, tip: genesis });
  const genesis = some.tip!;
  const [here, there] = [on(genesis), on(new TestBlock(new Uint8Array(32).fill(9), null, genesis.height, genesis.time))];
  await here.createWallet({ ...PLAIN_WALLET, name: 'w' });
  await here.close();
  await t.rejects(there.loadWallet('w'), { code: -4, message: 'Wallet loading failed. Wallet files should not be reused across chains.' });
  t.equal(there.all.length, 0);
  t.equal((await here.loadWallet('w')).name, 'w', 'it is whole where it belongs');
  await here.close();
});

t.test('closes the other wallets when one cannot be closed', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-close-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { wallet: some, surroundings } = await createMemoryWallet();
  const manager = managerIn({ dir, surroundings, tip: some.tip! });
  const { wallet: first } = await manager.createWallet({ ...PLAIN_WALLET, name: 'first' });
  await manager.createWallet({ ...PLAIN_WALLET, name: 'second' });
  const { store } = first.storage;
  first.storage.replaceStore(Object.create(store, { close: { value: () => Promise.reject(new Error('disk full')) } }));
  await t.rejects(manager.close(), { message: 'disk full' });
  await store.close();
  t.equal((await manager.loadWallet('second')).name, 'second', 'its folder is free');
  await manager.close();
});

t.test('does not open a private key that does not belong to its public key', (t) => {
  const keys = createKeyMath();
  const master = (): Uint8Array => new Uint8Array(32).fill(5);
  const vault = new Vault(true, crypto, keys);
  vault.unlock(master());
  const [mine, other] = [new Uint8Array(32).fill(3), new Uint8Array(32).fill(4)];
  for (const compressed of [true, false]) {
    const publicKey = keys.publicKey(mine, compressed)!;
    t.same(vault.open(publicKey, sealSecret(master(), publicKey, mine, crypto)), mine);
    t.equal(vault.open(publicKey, sealSecret(master(), publicKey, other, crypto)), undefined);
  }
  t.end();
});

t.test('derives no keys from a damaged seed and keeps applying payments', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const { seedId } = wallet.record.hd!;
  const damaged = wallet.legacy!.keys.sealAllSecrets((publicKey, secret) => {
    const isSeed = Buffer.compare(crypto.hash160(publicKey), seedId) === 0;
    return sealSecret(masterKey(), publicKey, isSeed ? new Uint8Array(32).fill(1) : secret, crypto);
  });
  damaged();
  wallet.vault.unlock(masterKey());
  const { pool } = wallet.legacy!;
  t.equal(pool.externalSize, 5);
  // A payment to the third key of the pool uses up the first three keys.
  const script = keyHashProgram(pool.entries().filter(({ internal }) => !internal)[2]!.id);
  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 };
  const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 1 }], locktime: 0 }), crypto);
  wallet.events.push({ kind: 'entered', tx });
  wallet.events.applyPending();
  t.ok(wallet.ledger.txs.find(tx.txid) >= 0);
  t.equal(pool.externalSize, 2);
  for (let i = 0; i < 2; i++) await address('bech32');
  await t.rejects(address('bech32'), { message: 'Error: Keypool ran out, please call keypoolrefill first' });
  t.equal(await wallet.change((batch) => wallet.keys.topUp(0, batch)), 'unable');
});
