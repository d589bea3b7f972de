// Decodes the rows of a Bitcoin Core wallet file into plain records. Formats: Core's wallet/walletdb.cpp, 0.21 to
// master. A key begins with the kind of the row, as text with its length.
import type { ExtendedKey } from '../../address/bip32/extended-key.js';
import { parsePath } from '../../address/bip32/key-path.js';
import type { KeyOrigin } from '../../address/descriptor/expansion.js';
import { toHex } from '../../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { parseTx } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import { CoreFileError, type CoreRow } from './paged-file.js';

/** Private key as stored in the file. */
export interface CoreSecret {
  readonly publicKey: Uint8Array;
  /** 32 bytes, or their encrypted form. wipeCoreWallet overwrites them. */
  readonly bytes: Uint8Array;
  readonly encrypted: boolean;
}

/** Metadata of a key or a watched script. */
export interface CoreMetadata {
  /** Seconds; 0 if unknown. */
  readonly time: number;
  /** Derivation path as text: m/0'/0'/5', or s or m for a seed; empty if unknown. */
  readonly hdPath: string;
  readonly seedId: Uint8Array | null;
  readonly origin: KeyOrigin | null;
}

/** Master key that encrypts the private keys; itself encrypted with the passphrase. */
export interface CoreMasterKey {
  readonly sealed: Uint8Array;
  readonly salt: Uint8Array;
  readonly method: number;
  readonly rounds: number;
}

export interface CorePoolEntry {
  readonly index: number;
  readonly time: number;
  readonly publicKey: Uint8Array;
  readonly internal: boolean;
  readonly preSplit: boolean;
}

export interface CoreTransaction {
  readonly tx: TxView;
  /**
   * Hash in internal byte order. All zeros: in no block. The number 1: in no block, and the transaction was abandoned.
   */
  readonly blockHash: Uint8Array;
  /** Position in the block; -1: the transaction conflicts with that block. */
  readonly position: number;
  /** Values of the user and of Core: comment, to, replaces_txid and others. */
  readonly values: ReadonlyMap<string, string>;
  readonly received: number;
  /** Seconds; 0 if unknown. */
  readonly smart: number;
  /** Order of arrival; -1 if unknown. */
  readonly order: number;
}

export interface CoreDescriptor {
  readonly text: string;
  readonly time: number;
  readonly nextIndex: number;
  readonly rangeStart: number;
  readonly rangeEnd: number;
}

/** Cached extended keys of a descriptor, by the position of their key expression in the descriptor. */
export interface CoreCache {
  readonly parents: Map<number, ExtendedKey>;
  readonly lastHardened: Map<number, ExtendedKey>;
  readonly derived: { place: number; index: number; publicKey: Uint8Array }[];
}

export interface CoreAddress {
  label: string | null;
  purpose: string | null;
  used: boolean;
}

/** Content of a wallet file. The keys of maps are hex; the comment of each map names the encoded value. */
export interface CoreWallet {
  flags: bigint;
  /** Core's FEATURE number: the newest feature that the wallet uses. */
  version: number;
  /** Block hashes, newest first; empty if there is none. */
  locator: Uint8Array;
  nextOrder: number;
  hd: { seedId: Uint8Array; external: number; internal: number; isSplit: boolean } | null;
  readonly masterKeys: CoreMasterKey[];
  readonly secrets: CoreSecret[];
  readonly keyMetadata: Map<string, { publicKey: Uint8Array; metadata: CoreMetadata }>;
  readonly scripts: Uint8Array[];
  readonly watched: Uint8Array[];
  /** Metadata of watched scripts by script. */
  readonly watchedMetadata: Map<string, CoreMetadata>;
  readonly pool: CorePoolEntry[];
  /** Address book entries by address. */
  readonly addresses: Map<string, CoreAddress>;
  readonly transactions: CoreTransaction[];
  /** Descriptors by descriptor id. */
  readonly descriptors: Map<string, CoreDescriptor>;
  /** Cached keys and private keys of descriptors, both by descriptor id. */
  readonly caches: Map<string, CoreCache>;
  readonly descriptorSecrets: Map<string, CoreSecret[]>;
  readonly active: { type: number; internal: boolean; id: string }[];
  /** txids with the wtxids of all versions that Core saw. Versions differ in their witnesses. */
  readonly variants: { txid: Uint8Array; wtxid: Uint8Array }[];
  /** For each kind of rows that adit has no use for, the number of these rows. */
  readonly skippedRows: Map<string, number>;
}

