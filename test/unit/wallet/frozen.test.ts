// Tests a wallet whose database is replaced during encryption while events arrive: a scan finds a payment, the process
// ends, or the wallet is unloaded. Also tests a wallet that is unloaded while it is dumped.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import type { CallInfo } from '../../../src/rpc/dispatch.js';
import { dumpwallet } from '../../../src/rpc/methods/wallet/dumpwallet.js';
import { sethdseed } from '../../../src/rpc/methods/wallet/sethdseed.js';
import { JsonNumber } from '../../../src/rpc/wire/values.js';
import { openStore } from '../../../src/storage/open-store.js';
import type { BatchOp, BatchOptions, Store } from '../../../src/storage/store.js';
import { openMasterKey } from '../../../src/wallet/crypt/master-key.js';
import { type RescanDeps, scanBlocks } from '../../../src/wallet/follow/rescan.js';
import { createImageFiles } from '../../../src/wallet/image/image-file.js';
import { WalletImages } from '../../../src/wallet/image/wallet-images.js';
import type { AddressResult } from '../../../src/wallet/keys/key-source.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { encryptWallet, renewSeed } from '../../../src/wallet/manage/encrypt-wallet.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import { unpackRow } from '../../../src/wallet/storage/rows.js';
import { databaseOf, newDatabaseOf } from '../../../src/wallet/storage/wallet-folder.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { clientOf } from '../../framework/chain-client.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto, type MemoryWalletOptions } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { turnsDuring } from '../../framework/turns.js';

const PLAIN_BYTES = 32;

/** A wallet with a database in a folder of its own. */
async function walletOnDisk(t: Test, options: MemoryWalletOptions = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-frozen-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ path: databaseOf(folder) });
  return { folder, store, ...(await createMemoryWallet({ folder, store, ...options })) };
}

t.test('records a payment that a scan finds during encryption, with encrypted keys only', async (t) => {
  const { folder, wallet } = await walletOnDisk(t);
  // A payment to a key of the pool makes the wallet derive more keys.
  const pooled = wallet.legacy!.pool.entries().filter((entry) => !entry.internal);
  const script = keyHashProgram(pooled.at(-1)!.id);

  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
  const tip = wallet.tip!;
  let foundFrozen = false;
  const client = clientOf({
    tip,
    atHeight: (height) => (height === tip.height || height === 0 ? tip : undefined),
    // The scan finds the payment while rows are being copied. From here on, changes must be written to the new
    // database.
    readBlock: async () => {
      while (wallet.access.isExclusive && !fs.existsSync(newDatabaseOf(folder))) await new Promise((resolve) => setImmediate(resolve));
      foundFrozen ||= wallet.access.isExclusive;
      return { txs: [tx] };
    },
  });
  const deps: RescanDeps = { client, log: { info() {} }, nowMs: () => 0, onProgress() {} };

  t.ok(wallet.scans.reserve(0));
  const encrypted = encryptWallet(wallet, Buffer.from('correct horse'), descriptorContext('master', 'regtest'));
  const result = await scanBlocks(wallet, tip, null, true, deps);
  await encrypted;
  t.ok(foundFrozen, 'the payment was found in the middle of it');
  t.equal(result.status, 'success');
  t.ok(wallet.ledger.txs.find(tx.txid) >= 0, 'and is recorded');

  await wallet.storage.queueWrite(async () => {});
  let keys = 0;
  const plain: string[] = [];
  for await (const [key, value] of wallet.storage.store.iterate({
    gte: Uint8Array.of(WALLET_PREFIX.key),
    lt: Uint8Array.of(WALLET_PREFIX.key + 1),
  })) {
    const secret = unpackRow(value)[2];
    if (!(secret instanceof Uint8Array)) continue;
    keys++;
    if (secret.length === PLAIN_BYTES) plain.push(Buffer.from(key).toString('hex'));
  }
  t.ok(keys > 10);
  t.same(plain, [], 'every private key is sealed');
  await wallet.close();
});

