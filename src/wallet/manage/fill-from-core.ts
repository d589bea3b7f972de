// Fills a new wallet from a wallet file of Bitcoin Core (wallet/core): keys and their origins, scripts, descriptors,
// labels, and transactions with the user's values. Confirmations are as Core stored them. The load that follows scans
// the blocks after Core's last one (wallet-manager.ts).

import { decodeAddress } from '../../address/address.js';
import { masterFromSeed } from '../../address/bip32/extended-key.js';
import { parsePath } from '../../address/bip32/key-path.js';
import { DescriptorCache } from '../../address/descriptor/cache.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import type { KeyOrigin } from '../../address/descriptor/expansion.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { SecretRing } from '../../address/descriptor/secrets.js';
import { equalBytes, hashKey, toHex } from '../../consensus/bytes/hex.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Store } from '../../storage/store.js';
import { TX_STATE, type TxPlace, UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { CoreCache, CoreDescriptor, CoreMetadata, CoreSecret, CoreTransaction, CoreWallet } from '../core/core-wallet.js';
import { openCoreMasterKey } from '../core/open-master-key.js';
import { CoreFileError } from '../core/paged-file.js';
import { encodeMasterKey } from '../crypt/master-key.js';
import { openSecret } from '../crypt/vault.js';
import { blockBefore, forkOf, isOfOtherChain } from '../follow/catch-up.js';
import { scanStart } from '../follow/rescan.js';
import type { LegacyKeys } from '../keys/legacy-keys.js';
import type { BlockFacts, NodeClient } from '../node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../storage/layout.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { type HdChain, KNOWN_FLAGS, WALLET_FLAG, WALLET_VERSION, WalletRecord } from '../wallet-record.js';
import { makeMasterKey } from './first-master-key.js';
import { assembleWallet, unattached, type WalletSurroundings } from './load-wallet.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

/** Number of rows per write. */
const ROWS = 2000;
/** Largest number of scripts that an imported wallet's descriptors may have, because all scripts are held in memory. */
const MOST_SCRIPTS = 2_000_000;
const ABANDONED = Uint8Array.of(1, ...new Uint8Array(31));

/** Content of a Core wallet file, and its decrypted master key. */
export interface OpenedCoreWallet {
  readonly core: CoreWallet;
  /** Master key, which the caller overwrites; null if the file is not encrypted. */
  readonly masterKey: Uint8Array | null;
}

/** Result of an import: counts and warnings, for the reply of the call. */
export interface CoreImportSummary {
  readonly keys: number;
  readonly descriptors: number;
  readonly transactions: number;
  readonly addresses: number;
  /** Sentences about data that was left out. */
  readonly warnings: string[];
}

/** Decrypts the master key of an encrypted file. @param passphrase null if none was given @throws WalletError */
export async function openCoreKeys(core: CoreWallet, passphrase: Uint8Array | null): Promise<Uint8Array | null> {
  const isEncrypted = core.masterKeys.length > 0;
  if (isEncrypted && passphrase === null)
    throw new WalletError(WALLET_CODE.UNLOCK_NEEDED, 'The wallet is encrypted: call again with its passphrase');
  if (!isEncrypted && passphrase !== null) {
    throw new WalletError(WALLET_CODE.WRONG_ENC_STATE, 'The wallet is not encrypted: call again without a passphrase');
  }
  if (!isEncrypted || passphrase === null) return null;
  for (const sealed of core.masterKeys) {
    const key = await openCoreMasterKey(sealed, passphrase);
    if (key !== null) return key;
  }
  throw new WalletError(WALLET_CODE.PASSPHRASE_INCORRECT, 'Error: The wallet passphrase entered was incorrect.');
}

/**
 * Fills an empty database.
 * @param passphrase of an encrypted file; the new wallet is encrypted with it too. The caller wipes it
 * @throws CoreFileError if the file cannot be imported. The caller then discards the database
 */
export async function fillFromCore(
  surroundings: WalletSurroundings,
  client: NodeClient,
  place: { readonly name: string; readonly folder: string },
  { core, masterKey }: OpenedCoreWallet,
  passphrase: Uint8Array | null,
  store: Store,
): Promise<CoreImportSummary> {
  const record = recordOf(core);
  const encrypted = masterKey !== null;
  const wallet = assembleWallet(unattached(surroundings), { ...place, record, encrypted, store });
  const filling = new CoreImport(wallet, core, surroundings.context, masterKey);
  try {
    if (encrypted && passphrase !== null) await makeMasterKey(wallet, passphrase);
    await wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      if (encrypted) batch.put(walletKey(WALLET_PREFIX.masterKey, 1), encodeMasterKey(wallet.encryption.masterKeys[0]));
      // Do not sync this write to disk. The last change of the import syncs everything, and no client can use the
      // wallet before that.
    }, false);
    const keys = wallet.legacy ? await filling.legacy(wallet.legacy) : await filling.descriptors();
    const tip = await lastBlock(core, record, client);
    wallet.position.moveTo(tip);
    wallet.ledger.setTip(tip.height);
    const labelled = await filling.addresses();
    await filling.transactions(client, tip);
    wallet.position.setLocator(await client.locator(tip.hash));
    await wallet.change((batch) => {
      record.flags = flagsOf(core);
      record.write(batch);
      wallet.position.writeLocator(batch);
    });
    return {
      keys,
      descriptors: core.descriptors.size,
      transactions: core.transactions.length,
      addresses: labelled,
      warnings: [...filling.warnings, ...(await filling.otherForms()), ...skippedWarnings(core)],
    };
  } finally {
    wallet.vault.lock();
    wallet.keys.wipeSecrets();
  }
}