export const emptyCoreWallet = (): CoreWallet => ({
  flags: 0n,
  version: 0,
  locator: new Uint8Array(0),
  nextOrder: 0,
  hd: null,
  masterKeys: [],
  secrets: [],
  keyMetadata: new Map(),
  scripts: [],
  watched: [],
  watchedMetadata: new Map(),
  pool: [],
  addresses: new Map(),
  transactions: [],
  descriptors: new Map(),
  caches: new Map(),
  descriptorSecrets: new Map(),
  active: [],
  variants: [],
  skippedRows: new Map(),
});

/** Overwrites every private key with zeros. */
export function wipeCoreWallet(wallet: CoreWallet): void {
  for (const { bytes } of wallet.secrets) bytes.fill(0);
  for (const secrets of wallet.descriptorSecrets.values()) for (const { bytes } of secrets) bytes.fill(0);
}

const textIn = (reader: ByteReader): string => Buffer.from(reader.varBytes()).toString('utf8');
const number64 = (reader: ByteReader): number => Number(reader.i64big());

/** Decodes a row into the wallet. @throws CoreFileError */
export function readRow(wallet: CoreWallet, { key, value }: CoreRow, hashes: Hashes): void {
  let kind = '';
  try {
    const name = new ByteReader(key);
    kind = textIn(name);
    const readKind = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (readKind) readKind(wallet, name, new ByteReader(value), hashes);
    else wallet.skippedRows.set(kind, (wallet.skippedRows.get(kind) ?? 0) + 1);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CoreFileError(
      `The file is damaged: a record of the type ${JSON.stringify(kind.slice(0, 40))} cannot be decoded (${error.message})`,
    );
  }
}

type RowReader = (wallet: CoreWallet, name: ByteReader, value: ByteReader, hashes: Hashes) => void;

const ignore: RowReader = () => undefined;