const given = (result: AddressResult): Uint8Array => {
  if ('error' in result) throw new Error(result.error);
  return result.script;
};
const phrase = Buffer.from('correct horse');
for (const descriptors of [false, true]) {
  t.test(`makes the new seed of an encrypted wallet at unlocking after a crash${descriptors ? ', descriptors' : ''}`, async (t) => {
    const { folder, wallet, surroundings } = await walletOnDisk(t, { descriptors });
    const context = descriptorContext('master', 'regtest');
    const giveOut = (from: Wallet): Promise<AddressResult> => from.change((batch) => from.keys.newAddress('bech32', false, batch));
    await wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      wallet.record.write(batch);
    });
    const old = given(await giveOut(wallet));
    const seedOf = (from: Wallet, script: Uint8Array): number[] => [...(from.keys.metadata(script)?.origin?.fingerprint ?? [])];
    // Simulate a crash: nothing is written after the database was replaced.
    Object.defineProperty(wallet, 'commit', { value: () => Promise.reject(new Error('dead')) });
    await t.rejects(encryptWallet(wallet, phrase, context), /dead/);
    await wallet.storage.store.close();

    const { wallet: loaded } = await loadWallet(surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }));
    t.ok(loaded.vault.locked);
    t.ok('error' in (await giveOut(loaded)), 'gives out no address of the seed that was plain');
    t.not(loaded.keys.isMine(old), 0, 'addresses of the old seed stay known');
    await renewSeed(loaded, context);
    t.ok('error' in (await giveOut(loaded)), 'a locked wallet cannot make a new seed');
    loaded.encryption.unlock((await openMasterKey(loaded.encryption.masterKeys[0], phrase))!, null);
    await renewSeed(loaded, context);
    const fresh = given(await giveOut(loaded));
    t.not(String(seedOf(loaded, fresh)), String(seedOf(loaded, old)));
    await loaded.close();

    const { wallet: last } = await loadWallet(surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }));
    t.equal(last.encryption.needsNewSeed, false, 'the new seed is made once');
    t.same(seedOf(last, given(await giveOut(last))), seedOf(last, fresh));
    await last.close();
  });
}

t.test('writes no plain key when a wallet with an image is unloaded during encryption', async (t) => {
  const { folder, wallet, surroundings } = await walletOnDisk(t, { wallet: { keypool: 3000 } });
  const images = { files: createImageFiles, leastRows: 0, leastJournal: 0, log: { info() {}, warn: t.fail } };
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
    wallet.position.writeLocator(batch);
  });
  wallet.storage.useImages(new WalletImages(images, databaseOf(folder)));
  const { keys } = wallet.legacy!;
  const secrets = [...keys.rows()].map((row) => Buffer.from(wallet.legacy!.secret(keys.id(row))!));
  t.ok(secrets.length >= 6000);
  const encrypted = encryptWallet(wallet, phrase, descriptorContext('master', 'regtest'));
  // The database was replaced. The tables in memory were not yet, because their keys are encrypted in slices.
  while (!fs.existsSync(newDatabaseOf(folder))) await new Promise((resolve) => setImmediate(resolve));
  const closed = wallet.close();
  await encrypted;
  await closed;
  const byStart = new Map(secrets.map((secret) => [secret.readUInt32LE(), secret]));
  let plain = 0;
  for (const name of fs.readdirSync(folder, { recursive: true }) as string[]) {
    const file = path.join(folder, name);
    const bytes = fs.statSync(file).isFile() ? fs.readFileSync(file) : Buffer.alloc(0);
    // Two keys with the same first four bytes are too unlikely to matter.
    for (let at = 0; at + 32 <= bytes.length; at++) {
      const secret = byStart.get(bytes.readUInt32LE(at));
      if (secret?.equals(bytes.subarray(at, at + 32))) plain++;
    }
  }
  t.equal(plain, 0, 'no key is plain in any file');
  const { wallet: again } = await loadWallet(
    { ...surroundings, images },
    { name: 'w', folder },
    await openStore({ path: databaseOf(folder) }),
  );
  again.encryption.unlock((await openMasterKey(again.encryption.masterKeys[0], phrase))!, null);
  const table = again.legacy!.keys;
  const opened = new Set(
    [...table.rows()].map((row) => again.legacy!.secret(table.id(row))).map((key) => key && Buffer.from(key).toString('hex')),
  );
  t.ok(
    secrets.every((secret) => opened.has(secret.toString('hex'))),
    'all of them open',
  );
  await again.close();
});