const flagsOf = ({ flags }: CoreWallet): bigint => flags & KNOWN_FLAGS;

function recordOf(core: CoreWallet): WalletRecord {
  // A wallet with unknown flags above bit 31 must not be loaded.
  if ((core.flags & ~KNOWN_FLAGS) >> 32n !== 0n) {
    throw new CoreFileError(`The wallet has unknown flags (${core.flags}). It may belong to a newer release of Bitcoin Core`);
  }
  const record = new WalletRecord();
  record.flags = flagsOf(core);
  const isOld = core.version > 0 && core.version < WALLET_VERSION.LATEST;
  record.version = isOld ? core.version : WALLET_VERSION.LATEST;
  if (!record.has(WALLET_FLAG.DESCRIPTORS) && core.descriptors.size > 0)
    throw new CoreFileError('The file has descriptors, but its flags are not those of a descriptor wallet');
  return record;
}

/**
 * Returns the last block that Core's wallet has seen: the newest block of its locator that is in the best chain. For a
 * file without a locator, returns the block before the oldest key.
 */
async function lastBlock(core: CoreWallet, record: WalletRecord, client: NodeClient): Promise<BlockFacts> {
  if (core.locator.length > 0) {
    if (isOfOtherChain(core.locator, client)) throw new CoreFileError('The wallet is of another network');
    return forkOf(core.locator, client);
  }
  const first = await scanStart(client, record.birthSeconds);
  return (first && (await blockBefore(first, client))) ?? client.genesis;
}

/** Names, for warnings, of the kinds of rows that adit cannot import. */
const SKIPPED_KINDS: Readonly<Record<string, string>> = {
  destdata: "payment requests of Bitcoin Core's window",
  lockedutxo: 'locks of coins (lockunspent)',
};

const skippedWarnings = ({ skippedRows: left }: CoreWallet): string[] =>
  [...left].map(
    ([kind, count]) => `Not imported: ${count} ${SKIPPED_KINDS[kind] ?? `rows of the unknown type ${JSON.stringify(kind.slice(0, 40))}`}`,
  );

class CoreImport {
  readonly warnings: string[] = [];
  readonly #wallet: Wallet;
  readonly #core: CoreWallet;
  readonly #context: DescriptorContext;
  readonly #masterKey: Uint8Array | null;
  readonly #slice = new TimeSlice();

  constructor(wallet: Wallet, core: CoreWallet, context: DescriptorContext, masterKey: Uint8Array | null) {
    this.#wallet = wallet;
    this.#core = core;
    this.#context = context;
    this.#masterKey = masterKey;
  }