const KINDS: Readonly<Record<string, RowReader>> = {
  flags: (wallet, _, value) => {
    wallet.flags = value.u64big();
  },
  minversion: (wallet, _, value) => {
    wallet.version = value.i32();
  },
  // Version of the Core release that wrote the file last.
  version: ignore,
  bestblock_nomerkle: (wallet, _, value) => readLocator(wallet, value),
  bestblock: (wallet, _, value) => {
    if (wallet.locator.length === 0) readLocator(wallet, value);
  },
  orderposnext: (wallet, _, value) => {
    wallet.nextOrder = Math.max(0, number64(value));
  },
  mkey: (wallet, _, value) => {
    const [sealed, salt] = [value.varBytes().slice(), value.varBytes().slice()];
    wallet.masterKeys.push({ sealed, salt, method: value.u32(), rounds: value.u32() });
  },
  key: (wallet, name, value, hashes) => {
    wallet.secrets.push(plainSecret(publicKeyIn(name), value, hashes));
  },
  ckey: (wallet, name, value, hashes) => {
    wallet.secrets.push(encryptedSecret(publicKeyIn(name), value, hashes));
  },
  wkey: () => {
    throw new CoreFileError('The wallet has keys in the format of before 2011 (wkey): open it once with Bitcoin Core 0.18');
  },
  keymeta: (wallet, name, value) => {
    const publicKey = publicKeyIn(name);
    wallet.keyMetadata.set(toHex(publicKey), { publicKey, metadata: metadataIn(value) });
  },
  hdchain: (wallet, _, value) => {
    const version = value.i32();
    const external = value.u32();
    const seedId = value.bytes(20).slice();
    const isSplit = version >= 2;
    wallet.hd = seedId.some((byte) => byte !== 0) ? { seedId, external, internal: isSplit ? value.u32() : 0, isSplit } : null;
  },
  cscript: (wallet, _, value) => {
    wallet.scripts.push(value.varBytes().slice());
  },
  watchs: (wallet, name, value) => {
    // The character "1" means true.
    if (value.u8() === 0x31) wallet.watched.push(name.varBytes().slice());
  },
  watchmeta: (wallet, name, value) => {
    wallet.watchedMetadata.set(toHex(name.varBytes()), metadataIn(value));
  },
  pool: (wallet, name, value) => {
    const index = number64(name);
    value.i32();
    const time = number64(value);
    const publicKey = publicKeyIn(value);
    // Files from releases without separate keys for change have neither flag.
    const internal = value.remaining > 0 && value.u8() !== 0;
    const preSplit = value.remaining > 0 && value.u8() !== 0;
    wallet.pool.push({ index, time, publicKey, internal, preSplit });
  },
  // Default address, which Core no longer uses.
  defaultkey: ignore,
  name: (wallet, name, value) => {
    addressOf(wallet, textIn(name)).label = textIn(value);
  },
  purpose: (wallet, name, value) => {
    addressOf(wallet, textIn(name)).purpose = textIn(value);
  },
  destdata: (wallet, name) => {
    const address = textIn(name);
    const what = textIn(name);
    if (what === 'used') addressOf(wallet, address).used = true;
    else wallet.skippedRows.set('destdata', (wallet.skippedRows.get('destdata') ?? 0) + 1);
  },
  tx: (wallet, name, value, hashes) => {
    wallet.transactions.push(transactionIn(name.hash(), value, hashes));
  },
  wtxvariant: (wallet, name) => {
    wallet.variants.push({ txid: name.hash().slice(), wtxid: name.hash().slice() });
  },
  walletdescriptor: (wallet, name, value) => {
    const id = toHex(name.hash());
    const text = textIn(value);
    const time = number64(value);
    wallet.descriptors.set(id, { text, time, nextIndex: value.i32(), rangeStart: value.i32(), rangeEnd: value.i32() });
  },
  walletdescriptorcache: (wallet, name, value) => {
    const cache = cacheOf(wallet, toHex(name.hash()));
    const place = name.u32();
    const key = extendedKeyIn(value);
    if (name.remaining === 0) cache.parents.set(place, key);
    else cache.derived.push({ place, index: name.u32(), publicKey: key.publicKey });
  },
  walletdescriptorlhcache: (wallet, name, value) => {
    cacheOf(wallet, toHex(name.hash())).lastHardened.set(name.u32(), extendedKeyIn(value));
  },
  walletdescriptorkey: (wallet, name, value, hashes) => {
    const id = toHex(name.hash());
    secretsOf(wallet, id).push(plainSecret(publicKeyIn(name), value, hashes));
  },
  walletdescriptorckey: (wallet, name, value) => {
    const id = toHex(name.hash());
    const publicKey = publicKeyIn(name);
    secretsOf(wallet, id).push({ publicKey, bytes: value.varBytes().slice(), encrypted: true });
  },
  activeexternalspk: (wallet, name, value) => {
    wallet.active.push({ type: name.u8(), internal: false, id: toHex(value.hash()) });
  },
  activeinternalspk: (wallet, name, value) => {
    wallet.active.push({ type: name.u8(), internal: true, id: toHex(value.hash()) });
  },
  // Accounts and settings of releases before 0.18, which Core no longer reads.
  acc: ignore,
  acentry: ignore,
  setting: ignore,
  settings: ignore,
};

function readLocator(wallet: CoreWallet, value: ByteReader): void {
  value.i32();
  const count = value.compactSize(1000);
  if (count > 0) wallet.locator = value.bytes(count * 32).slice();
}

function addressOf({ addresses }: CoreWallet, address: string): CoreAddress {
  let known = addresses.get(address);
  if (known === undefined) addresses.set(address, (known = { label: null, purpose: null, used: false }));
  return known;
}

function cacheOf({ caches }: CoreWallet, id: string): CoreCache {
  let known = caches.get(id);
  if (known === undefined) caches.set(id, (known = { parents: new Map(), lastHardened: new Map(), derived: [] }));
  return known;
}

function secretsOf({ descriptorSecrets }: CoreWallet, id: string): CoreSecret[] {
  let known = descriptorSecrets.get(id);
  if (known === undefined) descriptorSecrets.set(id, (known = []));
  return known;
}

function publicKeyIn(reader: ByteReader): Uint8Array {
  const bytes = reader.varBytes(65);
  if (bytes.length !== 33 && bytes.length !== 65) throw new DecodeError('invalid public key');
  return bytes.slice();
}

/** Decodes the fields of BIP-0032 without the network's version bytes. */
function extendedKeyIn(reader: ByteReader): ExtendedKey {
  const data = reader.varBytes(74).slice();
  if (data.length !== 74) throw new DecodeError('invalid extended key');
  return {
    depth: data[0],
    parentFingerprint: data.subarray(1, 5),
    childNumber: new DataView(data.buffer).getUint32(5),
    chainCode: data.subarray(9, 41),
    publicKey: data.subarray(41),
  };
}

