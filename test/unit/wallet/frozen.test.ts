// A wallet whose database is exchanged while it is encrypted, and a scan of past blocks that finds a payment at that time.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { openStore } from '../../../src/storage/open-store.js';
import { type RescanDeps, reserve, scanBlocks } from '../../../src/wallet/follow/rescan.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { encryptWallet } from '../../../src/wallet/manage/encrypt-wallet.js';
import type { WalletBlock, WalletChain } from '../../../src/wallet/source.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import { unpackRow } from '../../../src/wallet/storage/rows.js';
import { databaseOf, newDatabaseOf } from '../../../src/wallet/storage/wallet-folder.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';

const PLAIN_BYTES = 32;

t.test('a scan waits while the wallet is encrypted', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-frozen-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ path: databaseOf(folder) });
  const { wallet } = await createMemoryWallet({ folder, store });
  // A payment to a key of the pool makes the wallet derive more keys.
  const pooled = wallet.legacy!.pool.entries().filter((entry) => !entry.internal);
  const script = keyHashProgram(pooled.at(-1)!.id);

  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
  const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
  const tip = wallet.tip as WalletBlock;
  let foundFrozen = false;
  const chain: Partial<WalletChain> = {
    tip,
    atHeight: (height) => (height === tip.height ? tip : undefined),
    contains: () => true,
    placeOf: () => null,
    verificationProgress: () => 1,
    // The payment is found when rows are already being copied: what is written from here on comes into the new database.
    readBlock: async () => {
      while (wallet.frozen && !fs.existsSync(newDatabaseOf(folder))) await new Promise((resolve) => setImmediate(resolve));
      foundFrozen = wallet.frozen;
      return { txs: [tx] } as never;
    },
  };
  const deps: RescanDeps = {
    chain: chain as WalletChain,
    scanner: null,
    filters: null,
    log: { info() {} },
    nowMs: () => 0,
    drain: () => wallet.drain(),
  };

  t.ok(reserve(wallet, 0));
  const encrypted = encryptWallet(wallet, Buffer.from('correct horse'), descriptorContext('master', 'regtest'));
  const result = await scanBlocks(wallet, tip, null, true, deps);
  await encrypted;
  t.ok(foundFrozen, 'the payment was found in the middle of it');
  t.equal(result.status, 'success');
  t.ok(wallet.ledger.txs.find(tx.txid) >= 0, 'and is recorded');

  await wallet.exclusive(async () => {});
  let keys = 0;
  const plain: string[] = [];
  for await (const [key, value] of wallet.store.iterate({
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