  /** Imports items, with several items in each change of the wallet. */
  async #each<T>(items: readonly T[], take: (item: T, batch: WalletBatch) => void): Promise<void> {
    for (let at = 0; at < items.length; ) {
      await this.#wallet.change((batch) => {
        do take(items[at++], batch);
        while (at < items.length && batch.ops.length < ROWS && !this.#slice.over);
      }, false);
      if (this.#slice.over) await this.#slice.next();
    }
  }

  /** Returns a private key in a new array, after checking that it belongs to its public key. */
  #secretOf({ publicKey, bytes, encrypted }: CoreSecret): Uint8Array {
    if (encrypted && this.#masterKey === null) throw new CoreFileError('The file is damaged: it has encrypted keys, but no master key');
    const secret = encrypted ? openSecret(this.#masterKey!, publicKey, bytes, this.#context.hashes) : bytes.slice();
    const own = secret?.length === 32 ? this.#context.keys.publicKey(secret, publicKey.length === 33) : null;
    if (secret !== null && own !== null && equalBytes(own, publicKey)) return secret;
    secret?.fill(0);
    throw new CoreFileError('The file is damaged: a private key does not match its public key');
  }

  // -- legacy wallets

  /** Imports keys and scripts of a legacy wallet. @returns the number of private keys */
  async legacy(keys: LegacyKeys): Promise<number> {
    const core = this.#core;
    const wallet = this.#wallet;
    const { hash160 } = this.#context.hashes;
    const fingerprints = await this.#fingerprints();
    const factsOf = (metadata: CoreMetadata | undefined): { time: number; origin: KeyOrigin | null; seedId: Uint8Array | null } => {
      const origin = metadata === undefined ? null : originOf(metadata, fingerprints);
      return { time: metadata?.time ?? 0, origin, seedId: metadata?.seedId ?? null };
    };
    const taken = new Set<string>();
    await this.#each(core.secrets, (item, batch) => {
      const hex = toHex(item.publicKey);
      taken.add(hex);
      const secret = this.#secretOf(item);
      try {
        keys.restoreKey({ publicKey: item.publicKey, secret, ...factsOf(core.keyMetadata.get(hex)?.metadata) }, batch);
      } finally {
        secret.fill(0);
      }
    });
    // Import redeem scripts first, because watched scripts may depend on them.
    await this.#each(core.scripts, (script, batch) => {
      if (!keys.addScript(script, 0, batch)) this.warnings.push('Not imported: a script of more than 520 bytes');
    });
    await this.#each(core.watched, (script, batch) => {
      keys.watchScript(script, core.watchedMetadata.get(toHex(script))?.time ?? 0, batch);
    });
    const others = [...core.keyMetadata.values()].filter(({ publicKey }) => !taken.has(toHex(publicKey)));
    await this.#each(others, ({ publicKey, metadata }, batch) => {
      keys.restoreKey({ publicKey, secret: null, ...factsOf(metadata) }, batch);
    });
    const waiting = core.pool.toSorted((a, b) => a.index - b.index);
    await this.#each(waiting, (entry, batch) => {
      if (!keys.knowsKey(hash160(entry.publicKey))) keys.keys.write(keys.keys.touch(entry.publicKey), batch);
      keys.pool.restoreEntry(hash160(entry.publicKey), entry, batch);
    });
    const { record } = wallet;
    const chains = await this.#hdChains();
    record.hd = chains.current;
    record.inactive = chains.inactive;
    if (chains.current !== null && core.hd?.isSplit === false && record.canSplit) record.version = WALLET_VERSION.HD;
    record.lastPoolIndex = keys.pool.lastIndex;
    return core.secrets.length;
  }

  /**
   * Returns the fingerprints of master keys by hex of the seed's id. Files from before 0.18 do not contain
   * fingerprints.
   */
  async #fingerprints(): Promise<Map<string, Uint8Array>> {
    const { hash160 } = this.#context.hashes;
    const seeds = new Set<string>();
    for (const { metadata } of this.#core.keyMetadata.values()) {
      if (metadata.seedId) seeds.add(toHex(metadata.seedId));
      if (this.#slice.over) await this.#slice.next();
    }
    const found = new Map<string, Uint8Array>();
    if (seeds.size === 0) return found;
    for (const item of this.#core.secrets) {
      if (this.#slice.over) await this.#slice.next();
      const id = toHex(hash160(item.publicKey));
      if (!seeds.has(id)) continue;
      const secret = this.#secretOf(item);
      const root = masterFromSeed(secret, this.#context);
      secret.fill(0);
      root?.secret.fill(0);
      if (root) found.set(id, hash160(root.key.publicKey).slice(0, 4));
    }
    return found;
  }

  /** Returns the chain of the current seed, and those of earlier seeds. */
  async #hdChains(): Promise<{ current: HdChain | null; inactive: HdChain[] }> {
    const { hd, keyMetadata } = this.#core;
    const chains = new Map<string, HdChain>();
    for (const { metadata } of keyMetadata.values()) {
      if (this.#slice.over) await this.#slice.next();
      const { seedId } = metadata;
      if (seedId === null) continue;
      const id = toHex(seedId);
      const chain = chains.get(id) ?? { seedId, external: 0, internal: 0 };
      chains.set(id, chain);
      const [, half = 0, step] = metadata.origin?.path ?? parsePath(metadata.hdPath) ?? [];
      if (step === undefined) continue;
      const next = (step & 0x7fff_ffff) + 1;
      if ((half & 0x7fff_ffff) === 0) chain.external = Math.max(chain.external, next);
      else chain.internal = Math.max(chain.internal, next);
    }
    if (hd === null) return { current: null, inactive: [...chains.values()] };
    const current = { seedId: hd.seedId, external: hd.external, internal: hd.internal };
    chains.delete(toHex(hd.seedId));
    return { current, inactive: [...chains.values()] };
  }

  // -- descriptor wallets

  /** Imports descriptors. @returns the number of private keys */
  async descriptors(): Promise<number> {
    const core = this.#core;
    const wallet = this.#wallet;
    const keys = wallet.descriptors!;
    let count = 0;
    let scripts = 0;
    const numbers = new Map<string, number>();
    for (const [id, stored] of core.descriptors) {
      const descriptor = this.#parse(stored);
      const window = windowOf(stored);
      scripts += Math.max(window.rangeEnd, window.nextIndex + wallet.parts.options.keypool);
      if (scripts > MOST_SCRIPTS) throw new CoreFileError(`Its descriptors have more than ${MOST_SCRIPTS} scripts, which is not supported`);
      const secrets = new SecretRing(this.#context.hashes);
      try {
        for (const item of core.descriptorSecrets.get(id) ?? []) secrets.add(item.publicKey, this.#secretOf(item));
        count += secrets.size;
        // Use Core's cached keys only if the scripts cannot be derived from the private keys in the file.
        const needsCache = descriptor.scripts(window.rangeStart, { secrets }) === null;
        const precomputed = { first: 0, scripts: [], cache: cacheFor(core.caches.get(id)) };
        const fresh = { descriptor, secrets: secrets.pairs(), time: stored.time, ...window, ...(needsCache ? { precomputed } : {}) };
        const batch = new WalletBatch();
        const tracked = await this.#slice.run(keys.addDescriptorInSteps(fresh, batch));
        await wallet.commit(batch);
        if (tracked === null) throw new CoreFileError(`The scripts of a descriptor cannot be derived: ${stored.text.slice(0, 200)}`);
        numbers.set(id, tracked.number);
      } finally {
        secrets.wipe();
      }
    }
    await this.#each(core.active, ({ id, internal }, batch) => {
      const number = numbers.get(id);
      if (number === undefined) throw new CoreFileError('The file is damaged: an active descriptor is missing');
      keys.setActive(keys.at(number), internal, batch);
    });
    return count;
  }

  #parse({ text }: CoreDescriptor): Descriptor {
    const parsed = parseDescriptor(text, this.#context, { requireChecksum: true });
    if ('error' in parsed) throw new CoreFileError(`A descriptor cannot be parsed (${parsed.error}): ${text.slice(0, 200)}`);
    const isPrivate = parsed.secrets.size > 0;
    parsed.secrets.wipe();
    const [descriptor, ...more] = parsed.descriptors;
    if (isPrivate || more.length > 0)
      throw new CoreFileError('The file is damaged: a descriptor is not in the form that Bitcoin Core stores');
    return descriptor;
  }

  // -- parts of legacy and descriptor wallets

  /** Imports the address book. @returns the number of addresses */
  async addresses(): Promise<number> {
    const core = this.#core;
    const wallet = this.#wallet;
    let unread = 0;
    let taken = 0;
    await this.#each([...core.addresses], ([address, { label, purpose, used }], batch) => {
      const decoded = decodeAddress(address, this.#context.params, this.#context.hashes);
      if ('error' in decoded) {
        unread++;
        return;
      }
      taken++;
      const known = purpose === 'receive' || purpose === 'send' ? purpose : 'unknown';
      if (label !== null) wallet.book.set(decoded.script, label, known, batch);
      if (used) wallet.book.markUsed(decoded.script, batch);
    });
    if (unread > 0) this.warnings.push(`Not imported: ${unread} labels of addresses that are not valid on this network`);
    return taken;
  }

  /**
   * Returns a warning if Core saw versions of a transaction other than the one in its record. These are not imported.
   */
  async otherForms(): Promise<string[]> {
    const imported = new Set<string>();
    for (const { tx } of this.#core.transactions) {
      imported.add(toHex(tx.wtxid));
      if (this.#slice.over) await this.#slice.next();
    }
    let others = 0;
    for (const { wtxid } of this.#core.variants) {
      if (!imported.has(toHex(wtxid))) others++;
      if (this.#slice.over) await this.#slice.next();
    }
    return others > 0 ? [`Not imported: ${others} other versions of transactions, with different witnesses`] : [];
  }

  async transactions(client: NodeClient, tip: BlockFacts): Promise<void> {
    const wallet = this.#wallet;
    const unknown = Number.POSITIVE_INFINITY;
    const rank = ({ order }: CoreTransaction): number => (order < 0 ? unknown : order);
    const before = (a: CoreTransaction, b: CoreTransaction): number => (rank(a) === rank(b) ? a.received - b.received : rank(a) - rank(b));
    const arrived = this.#core.transactions.toSorted(before);
    const blocks = await this.#blocksOf(arrived, client, tip);
    await this.#each(arrived, ({ tx, values, received, smart, ...at }, batch) => {
      wallet.ledger.putRecord(tx, placeOf(at, blocks), batch, values, { received, smart });
    });
  }
  /** Returns those blocks named by records that are in the best chain and not above `tip`, by hashKey. */
  async #blocksOf(transactions: readonly CoreTransaction[], client: NodeClient, tip: BlockFacts): Promise<Map<string, BlockFacts>> {
    const blocks = new Map<string, BlockFacts>();
    for (const [key, hash] of new Map(transactions.map(({ blockHash }) => [hashKey(blockHash), blockHash]))) {
      const known = await client.block(hash);
      if (known?.inChain && known.block.height <= tip.height) blocks.set(key, known.block);
      if (this.#slice.over) await this.#slice.next();
    }
    return blocks;
  }
}