const VERSION_ORIGIN = 12;
const VERSION_HD = 10;

function metadataIn(reader: ByteReader): CoreMetadata {
  const version = reader.i32();
  const time = Math.max(0, number64(reader));
  if (version < VERSION_HD) return { time, hdPath: '', seedId: null, origin: null };
  const hdPath = textIn(reader);
  const seed = reader.bytes(20).slice();
  const seedId = seed.some((byte) => byte !== 0) ? seed : null;
  const path = parsePath(hdPath);
  if (version < VERSION_ORIGIN) return { time, hdPath, seedId, origin: null };
  const fingerprint = reader.bytes(4).slice();
  const steps = Array.from({ length: reader.compactSize(256) }, () => reader.u32());
  const origin = reader.u8() !== 0 ? { fingerprint, path: steps } : null;
  return { time, hdPath: path === null && hdPath !== 's' ? '' : hdPath, seedId, origin };
}

/** Decodes a private key in the DER form of RFC 5915, as Core writes it. */
function plainSecret(publicKey: Uint8Array, value: ByteReader, hashes: Hashes): CoreSecret {
  const der = value.varBytes();
  // Since 0.9 Core appends a hash that detects a damaged pair of public and private key.
  if (value.remaining >= 32) {
    const pair = joined(publicKey, der);
    const digest = hashes.sha256d(pair);
    pair.fill(0);
    if (!equals(digest, value.hash())) throw new DecodeError('wrong checksum of a key');
  }
  const reader = new ByteReader(der);
  if (reader.u8() !== 0x30) throw new DecodeError('invalid private key');
  const long = reader.u8();
  if (long > 0x80) reader.skip(long - 0x80);
  if (reader.u8() !== 2 || reader.u8() !== 1 || reader.u8() !== 1 || reader.u8() !== 4) throw new DecodeError('invalid private key');
  const number = reader.bytes(reader.u8());
  if (number.length > 32) throw new DecodeError('invalid private key');
  const bytes = secretBytes(32);
  bytes.set(number, 32 - number.length);
  return { publicKey, bytes, encrypted: false };
}

function encryptedSecret(publicKey: Uint8Array, value: ByteReader, hashes: Hashes): CoreSecret {
  const bytes = value.varBytes().slice();
  if (value.remaining >= 32 && !equals(hashes.sha256d(bytes), value.hash())) throw new DecodeError('wrong checksum of a key');
  return { publicKey, bytes, encrypted: true };
}

const equals = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = secretBytes(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Names of values that Core adds for the file format. All others were set by the user or by a call. */
const OF_FORMAT: ReadonlySet<string> = new Set(['n', 'timesmart', 'fromaccount', 'spent']);

function transactionIn(txid: Uint8Array, value: ByteReader, hashes: Hashes): CoreTransaction {
  const first = parseTx(value.data, hashes, { offset: value.offset });
  const bytes = first.bytes.slice();
  const tx = parseTx(bytes, hashes);
  if (!equals(tx.txid, txid)) throw new DecodeError('a transaction does not have the txid of its record');
  value.skip(bytes.length);
  const blockHash = value.hash().slice();
  skipBranch(value);
  const position = value.i32();
  // Skip parent transactions, which releases before 0.8 stored with a transaction.
  for (let parents = value.compactSize(); parents > 0; parents--) {
    value.skip(parseTx(value.data, hashes, { offset: value.offset }).bytes.length);
    value.hash();
    skipBranch(value);
    value.i32();
  }
  const values = new Map<string, string>();
  for (let pairs = value.compactSize(); pairs > 0; pairs--) values.set(textIn(value), textIn(value));
  // Skip messages and payment requests of Core's GUI.
  for (let texts = value.compactSize() * 2; texts > 0; texts--) value.varBytes();
  value.u32();
  const received = value.u32();
  const order = Number(values.get('n') ?? -1);
  const smart = Number(values.get('timesmart') ?? 0);
  for (const name of OF_FORMAT) values.delete(name);
  return {
    tx,
    blockHash,
    position,
    values,
    received,
    order: Number.isSafeInteger(order) && order >= 0 ? order : -1,
    smart: Number.isSafeInteger(smart) && smart > 0 ? smart : 0,
  };
}

/** Skips the merkle branch that old releases stored with a transaction. */
function skipBranch(value: ByteReader): void {
  value.skip(value.compactSize() * 32);
}
