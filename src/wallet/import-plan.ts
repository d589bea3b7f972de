// Plan of an import, and its application to a wallet in one synchronous step. RPC methods make plans from requests.
// Core: ProcessImport, ProcessDescriptorImport, CWallet::ImportScripts, ImportPrivKeys, ImportPubKeys,
// ImportScriptPubKeys.
import type { Descriptor } from '../address/descriptor/descriptor.js';
import type { KeyPair } from '../address/descriptor/secrets.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../consensus/script/eval-script.js';
import type { Hashes } from '../crypto/crypto.js';
import { type Compat, follows } from '../policy/compat.js';
import type { KeyOrigin } from '../signing/index.js';
import type { AddressBook } from './address-book.js';
import type { Vault } from './crypt/vault.js';
import type { DescriptorKeys, PrecomputedScripts } from './keys/descriptor-keys.js';
import type { TrackedDescriptor } from './keys/descriptor-table.js';
import { addressedBy, destinationOf } from './keys/destination.js';
import type { KeySource } from './keys/key-source.js';
import type { LegacyKeys } from './keys/legacy-keys.js';
import { OWNERSHIP } from './keys/ownership.js';
import { NEEDS_PASSPHRASE, WALLET_CODE, WalletError } from './manage/wallet-error.js';
import type { BlockFacts } from './node-client.js';
import type { WalletBatch } from './storage/wallet-batch.js';

/** Scripts and keys for a legacy wallet. */
export interface ScriptImport {
  readonly kind: 'scripts';
  /** Output scripts to watch. */
  readonly targets: readonly Uint8Array[];
  /** Redeem and witness scripts. */
  readonly scripts: readonly Uint8Array[];
  /** Time of the redeem and witness scripts, seconds; 0: unknown. */
  readonly scriptTime: number;
  readonly secrets: readonly KeyPair[];
  readonly origins: readonly { readonly publicKey: Uint8Array; readonly origin: KeyOrigin }[];
  /** Public keys in the order in which they enter the key pool. */
  readonly publicKeys: readonly { readonly key: Uint8Array; readonly internal: boolean }[];
  readonly addToPool: boolean;
  /** True if the import contains keys or inner scripts that match its output scripts. */
  readonly hasSolvingData: boolean;
  /** Label of the addresses of `targets`; null: no label. */
  readonly label: string | null;
  /** Time of keys and output scripts, seconds. */
  readonly time: number;
  /** True to refuse output scripts that the wallet can spend already. */
  readonly refusesOwn: boolean;
}

/** One private key for a legacy wallet. */
export interface KeyImport extends KeyPair {
  readonly kind: 'key';
  readonly time: number;
  /** Output scripts whose addresses get the label. */
  readonly labelled: readonly Uint8Array[];
  readonly label: string;
  /** True to leave labels that these addresses have already. */
  readonly keepsLabels: boolean;
  /** Redeem scripts to store: the witness program of the key. */
  readonly scripts: readonly Uint8Array[];
}

/** A descriptor for a descriptor wallet. */
export interface DescriptorImport {
  readonly kind: 'descriptor';
  /** Paths of the descriptor; several for a multipath descriptor. */
  readonly paths: readonly DescriptorPath[];
  readonly secrets: readonly KeyPair[];
  readonly active: boolean;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  readonly nextIndex: number;
  readonly time: number;
  readonly label: string;
  /** True to label each address of a range. */
  readonly labelsRange: boolean;
  readonly compat: Compat;
}

export interface DescriptorPath {
  readonly descriptor: Descriptor;
  readonly internal: boolean;
  /** Scripts that were derived when the plan was made. */
  readonly precomputed?: PrecomputedScripts;
}

export type ImportItem = ScriptImport | KeyImport | DescriptorImport;

export interface ImportPlan {
  readonly items: Iterable<ImportItem>;
  /** True if the wallet must be unlocked. */
  readonly needsKeys: boolean;
  /** First block to scan afterwards. It is saved with the import, so that a crash loses no scan. Null: no scan. */
  readonly scanFrom: BlockFacts | null;
}

/** Members of a wallet that an import changes or reads. */
interface ImportingWallet {
  readonly keys: KeySource;
  readonly legacy: LegacyKeys | null;
  readonly descriptors: DescriptorKeys | null;
  readonly book: AddressBook;
  readonly vault: Vault;
  readonly parts: { readonly crypto: Hashes };
}

/**
 * Applies a plan, each item completely or not at all.
 * @param batch receives the rows
 * @returns for each item why it was refused; null if it was imported
 * @throws WalletError if the wallet is locked and must not be; then nothing was imported
 */
export function applyImportPlan(wallet: ImportingWallet, { items, needsKeys }: ImportPlan, batch: WalletBatch): (WalletError | null)[] {
  if (needsKeys && wallet.vault.locked) throw new WalletError(WALLET_CODE.UNLOCK_NEEDED, NEEDS_PASSPHRASE);
  return Array.from(items, (item) => {
    try {
      if (item.kind === 'scripts') importScripts(wallet, item, batch);
      else if (item.kind === 'key') importKey(wallet, item, batch);
      else importDescriptor(wallet, item, batch);
      return null;
    } catch (error) {
      if (error instanceof WalletError) return error;
      throw error;
    }
  });
}