/**
 * Returns the place of a record: confirmed or conflicted if its block is in `blocks`, otherwise unconfirmed. The load
 * that follows scans all later blocks.
 */
function placeOf(
  { blockHash, position }: Pick<CoreTransaction, 'blockHash' | 'position'>,
  blocks: ReadonlyMap<string, BlockFacts>,
): TxPlace {
  if (equalBytes(blockHash, ABANDONED)) return { ...UNCONFIRMED_PLACE, state: TX_STATE.ABANDONED };
  const node = blocks.get(hashKey(blockHash));
  if (node === undefined) return UNCONFIRMED_PLACE;
  const block = { height: node.height, blockHash: node.hash, blockTime: node.time };
  return position < 0 ? { ...block, state: TX_STATE.CONFLICTED, position: 0 } : { ...block, state: TX_STATE.CONFIRMED, position };
}

/** Returns a key's origin: as stored in the file, or computed from the path if the key derives from an HD seed. */
function originOf({ origin, hdPath, seedId }: CoreMetadata, fingerprints: ReadonlyMap<string, Uint8Array>): KeyOrigin | null {
  if (origin !== null) return origin;
  const path = parsePath(hdPath);
  const fingerprint = seedId === null ? undefined : fingerprints.get(toHex(seedId));
  return path === null || path.length === 0 || fingerprint === undefined ? null : { fingerprint, path };
}

/** Checks the indices of a descriptor, because a damaged file may contain any number. */
function windowOf({ rangeStart, rangeEnd, nextIndex }: CoreDescriptor): { rangeStart: number; rangeEnd: number; nextIndex: number } {
  if (rangeStart < 0 || rangeEnd < rangeStart || nextIndex < 0)
    throw new CoreFileError('The file is damaged: a descriptor has an invalid range');
  return { rangeStart, rangeEnd, nextIndex };
}

function cacheFor(core: CoreCache | undefined): DescriptorCache {
  const cache = new DescriptorCache();
  for (const [at, key] of core?.parents ?? []) cache.parents.set(at, key);
  for (const [at, key] of core?.lastHardened ?? []) cache.lastHardened.set(at, key);
  for (const { place, index, publicKey } of core?.derived ?? []) cache.addDerived(place, index, publicKey);
  return cache;
}

/** Throws an error of a Core file as a WalletError. */
export function throwImportError(error: unknown): never {
  throw error instanceof CoreFileError ? new WalletError(WALLET_CODE.WALLET, `The wallet file was not imported. ${error.message}.`) : error;
}