t.test('finishes encryption before a wallet is unloaded', async (t) => {
  const { folder, wallet, surroundings } = await walletOnDisk(t);
  const context = descriptorContext('master', 'regtest');
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
  });
  const encrypted = encryptWallet(wallet, phrase, context);
  while (!fs.existsSync(newDatabaseOf(folder))) await new Promise((resolve) => setImmediate(resolve));
  const closed = wallet.close();
  await t.resolves(encrypted, 'is encrypted');
  await closed;

  const { wallet: loaded } = await loadWallet(surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }));
  t.ok(loaded.vault.encrypted);
  // The new seed may have been written before the database was closed. Otherwise it is made now.
  loaded.encryption.unlock((await openMasterKey(loaded.encryption.masterKeys[0], phrase))!, null);
  await renewSeed(loaded, context);
  given(await loaded.change((batch) => loaded.keys.newAddress('bech32', false, batch)));
  await loaded.close();
});

for (const descriptors of [false, true]) {
  t.test(`encryption yields while it fills a large key pool from the new seed${descriptors ? ', descriptors' : ''}`, async (t) => {
    const keypool = descriptors ? 100 : 300;
    const { folder, wallet, surroundings } = await walletOnDisk(t, { descriptors, wallet: { keypool } });
    const context = descriptorContext('master', 'regtest');
    await wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      wallet.record.write(batch);
    });
    let met: Promise<boolean> | undefined;
    const turns = await turnsDuring(
      () => encryptWallet(wallet, phrase, context),
      () => {
        met = wallet.change(() => wallet.vault.locked);
      },
      () => wallet.access.isExclusive,
    );
    t.ok(turns > 10, `${turns} turns`);
    t.ok(await met, 'a change that comes meanwhile meets a locked wallet');
    const isFull = (one: Wallet): void => {
      if (!descriptors) t.equal(one.legacy!.pool.entries().length, 2 * keypool);
      else
        t.same(
          one.descriptors!.actives().map(({ expanded }) => expanded),
          new Array(6).fill(keypool - 1),
        );
    };
    t.ok(wallet.vault.locked);
    isFull(wallet);
    await wallet.close();
    const { wallet: loaded } = await loadWallet(surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }));
    t.notOk(loaded.encryption.needsNewSeed);
    isFull(loaded);
    await loaded.close();
  });
}

t.test('encrypting a large wallet seals every key once in the rows and once in the tables', async (t) => {
  const { folder, wallet, surroundings } = await walletOnDisk(t, { wallet: { keypool: 1000 } });
  const context = descriptorContext('master', 'regtest');
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
  });
  const ids = wallet.legacy!.pool.entries().map(({ id }) => id);
  const before = ids.map((id) => Buffer.from(wallet.legacy!.secret(id)!).toString('hex'));
  // Encrypting a key hashes its public key, and nothing else calls this hash function. So the calls count the encrypted
  // keys.
  let sealed = 0;
  const sha256d = (bytes: Uint8Array): Uint8Array => {
    sealed++;
    return crypto.sha256d(bytes);
  };
  Object.defineProperty(wallet.parts, 'crypto', { value: { ...crypto, sha256d } });
  await encryptWallet(wallet, phrase, context);
  t.ok(sealed >= 2 * ids.length, `${sealed} sealings`);
  const holds = async (one: Wallet): Promise<void> => {
    t.same(one.legacy!.secret(ids[0]), undefined);
    one.encryption.unlock((await openMasterKey(one.encryption.masterKeys[0], phrase))!, null);
    t.strictSame(
      ids.map((id) => Buffer.from(one.legacy!.secret(id)!).toString('hex')),
      before,
    );
    await one.close();
  };
  await holds(wallet);
  await holds((await loadWallet(surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }))).wallet);
});