const refuse = (message: string, code: number = WALLET_CODE.WALLET): never => {
  throw new WalletError(code, message);
};

function importScripts(wallet: ImportingWallet, item: ScriptImport, batch: WalletBatch): void {
  const legacy = wallet.legacy!;
  const { targets, scripts, time, label } = item;
  const own = item.refusesOwn ? targets.find((script) => wallet.keys.isMine(script) === OWNERSHIP.SPENDABLE) : undefined;
  if (own) refuse(`The wallet already contains the private key for this address or script ("${Buffer.from(own).toString('hex')}")`);
  // Check the sizes of all scripts first. Core stores some of the scripts before it fails, adit stores none.
  if (item.refusesOwn && scripts.some((script) => script.length > MAX_SCRIPT_ELEMENT_SIZE)) refuse('Error adding script to wallet');
  for (const script of scripts) legacy.importScript(script, item.scriptTime, batch);
  for (const { publicKey, secret } of item.secrets) legacy.importSecret(secret, publicKey, time, batch);
  for (const { publicKey, origin } of item.origins) legacy.importOrigin(publicKey, origin, batch);
  for (const { key, internal } of item.publicKeys) legacy.importPublicKey(key, time, { add: item.addToPool, internal }, batch);
  for (const script of targets) {
    if (!item.hasSolvingData || wallet.keys.isMine(script) === OWNERSHIP.NO) legacy.watchScript(script, time, batch);
    const destination = label === null ? null : destinationOf(script, wallet.parts.crypto);
    if (destination) wallet.book.set(destination, label!, 'receive', batch);
  }
}

function importKey(
  wallet: ImportingWallet,
  { publicKey, secret, time, labelled, label, keepsLabels, scripts }: KeyImport,
  batch: WalletBatch,
): void {
  for (const script of labelled) {
    if (!keepsLabels || wallet.book.label(script) === undefined) wallet.book.set(script, label, 'receive', batch);
  }
  wallet.legacy!.importSecret(secret, publicKey, time, batch);
  for (const script of scripts) wallet.legacy!.addScript(script, 0, batch);
}

/** Checks what depends on the descriptors that the wallet has already. @throws WalletError */
export function checkDescriptorImport(wallet: ImportingWallet, { paths, secrets, rangeStart, rangeEnd, compat }: DescriptorImport): void {
  const keys = wallet.descriptors!;
  for (const { descriptor } of paths) {
    const existing = keys.find(keys.idOf(descriptor));
    if (existing?.isRange) checkRange(existing, rangeStart, rangeEnd, compat);
    if (descriptor.hasScripts) continue;
    for (const { publicKey } of secrets) {
      if (keys.holdsSecretOf(publicKey)) refuse('Cannot import an unused() descriptor when its private key is already in the wallet');
    }
  }
}

/** The new range of a descriptor must include the old one. Up to release 21 the end may be lower. */
function checkRange({ rangeStart: from, rangeEnd: to, text }: TrackedDescriptor, start: number, end: number, compat: Compat): void {
  if (!follows(compat, 22)) {
    if (start > from) refuse(`range_start can only decrease; current range = [${from},${to}]`, WALLET_CODE.INVALID_PARAMS);
  } else if (start > from || end < to) {
    // `text` is the wallet's descriptor. Core repeats the text of the request, which may contain private keys.
    refuse(`Could not add descriptor '${text}': new range must include current range = [${from},${to - 1}]`);
  }
}

function importDescriptor(wallet: ImportingWallet, item: DescriptorImport, batch: WalletBatch): void {
  checkDescriptorImport(wallet, item);
  const keys = wallet.descriptors!;
  const { rangeStart, rangeEnd, nextIndex, time, label, compat } = item;
  const { crypto } = wallet.parts;
  const setLabel = (script: Uint8Array): void => {
    const destination = addressedBy(script, { compat, crypto });
    if (destination) wallet.book.set(destination, label, 'receive', batch);
  };
  for (const { descriptor, internal, precomputed } of item.paths) {
    const fresh = { descriptor, secrets: item.secrets, rangeStart, rangeEnd, nextIndex, time, ...(precomputed && { precomputed }) };
    const tracked = keys.addDescriptor(fresh, batch) ?? refuse(`Could not add descriptor '${descriptor.toString()}'`);
    const source = { cache: tracked.cache, secrets: tracked };
    if (!internal && !descriptor.isRange) {
      const scripts = [...(descriptor.scripts(0, source) ?? [])];
      // 0.21 labels the shortest script, the first of Core's ordered set. Later releases label all that have addresses.
      if (!follows(compat, 22)) scripts.sort((a, b) => a.length - b.length || Buffer.compare(a, b)).splice(1);
      scripts.forEach(setLabel);
    }
    for (let index = rangeStart; item.labelsRange && descriptor.isRange && !internal && index < rangeEnd; index++) {
      descriptor.scripts(index, source)?.forEach(setLabel);
    }
    if (!item.active) keys.deactivate(tracked, batch);
    else if (descriptor.outputType !== null) keys.setActive(tracked, internal, batch);
  }
}
