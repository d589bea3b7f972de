// Table of every public key that a legacy wallet knows something about, as columns: private keys (plain or encrypted),
// watched public keys, and metadata of keys whose origin was imported. A key is found by its HASH160, or by HASH160 of
// its P2WPKH script. Every compressed key that is owned or watched implies that script as a redeem script (Core's
// ImplicitlyLearnRelatedKeyScripts).
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { KeyOrigin } from '../../signing/index.js';
import type { Seal } from '../crypt/vault.js';
import type { TableImage } from '../image/table-image.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packPath, packRow, unpackPath, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { ByteArena } from '../tables/byte-arena.js';
import { ByteTable, grown } from '../tables/byte-table.js';
import { SecretSlab } from '../tables/secret-slab.js';
import type { ScriptMetadata } from './script-metadata.js';

const KEY = { PRIVATE: 1, WATCHED: 2, TIMED: 4 } as const;
const NONE = -1;

/** Returns the P2WPKH script: 0014 and the key's hash. */
export function keyHashProgram(id: Uint8Array): Uint8Array {
  const script = new Uint8Array(22);
  script[1] = 20;
  script.set(id, 2);
  return script;
}

export class KeyTable {
  readonly #ids = new ByteTable();
  /** HASH160 of P2WPKH scripts of keys. #programRows has the key's row for each. */
  readonly #programs = new ByteTable();
  #programRows = new Int32Array(32);
  readonly #bytes = new ByteArena();
  #slab = new SecretSlab();
  #wiped = false;
  #flags = new Uint8Array(32);
  #publicKeys = new Int32Array(32);
  #secrets = new Int32Array(32);
  #paths = new Int32Array(32);
  #seeds = new Int32Array(32);
  #fingerprints = new Uint32Array(32);
  #times = new Float64Array(32);
  #privateCount = 0;
  /** Entry of the seed id that was last looked up. */
  #lastSeed = NONE;
  readonly #hashes: Hashes;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  get privateCount(): number {
    return this.#privateCount;
  }

  find(id: Uint8Array): number {
    return this.#ids.find(id);
  }
  id(row: number): Uint8Array {
    return new Uint8Array(this.#ids.key(row));
  }
  rows(): Generator<number> {
    return this.#ids.liveRows();
  }
  /** Compares the ids of two rows as bytes. */
  compareIds(a: number, b: number): number {
    return this.#ids.compare(a, b);
  }
  isPrivate(row: number): boolean {
    return row >= 0 && (this.#flags[row] & KEY.PRIVATE) !== 0;
  }
  isWatched(row: number): boolean {
    return row >= 0 && (this.#flags[row] & KEY.WATCHED) !== 0;
  }
  /** Returns the public key if the wallet owns or watches it. */
  publicKey(row: number): Uint8Array | undefined {
    if (row < 0 || (this.#flags[row] & (KEY.PRIVATE | KEY.WATCHED)) === 0) return undefined;
    return this.#bytes.get(this.#publicKeys[row]);
  }
  /** Number of rows ever created for keys (rowCount), and for P2WPKH scripts of keys (programCount). */
  get rowCount(): number {
    return this.#ids.rows;
  }
  get programCount(): number {
    return this.#programs.rows;
  }
  /** Returns the public key of any row, owned or not. */
  anyPublicKey(row: number): Uint8Array {
    return this.#bytes.get(this.#publicKeys[row]);
  }
  /** Returns HASH160 of a P2WPKH script. @param program number of the script, in the order of addition */
  programHash(program: number): Uint8Array {
    return this.#programs.key(program);
  }
  /** Returns the private key in its stored form. */
  restingSecret(row: number): Uint8Array | undefined {
    return this.isPrivate(row) && !this.#wiped ? this.#slab.get(this.#secrets[row]) : undefined;
  }
  /** Returns the row of the key whose P2WPKH script has this HASH160; -1 if there is none. */
  byProgram(scriptId: Uint8Array): number {
    const found = this.#programs.find(scriptId);
    return found < 0 ? NONE : this.#programRows[found];
  }
  origin(row: number): KeyOrigin | undefined {
    if (row < 0 || this.#paths[row] === NONE) return undefined;
    const fingerprint = new Uint8Array(4);
    new DataView(fingerprint.buffer).setUint32(0, this.#fingerprints[row]);
    return { fingerprint, path: unpackPath(this.#bytes.get(this.#paths[row])) };
  }
  /** Returns the metadata of a key; undefined if none was ever written. */
  metadata(row: number): ScriptMetadata | undefined {
    if (row < 0) return undefined;
    const origin = this.origin(row);
    if (origin === undefined && (this.#flags[row] & KEY.TIMED) === 0) return undefined;
    const seed = this.#seeds[row];
    return { time: this.#times[row], origin, seedId: seed === NONE ? undefined : this.#bytes.get(seed) };
  }

  /** Returns the row of a key, and creates it if there is none. */
  touch(publicKey: Uint8Array): number {
    return this.#touchId(this.#hashes.hash160(publicKey), publicKey);
  }
  setTime(row: number, seconds: number): void {
    this.#times[row] = seconds;
    this.#flags[row] |= KEY.TIMED;
  }
  setOrigin(row: number, origin: KeyOrigin, seedId: Uint8Array | undefined): void {
    this.#fingerprints[row] = new DataView(origin.fingerprint.buffer, origin.fingerprint.byteOffset, 4).getUint32(0);
    this.#paths[row] = this.#bytes.add(packPath(origin.path));
    if (seedId) this.#seeds[row] = this.#seedEntry(seedId);
  }
  /** Marks the key as an HD seed: no origin, and its own id as seed id. */
  setSeed(row: number, seedId: Uint8Array): void {
    this.#seeds[row] = this.#seedEntry(seedId);
  }
  setSecret(row: number, resting: Uint8Array): void {
    if (!this.isPrivate(row)) this.#privateCount++;
    this.#secrets[row] = this.#slab.add(resting);
    this.#flags[row] |= KEY.PRIVATE;
    this.#addProgram(row);
  }
  setWatched(row: number, watched: boolean): void {
    if (watched) {
      this.#flags[row] |= KEY.WATCHED;
      this.#addProgram(row);
    } else this.#flags[row] &= ~KEY.WATCHED;
  }

  /**
   * Encrypts every private key.
   * @returns function that switches to the encrypted keys and overwrites the plain ones
   */
  sealAllSecrets(seal: Seal): () => void {
    const old = this.#slab;
    const next = new SecretSlab();
    const entries = this.#secrets.slice();
    for (const row of this.rows()) {
      if (!this.isPrivate(row)) continue;
      entries[row] = next.add(seal(this.#bytes.get(this.#publicKeys[row]), old.get(this.#secrets[row])));
    }
    return () => {
      this.#secrets = entries;
      this.#slab = next;
      old.wipe();
    };
  }

  /** Overwrites every secret. The table is not used afterwards. */
  wipe(): void {
    this.#slab.wipe();
    this.#wiped = true;
  }

  write(row: number, batch: WalletBatch): void {
    batch.put(walletKey(WALLET_PREFIX.key, this.#ids.key(row)), this.encode(row));
  }
  /** Encodes the database row of a key. @param secret used instead of the private key's stored form */
  encode(row: number, secret: Uint8Array | null = this.restingSecret(row) ?? null): Uint8Array {
    const path = this.#paths[row];
    const seed = this.#seeds[row];
    return packRow([
      this.#flags[row],
      this.#bytes.get(this.#publicKeys[row]),
      secret,
      this.#times[row],
      path === NONE ? null : this.#fingerprints[row],
      path === NONE ? null : this.#bytes.get(path),
      seed === NONE ? null : this.#bytes.get(seed),
    ]);
  }
  /** Loads a row. @param id HASH160 of the key */
  load(id: Uint8Array, value: Uint8Array): void {
    const [flags, publicKey, secret, time, fingerprint, path, seed] = unpackRow(value);
    const row = this.#touchId(id, bytesOf(publicKey));
    // The table may have the key already, from an image. Its row has changed since.
    if (this.isPrivate(row)) this.#privateCount--;
    this.#flags[row] = Number(flags) & ~KEY.PRIVATE;
    this.#times[row] = Number(time);
    if (path instanceof Uint8Array) {
      this.#fingerprints[row] = Number(fingerprint);
      this.#paths[row] = this.#bytes.add(path);
    }
    if (seed instanceof Uint8Array) this.#seeds[row] = this.#seedEntry(seed);
    if (secret instanceof Uint8Array) this.setSecret(row, secret);
    else if (this.isWatched(row)) this.#addProgram(row);
  }

  /** Saves the table to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.#ids.transferImage(at);
    this.#programs.transferImage(at);
    this.#bytes.transferImage(at);
    this.#slab.transferImage(at);
    const { rows } = this.#ids;
    this.#privateCount = at.number(this.#privateCount);
    this.#lastSeed = at.number(this.#lastSeed);
    this.#programRows = at.column(this.#programRows, this.#programs.rows);
    this.#flags = at.column(this.#flags, rows);
    this.#publicKeys = at.column(this.#publicKeys, rows);
    this.#secrets = at.column(this.#secrets, rows);
    this.#paths = at.column(this.#paths, rows);
    this.#seeds = at.column(this.#seeds, rows);
    this.#fingerprints = at.column(this.#fingerprints, rows);
    this.#times = at.column(this.#times, rows);
  }

  /** Returns the entry that all keys of one seed share for the seed's id. */
  #seedEntry(seedId: Uint8Array): number {
    if (this.#lastSeed === NONE || !equalBytes(this.#bytes.get(this.#lastSeed), seedId)) this.#lastSeed = this.#bytes.add(seedId);
    return this.#lastSeed;
  }
  #touchId(id: Uint8Array, publicKey: Uint8Array): number {
    const before = this.#ids.rows;
    const row = this.#ids.add(id);
    if (row < before) return row;
    this.#flags = grown(this.#flags, row);
    this.#publicKeys = grown(this.#publicKeys, row);
    this.#secrets = grown(this.#secrets, row);
    this.#paths = grown(this.#paths, row);
    this.#seeds = grown(this.#seeds, row);
    this.#fingerprints = grown(this.#fingerprints, row);
    this.#times = grown(this.#times, row);
    this.#flags[row] = 0;
    this.#publicKeys[row] = this.#bytes.add(publicKey);
    this.#secrets[row] = NONE;
    this.#paths[row] = NONE;
    this.#seeds[row] = NONE;
    return row;
  }
  #addProgram(row: number): void {
    if (this.#bytes.get(this.#publicKeys[row]).length !== 33) return;
    const at = this.#programs.add(this.#hashes.hash160(keyHashProgram(this.#ids.key(row))));
    this.#programRows = grown(this.#programRows, at);
    this.#programRows[at] = row;
  }
}