t.test('dumpwallet leaves a complete file or none, and overwrites no other file', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-dump-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const context = descriptorContext('master', 'regtest');
  const call: CallInfo = { user: '', path: '/' };
  const dump = async (name: string, meanwhile: (wallet: Wallet) => void): Promise<string> => {
    const { wallet } = await createMemoryWallet({ wallet: { keypool: 200 } });
    const ctx = {
      compat: COMPATS['0.21.1'],
      wallets: { selectWallet: () => wallet, logOperation() {} },
      client: clientOf({ tip: wallet.tip! }),
      descriptors: context,
      params: context.params,
      crypto,
      clock: {
        // dumpwallet reads the clock when it has begun to write the dump.
        nowSeconds: () => {
          meanwhile(wallet);
          return 1_600_000_000;
        },
      },
    } as unknown as WalletContext;
    const { filename } = (await runMethod(dumpwallet, ctx, [path.join(folder, name)], call)) as { filename: string };
    await wallet.close();
    return fs.readFileSync(filename, 'utf8');
  };
  const whole = await dump('whole', () => t.notOk(fs.existsSync(path.join(folder, 'whole')), 'no file of that name while it is not whole'));
  await t.rejects(
    dump('whole', () => t.fail('is not begun')),
    { code: -8 },
    'nothing is overwritten',
  );
  await t.rejects(
    dump('late', () => fs.writeFileSync(path.join(folder, 'late'), 'mine')),
    { code: -8 },
    'a file that was created meanwhile stays',
  );
  t.equal(fs.readFileSync(path.join(folder, 'late'), 'utf8'), 'mine');
  fs.rmSync(path.join(folder, 'late'));
  await t.rejects(
    dump('none/file', () => {}),
    { code: -8, message: 'Cannot open wallet dump file' },
  );
  t.ok(whole.split('\n').filter((line) => line.includes('# addr=')).length >= 400);
  t.ok(whole.endsWith('# End of dump\n'));
  await t.rejects(
    dump('cut', (wallet) => void wallet.close()),
    { code: -18, message: 'Requested wallet does not exist or is not loaded' },
  );
  t.same(fs.readdirSync(folder), ['whole'], 'no file that lacks keys is left');
});

t.test('syncs seeds and passphrases to disk before the call returns', async (t) => {
  const { wallet, store } = await walletOnDisk(t);
  const ctx = {
    compat: COMPATS['0.21.1'],
    wallets: { selectWallet: () => wallet, logOperation() {} },
    client: clientOf({ tip: wallet.tip! }),
    descriptors: descriptorContext('master', 'regtest'),
    crypto,
  } as unknown as WalletContext;
  const call: CallInfo = { user: '', path: '/' };
  const syncs: (boolean | undefined)[] = [];
  const spy = (real: Store): Store =>
    new Proxy(real, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (name !== 'batch') return typeof member === 'function' ? member.bind(target) : member;
        return (ops: readonly BatchOp[], options?: BatchOptions) => {
          syncs.push(options?.sync);
          return target.batch(ops, options);
        };
      },
    });
  wallet.storage.replaceStore(spy(store));
  await runMethod(sethdseed, ctx, [], call);
  t.equal(syncs[0], true, 'sethdseed: its seed, and all else can be made of that');
  wallet.storage.replaceStore(store);
  await encryptWallet(wallet, phrase, ctx.descriptors);
  wallet.storage.replaceStore(spy(wallet.storage.store));
  syncs.length = 0;
  await runMethod('walletpassphrasechange', ctx, ['correct horse', 'another'], call);
  t.same(syncs, [true], 'walletpassphrasechange');
  await wallet.close();
});

t.test('rejects concurrent passphrase changes, and unlocking while a wallet is unloaded', async (t) => {
  const { wallet } = await walletOnDisk(t);
  const ctx = {
    compat: COMPATS['0.21.1'],
    wallets: { selectWallet: () => wallet, logOperation() {} },
    client: clientOf({ tip: wallet.tip! }),
    descriptors: descriptorContext('master', 'regtest'),
    crypto,
  } as unknown as WalletContext;
  const call: CallInfo = { user: '', path: '/' };
  await encryptWallet(wallet, phrase, ctx.descriptors);
  const change = (old: string, fresh: string): Promise<unknown> =>
    (runMethod('walletpassphrasechange', ctx, [old, fresh], call) as Promise<unknown>).catch(({ code }: { code: number }) => code);
  const outcomes = await Promise.all([change('correct horse', 'first'), change('correct horse', 'second')]);
  t.same([...outcomes].sort(), [-14, null], 'one of two changes is refused');
  const kept = outcomes[0] === null ? 'first' : 'second';
  t.ok(await openMasterKey(wallet.encryption.masterKeys[0], Buffer.from(kept)), 'the accepted change takes effect');

  const unlocking = runMethod('walletpassphrase', ctx, [kept, new JsonNumber('600')], call) as Promise<unknown>;
  const refused = t.rejects(unlocking, { name: 'RpcError', code: -18, message: 'Requested wallet does not exist or is not loaded' });
  await wallet.close();
  await refused;
  t.ok(wallet.vault.locked, 'a wallet that was unloaded stays locked');
  t.equal(wallet.encryption.unlockedUntil, 0);
  const masterKey = new Uint8Array(32).fill(7);
  t.throws(() => wallet.encryption.unlock(masterKey, 600), { code: -18 });
  t.same(masterKey, new Uint8Array(32), 'and keeps no master key');
});
