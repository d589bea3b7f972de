// Runs wallet methods on a wallet in memory without a daemon, and lists the rows that the wallet has afterwards.
import { addChecksum } from '../../src/address/descriptor/checksum.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { COMPATS } from '../../src/policy/compat.js';
import type { WalletContext } from '../../src/rpc/context/wallet.js';
import type { Run } from '../../src/rpc/dispatch.js';
import { parseJson } from '../../src/rpc/wire/json-parse.js';
import type { JsonValue } from '../../src/rpc/wire/values.js';
import type { StoreEntry } from '../../src/storage/store.js';
import { sealSecret } from '../../src/wallet/crypt/vault.js';
import type { RescanDeps } from '../../src/wallet/follow/rescan.js';
import type { NodeClient } from '../../src/wallet/node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../src/wallet/storage/layout.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { clientOf, TestBlock } from './chain-client.js';
import { descriptorContext } from './descriptor-context.js';
import { crypto } from './memory-wallet.js';
import { runMethod } from './run-method.js';

export const XPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
export const XPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const json = (value: unknown): JsonValue => parseJson(Buffer.from(JSON.stringify(value)));

/** A chain of empty blocks that ends with the wallet's tip. */
function emptyChain(wallet: Wallet): NodeClient {
  const tip = (wallet.tip ?? new TestBlock(new Uint8Array(32), null, 0, 1_600_000_000)) as TestBlock;
  const atHeight = (height: number): TestBlock => new TestBlock(tip.hash, null, height, tip.time - 600 * (tip.height - height));
  return clientOf({ tip, atHeight, readBlock: async () => ({ txs: [] }) });
}
const scanDepsOf = (wallet: Wallet): RescanDeps => ({
  client: emptyChain(wallet),
  log: { info() {} },
  nowMs: () => 0,
  onProgress() {},
});

/** Context of a node that a call needs. */
export const contextOf = (wallet: Wallet): WalletContext =>
  ({
    compat: COMPATS['0.21.1'],
    wallets: {
      selectWallet: () => wallet,
      logOperation() {},
      scanner: { deps: scanDepsOf(wallet), endScan: () => wallet.scans.end() },
    },
    client: emptyChain(wallet),
    descriptors: descriptorContext('master', 'regtest'),
    params: chainParams('regtest'),
    crypto,
    clock: { monotonicMs: () => 0, nowSeconds: () => 1_600_000_000 },
  }) as unknown as WalletContext;

/** Runs a method on a wallet. */
export const run = async (wallet: Wallet, method: string | Run<WalletContext, never>, ...params: unknown[]): Promise<unknown> =>
  runMethod(method, contextOf(wallet), params.map(json));

/** Returns the keys, scripts and labels of a wallet as text, one row each, without the rows in `before`. */
export async function rowsOf(wallet: Wallet, before: readonly string[] = []): Promise<string[]> {
  await wallet.storage.queueWrite(async () => {});
  const rows: string[] = [];
  const { key: keys, script, watched, address, pool, descriptor, descriptorKey, descriptorScripts } = WALLET_PREFIX;
  for (const prefix of [keys, script, watched, address, pool, descriptor, descriptorKey, descriptorScripts]) {
    for await (const [key, value] of wallet.storage.store.iterate({ gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) })) {
      rows.push(`${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`);
    }
  }
  return rows.filter((row) => !before.includes(row));
}

/** Returns every row. */
export async function allRows(wallet: Wallet): Promise<StoreEntry[]> {
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
  });
  const rows: StoreEntry[] = [];
  for await (const row of wallet.storage.store.iterate()) rows.push(row);
  return rows;
}

/** Returns the master key that `encrypt` uses. */
export const masterKey = (): Uint8Array => new Uint8Array(32).fill(5);
/** Encrypts the private keys in memory. The wallet is unlocked afterwards. */
export async function encrypt(wallet: Wallet): Promise<void> {
  const seal = (publicKey: Uint8Array, secret: Uint8Array) => sealSecret(masterKey(), publicKey, secret, crypto);
  const sealed = (wallet.legacy?.keys ?? wallet.descriptors!).sealAllSecrets(seal);
  sealed();
  wallet.vault.unlock(masterKey());
}

/** Returns a request of importmulti for a range of public keys. */
export const ranged = (range: [number, number], label = 'a range') => ({
  desc: addChecksum(`wpkh(${XPUB}/*)`),
  range,
  timestamp: 'now',
  watchonly: true,
  label,
});
