// Keys of a wallet from before descriptors, as in Core 0.21: an HD seed with a pool of derived keys, imported keys and
// scripts, and watched scripts. is-mine.ts decides ownership from these tables. Core: LegacyScriptPubKeyMan.

import { randomFillSync } from 'node:crypto';
import { deriveSecretPath, type ExtendedSecret, HARDENED, masterFromSeed } from '../../address/bip32/extended-key.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { scriptHashScript } from '../../consensus/script/build-script.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../../consensus/script/eval-script.js';
import { isPayToWitnessPublicKeyHash } from '../../consensus/script/templates.js';
import type { Hashes } from '../../crypto/crypto.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import { solve } from '../../policy/script-type.js';
import type { KeyOrigin, SigningProvider } from '../../signing/index.js';
import type { BatchOp } from '../../storage/store.js';
import type { Vault } from '../crypt/vault.js';
import type { TableImage } from '../image/table-image.js';
import { be64, fromBe64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { ByteArena } from '../tables/byte-arena.js';
import { ByteTable, grown } from '../tables/byte-table.js';
import type { HdChain, WalletRecord } from '../wallet-record.js';
import { WALLET_FLAG } from '../wallet-record.js';
import { keyOfDestination, payToKey } from './destination.js';
import { isSolvable, keysInScript, type LegacyStores, legacyCanProvide, legacyIsMine, payToKeyHash } from './is-mine.js';
import { KeyPool } from './key-pool.js';
import type { TouchedScripts } from './key-source.js';
import { type AddressResult, type AddressType, afterSomeKeys, type KeySource, type ScriptCursor, type TopUp } from './key-source.js';
import { KeyTable, keyHashProgram } from './key-table.js';
import type { Ownership } from './ownership.js';
import type { ScriptMetadata } from './script-metadata.js';
import { formsOfScript, touchedScripts } from './touched-scripts.js';

export interface LegacyDeps {
  readonly record: WalletRecord;
  readonly vault: Vault;
  readonly hashes: Hashes;
  /** Network and key arithmetic. */
  readonly tools: DescriptorContext;
  /** Returns the node's time, seconds. */
  readonly now: () => number;
  /** -keypool. */
  readonly keypoolSize: number;
}

const NO_TAPROOT = 'Error: Legacy wallets only support the "legacy", "p2sh-segwit", and "bech32" address types';
const POOL_EMPTY = 'Error: Keypool ran out, please call keypoolrefill first';

/** Key to copy from another wallet. */
export interface RestoredKey {
  readonly publicKey: Uint8Array;
  /** Private key, which the caller wipes; null if only the public key is known. */
  readonly secret: Uint8Array | null;
  /** Seconds; 0 if unknown. */
  readonly time: number;
  readonly origin: KeyOrigin | null;
  /** HASH160 of the seed that the key is derived from; for a seed, the seed's own HASH160. */
  readonly seedId: Uint8Array | null;
}

/** Parent key of the receiving keys or of the change keys of a seed. */
interface Branch {
  readonly seedId: Uint8Array;
  readonly internal: boolean;
  /** Vault.session at creation. Once the vault has another session, the secret is overwritten. */
  readonly session: number;
  readonly branch: ExtendedSecret;
  /** Fingerprint of the master key, 4 bytes. */
  readonly fingerprint: Uint8Array;
}

export class LegacyKeys implements KeySource, LegacyStores, SigningProvider {
  readonly keys: KeyTable;
  readonly pool: KeyPool;
  needsMoreKeys = false;
  /** True if payments used up keys of the pool, and their replacements are not derived yet. */
  #isUnfilled = false;
  /** Stored redeem and witness scripts, by HASH160. */
  readonly #scripts = new ByteTable();
  readonly #scriptBytes = new ByteArena();
  #scriptIds = new Int32Array(32);
  #scriptTimes = new Float64Array(32);
  /** Rows of the stored scripts that are not the P2WPKH script of a key. Only these can depend on several keys. */
  #compound = new Int32Array(32);
  #compoundCount = 0;
  /** Watched output scripts. `#watchedTimes` has their times. */
  readonly #watched = new ByteTable();
  #watchedTimes = new Float64Array(32);
  #branches: readonly Branch[] = [];
  readonly #deps: LegacyDeps;

  constructor(deps: LegacyDeps) {
    this.#deps = deps;
    this.keys = new KeyTable(deps.hashes);
    this.pool = new KeyPool(this.keys);
  }

  // -- look-ups

  isMine(script: Uint8Array): Ownership {
    return legacyIsMine(script, this, this.#deps.hashes);
  }
  provider(script: Uint8Array): SigningProvider | undefined {
    return legacyCanProvide(script, this, this.#deps.hashes) ? this : undefined;
  }
  isSolvable(script: Uint8Array): boolean {
    return isSolvable(script, this, this.#deps.hashes);
  }
  hasSecret(id: Uint8Array): boolean {
    return this.keys.isPrivate(this.keys.find(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.keys.publicKey(this.keys.find(id));
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    const row = this.keys.find(id);
    const resting = this.keys.restingSecret(row);
    const publicKey = this.keys.publicKey(row);
    return resting && publicKey && this.#deps.vault.open(publicKey, resting);
  }
  knowsKey(id: Uint8Array): boolean {
    return this.keys.find(id) >= 0;
  }
  /** Returns the origin of a key. A key without a recorded origin is its own root. */
  origin(id: Uint8Array): KeyOrigin {
    return this.keys.origin(this.keys.find(id)) ?? { fingerprint: new Uint8Array(id.subarray(0, 4)), path: [] };
  }
  script(id: Uint8Array): Uint8Array | undefined {
    const row = this.#scripts.find(id);
    if (row >= 0) return this.#scriptBytes.get(this.#scriptIds[row]);
    const key = this.keys.byProgram(id);
    return key < 0 ? undefined : keyHashProgram(this.keys.id(key));
  }
  hasScript(id: Uint8Array): boolean {
    return this.#scripts.has(id) || this.keys.byProgram(id) >= 0;
  }
  /** True if the wallet watches any script. */
  get watches(): boolean {
    return this.#watched.size > 0;
  }
  isWatched(script: Uint8Array): boolean {
    return this.#watched.has(script);
  }
  /** Yields stored scripts with the time of their import (0 if unknown), then the P2WPKH scripts that keys imply. */
  *allScripts(): Generator<{ script: Uint8Array; time: number }> {
    for (const row of this.#scripts.liveRows()) yield { script: this.#scriptBytes.get(this.#scriptIds[row]), time: this.#scriptTimes[row] };
    for (const row of this.keys.rows()) {
      const id = this.keys.id(row);
      const program = keyHashProgram(id);
      const scriptId = this.#deps.hashes.hash160(program);
      if (this.keys.byProgram(scriptId) === row && !this.#scripts.has(scriptId)) yield { script: program, time: 0 };
    }
  }

  /**
   * Yields P2PK, P2PKH, P2WPKH and P2SH-P2WPKH of every key, then P2SH, P2WSH and P2SH-P2WSH of every script, then
   * watched scripts.
   */
  *newScripts(cursor: ScriptCursor): Generator<Uint8Array> {
    const { keys } = this;
    while (cursor.keys < keys.rowCount) {
      const row = cursor.keys++;
      const id = keys.id(row);
      const publicKey = keys.anyPublicKey(row);
      yield payToKey(publicKey);
      yield payToKeyHash(id);
      if (publicKey.length === 33) yield keyHashProgram(id);
    }
    while (cursor.programs < keys.programCount) yield scriptHashScript(keys.programHash(cursor.programs++));
    while (cursor.scripts < this.#scripts.rows) {
      const row = cursor.scripts++;
      if (!this.#scripts.isLive(row)) continue;
      yield* formsOfScript(this.#scripts.key(row), this.#scriptBytes.get(this.#scriptIds[row]), this.#deps.hashes);
    }
    while (cursor.watched < this.#watched.rows) {
      const row = cursor.watched++;
      if (this.#watched.isLive(row)) yield new Uint8Array(this.#watched.key(row));
    }
  }
  hasNewScripts(cursor: ScriptCursor): boolean {
    const { keys } = this;
    if (cursor.keys < keys.rowCount || cursor.programs < keys.programCount) return true;
    return cursor.scripts < this.#scripts.rows || cursor.watched < this.#watched.rows;
  }
  scriptCursor(): ScriptCursor {
    const { rowCount, programCount } = this.keys;
    return { keys: rowCount, programs: programCount, scripts: this.#scripts.rows, watched: this.#watched.rows };
  }
  touchedScripts(ops: readonly BatchOp[]): TouchedScripts {
    return touchedScripts(ops, this, this.#deps.hashes);
  }
  /** Yields stored scripts other than P2WPKH scripts of keys. */
  *compoundScripts(): Generator<Uint8Array> {
    for (let i = 0; i < this.#compoundCount; i++) yield this.#scriptBytes.get(this.#scriptIds[this.#compound[i]]);
  }
  get scriptCount(): number {
    return this.keys.rowCount * 3 + this.keys.programCount + this.#scripts.rows * 3 + this.#watched.rows;
  }

  metadata(script: Uint8Array): ScriptMetadata | undefined {
    const key = keyOfDestination(script, this);
    const known = key === undefined ? undefined : this.keys.metadata(this.keys.find(key));
    if (known) return known;
    const watched = this.#watched.find(script);
    if (watched >= 0) return { time: this.#watchedTimes[watched], origin: undefined, seedId: undefined };
    const row = this.#scripts.find(this.#deps.hashes.hash160(script));
    return row >= 0 && this.#scriptTimes[row] > 0 ? { time: this.#scriptTimes[row], origin: undefined, seedId: undefined } : undefined;
  }

  wipeSecrets(): void {
    this.keys.wipe();
  }
  get birthSeconds(): number {
    return this.#deps.record.birthSeconds;
  }
  /** True if the wallet has a seed and can derive keys. */
  get hdEnabled(): boolean {
    return this.#deps.record.hd !== null;
  }
  canGiveAddresses(internal: boolean): boolean {
    const pool = this.pool;
    const waiting = internal && this.#deps.record.canSplit ? pool.internalSize : pool.externalSize + pool.preSplitSize;
    return waiting > 0 || this.hdEnabled;
  }

  // -- the pool

  topUp(size: number, batch: WalletBatch, shouldPause?: () => boolean): TopUp {
    const { record, vault, keypoolSize } = this.#deps;
    if (!this.hdEnabled || vault.locked) return 'unable';
    const target = Math.max(size > 0 ? size : keypoolSize, 1);
    const external = Math.max(target - this.pool.externalSize, 0);
    const internal = record.canSplit ? Math.max(target - this.pool.internalSize, 0) : 0;
    const wanted = external + internal;
    let made = 0;
    if (wanted === 0) return 'full';
    if (this.#branchOf(record.hd!, false) === null) return 'unable';
    for (const isInternal of [false, true]) {
      for (const row of this.#derive(record.hd!, isInternal, isInternal ? internal : external, batch, shouldPause)) {
        this.pool.add(this.keys.id(row), isInternal, this.#deps.now(), batch);
        made++;
      }
      if (made > 0 && shouldPause?.()) break;
    }
    this.#writeRecord(batch);
    return made < wanted ? 'paused' : 'full';
  }

  newAddress(type: AddressType, internal: boolean, batch: WalletBatch): AddressResult {
    // Derive one key first, so that this address can be given out while the pool is being filled; then some more.
    this.topUp(1, batch);
    this.topUp(0, batch, afterSomeKeys());
    if (type === 'bech32m') return { error: NO_TAPROOT };
    if (!this.canGiveAddresses(internal)) return { error: POOL_EMPTY };
    const { record } = this.#deps;
    const fromInternal = internal && ((this.hdEnabled && record.canSplit) || record.has(WALLET_FLAG.DISABLE_PRIVATE_KEYS));
    const entry = this.pool.takeKey(fromInternal, batch);
    if (entry === undefined) return { error: POOL_EMPTY };
    const row = this.keys.find(entry.id);
    if (type !== 'legacy') this.#addProgram(row, batch);
    this.#writeRecord(batch);
    return { script: this.addressScript(row, type) };
  }

  /** Returns the output script of a key. For uncompressed keys, only the type `legacy` exists. */
  addressScript(row: number, type: AddressType): Uint8Array {
    const id = this.keys.id(row);
    if (type === 'legacy' || this.keys.publicKey(row)?.length !== 33) return payToKeyHash(id);
    const program = keyHashProgram(id);
    return type === 'p2sh-segwit' ? scriptHashScript(this.#deps.hashes.hash160(program)) : program;
  }

  markUsed(script: Uint8Array, batch: WalletBatch): readonly [] {
    const { record, hashes } = this.#deps;
    for (const id of keysInScript(script, this, hashes)) {
      const entry = this.pool.find(id);
      if (entry) {
        for (const used of this.pool.removeUpTo(entry, batch)) this.#addProgram(this.keys.find(used.id), batch);
        this.#isUnfilled = true;
      }
      if (this.#isUnfilled) {
        this.#isUnfilled = this.topUp(0, batch, afterSomeKeys()) === 'paused';
        this.needsMoreKeys ||= this.#isUnfilled;
      }
      if (record.inactive.length === 0) continue;
      const meta = this.keys.metadata(this.keys.find(id));
      if (meta?.seedId === undefined || meta.origin === undefined) continue;
      const seedId = meta.seedId;
      const chain = record.inactive.find((known) => Buffer.compare(known.seedId, seedId) === 0);
      if (chain) this.#topUpInactive(chain, meta.origin.path, batch);
    }
    return [];
  }
  #topUpInactive(chain: HdChain, path: readonly number[], batch: WalletBatch): void {
    if (this.#deps.vault.locked || path.length < 3) return;
    const internal = (path[1] & 0x7fff_ffff) !== 0;
    const available = (internal ? chain.internal : chain.external) - ((path[2] & 0x7fff_ffff) + 1);
    const missing = Math.max(this.#deps.keypoolSize, 1) - available;
    if (missing <= 0) return;
    if (this.#branchOf(chain, internal) === null) return;
    const { length } = this.#derive(chain, internal, missing, batch, afterSomeKeys());
    this.needsMoreKeys ||= length < missing;
    this.#writeRecord(batch);
  }

  /** Derives the next keys of a chain. @param shouldPause true: stop @returns their rows */
  #derive(chain: HdChain, internal: boolean, count: number, batch: WalletBatch, shouldPause?: () => boolean): number[] {
    const rows: number[] = [];
    if (count <= 0) return rows;
    const { hashes, tools, now, record } = this.#deps;
    const from = this.#branchOf(chain, internal);
    if (from === null) return rows;
    const { branch, fingerprint } = from;
    while (rows.length < count) {
      const index = internal ? chain.internal++ : chain.external++;
      const child = deriveSecretPath(branch, [HARDENED + index], tools);
      if (child === null) continue;
      const { publicKey } = child.key;
      if (!this.keys.isPrivate(this.keys.find(hashes.hash160(publicKey)))) {
        const row = this.keys.touch(publicKey);
        this.keys.setTime(row, now());
        this.keys.setOrigin(row, { fingerprint, path: [HARDENED, HARDENED + (internal ? 1 : 0), HARDENED + index] }, chain.seedId);
        this.#addSecret(row, publicKey, child.secret, batch);
        record.recordBirth(now());
        rows.push(row);
      }
      child.secret.fill(0);
      if (shouldPause?.()) break;
    }
    return rows;
  }
  /**
   * Returns the parent key of a chain. It is cached while the wallet is unlocked, because most calls derive a single
   * key.
   * @returns null if the seed is damaged
   */
  #branchOf({ seedId }: HdChain, internal: boolean): Branch | null {
    const { vault, hashes, tools } = this.#deps;
    const known = this.#branches.find(
      (one) => one.session === vault.session && one.internal === internal && Buffer.compare(one.seedId, seedId) === 0,
    );
    if (known) return known;
    const seed = this.secret(seedId);
    if (seed === undefined) return null;
    const root = masterFromSeed(seed, tools);
    const branch = root && deriveSecretPath(root, [HARDENED, HARDENED + (internal ? 1 : 0)], tools);
    seed.fill(0);
    root?.secret.fill(0);
    if (!root || !branch) throw new Error('a seed has no key chains');
    const fingerprint = hashes.hash160(root.key.publicKey).slice(0, 4);
    const made: Branch = { seedId, internal, session: vault.session, branch, fingerprint };
    vault.wipeOnLock(branch.secret);
    // Drop the parents of earlier vault sessions, whose secrets are overwritten. The current session has at most two
    // for each seed.
    this.#branches = [...this.#branches.filter(({ session }) => session === vault.session), made];
    return made;
  }

  // -- the seed

  /** Returns a new random seed key that is not in use yet. */
  generateSeed(): Uint8Array {
    for (;;) {
      const secret = randomFillSync(secretBytes(32));
      if (this.#deps.tools.keys.publicKey(secret, true) !== null) return secret;
    }
  }
  /**
   * Sets the seed. The old chain becomes inactive. The caller wipes the seed's secret.
   * @param compressed form of the public key, whose hash names the seed
   */
  setSeed(secret: Uint8Array, batch: WalletBatch, compressed = true): void {
    const { record } = this.#deps;
    const publicKey = this.#deps.tools.keys.publicKey(secret, compressed);
    if (publicKey === null) throw new Error('seeds come from WIF or from generateSeed, both checked');
    const row = this.keys.touch(publicKey);
    const seedId = this.keys.id(row);
    this.keys.setTime(row, this.#deps.now());
    this.keys.setSeed(row, seedId);
    this.#addSecret(row, publicKey, secret, batch);
    if (record.hd) record.inactive.push(record.hd);
    record.hd = { seedId, external: 0, internal: 0 };
    record.flags &= ~WALLET_FLAG.BLANK;
    record.recordBirth(this.#deps.now());
    this.#writeRecord(batch);
  }
  /** Empties the pool and derives the first keys of a new one from the current seed. fillPool derives the others. */
  startNewPool(batch: WalletBatch): void {
    this.pool.clear(batch);
    this.topUp(1, batch);
    this.#writeRecord(batch);
  }

  // -- imports

  /** Imports a redeem or witness script. @returns false if it is too large to store */
  importScript(script: Uint8Array, time: number, batch: WalletBatch): boolean {
    const id = this.#deps.hashes.hash160(script);
    if (this.hasScript(id)) return true;
    if (!this.addScript(script, time, batch)) return false;
    if (time > 0) this.#recordBirth(time, batch);
    // Replies show the time of the last import of a script, whichever kind of import it was.
    if (time > 0 && this.#watched.has(script)) this.#setWatched(script, time, batch);
    return true;
  }
  /** Stores a redeem or witness script. Known scripts stay as they are. @returns false if it is too large */
  addScript(script: Uint8Array, time: number, batch: WalletBatch): boolean {
    if (script.length > MAX_SCRIPT_ELEMENT_SIZE) return false;
    const before = this.#scripts.rows;
    const row = this.#scripts.add(this.#deps.hashes.hash160(script));
    if (row < before) return true;
    this.#setScript(row, script, time);
    batch.put(walletKey(WALLET_PREFIX.script, this.#scripts.key(row)), this.#scriptRow(script, time));
    this.#deps.record.flags &= ~WALLET_FLAG.BLANK;
    this.#writeRecord(batch);
    return true;
  }
  /** Imports a private key, unless it is known. The wallet must be unlocked. */
  importSecret(secret: Uint8Array, publicKey: Uint8Array, time: number, batch: WalletBatch): void {
    const row = this.keys.touch(publicKey);
    if (this.keys.isPrivate(row)) return;
    this.keys.setTime(row, time);
    this.#addSecret(row, publicKey, secret, batch);
    this.#recordBirth(time, batch);
  }
  /** Adds a key with its metadata from another wallet. The wallet must be unlocked. */
  restoreKey({ publicKey, secret, time, origin, seedId }: RestoredKey, batch: WalletBatch): void {
    const row = this.keys.touch(publicKey);
    this.keys.setTime(row, time);
    if (origin) this.keys.setOrigin(row, origin, seedId ?? undefined);
    else if (seedId) this.keys.setSeed(row, seedId);
    if (secret) this.#addSecret(row, publicKey, secret, batch);
    else this.keys.write(row, batch);
    this.#recordBirth(time, batch);
  }
  importOrigin(publicKey: Uint8Array, origin: KeyOrigin, batch: WalletBatch): void {
    const row = this.keys.touch(publicKey);
    this.keys.setOrigin(row, origin, undefined);
    this.keys.write(row, batch);
  }
  /** Watches the P2PK script of a public key, unless the key is known. */
  importPublicKey(publicKey: Uint8Array, time: number, pool: { add: boolean; internal: boolean }, batch: WalletBatch): void {
    const { hashes } = this.#deps;
    if (this.publicKey(hashes.hash160(publicKey)) !== undefined) return;
    this.#watchScriptWithKey(payToKey(publicKey), publicKey, time, batch);
    const row = this.keys.touch(publicKey);
    this.keys.setTime(row, time);
    this.keys.write(row, batch);
    if (!pool.add) return;
    this.pool.add(this.keys.id(row), pool.internal, this.#deps.now(), batch);
    this.#writeRecord(batch);
  }
  /** Watches an output script. If it was watched already, its time is replaced. */
  watchScript(script: Uint8Array, time: number, batch: WalletBatch): void {
    const { type, solutions } = solve(script);
    const isKey = type === 'pubkey' && this.#deps.tools.keys.isPoint(solutions[0]);
    this.#watchScriptWithKey(script, isKey ? new Uint8Array(solutions[0]) : null, time, batch);
  }
  /** Watches an output script. @param key public key if the script is P2PK; the key is known from then on */
  #watchScriptWithKey(script: Uint8Array, key: Uint8Array | null, time: number, batch: WalletBatch): void {
    this.#setWatched(script, time, batch);
    if (key) this.#watchKey(key, true, batch);
    this.#deps.record.flags &= ~WALLET_FLAG.BLANK;
    this.#recordBirth(time, batch);
  }
  #setWatched(script: Uint8Array, time: number, batch: WalletBatch): void {
    const row = this.#watched.add(script);
    this.#watchedTimes = grown(this.#watchedTimes, row);
    this.#watchedTimes[row] = time;
    batch.put(walletKey(WALLET_PREFIX.watched, script), be64(Math.max(0, time)));
  }
  #unwatch(script: Uint8Array, batch: WalletBatch): boolean {
    if (this.#watched.remove(script) < 0) return false;
    batch.del(walletKey(WALLET_PREFIX.watched, script));
    return true;
  }
  #watchKey(publicKey: Uint8Array, watched: boolean, batch: WalletBatch): void {
    const row = this.keys.touch(publicKey);
    if (this.keys.isWatched(row) === watched) return;
    this.keys.setWatched(row, watched);
    this.keys.write(row, batch);
  }

  #addSecret(row: number, publicKey: Uint8Array, secret: Uint8Array, batch: WalletBatch): void {
    const resting = this.#deps.vault.seal(publicKey, secret);
    this.keys.setSecret(row, resting);
    if (!this.#deps.vault.encrypted) resting.fill(0);
    this.keys.write(row, batch);
    this.#unwatch(payToKeyHash(this.keys.id(row)), batch);
    if (this.#unwatch(payToKey(publicKey), batch)) this.#watchKey(publicKey, false, batch);
    this.#deps.record.flags &= ~WALLET_FLAG.BLANK;
  }
  /** Stores the P2WPKH script of a compressed key as a redeem script, because outputs may pay to its P2SH form. */
  #addProgram(row: number, batch: WalletBatch): void {
    if (row < 0 || this.keys.publicKey(row)?.length !== 33) return;
    this.addScript(keyHashProgram(this.keys.id(row)), 0, batch);
  }
  #setScript(row: number, script: Uint8Array, time: number): void {
    this.#scriptIds = grown(this.#scriptIds, row);
    this.#scriptTimes = grown(this.#scriptTimes, row);
    this.#scriptIds[row] = this.#scriptBytes.add(script);
    this.#scriptTimes[row] = time;
    if (isPayToWitnessPublicKeyHash(script)) return;
    this.#compound = grown(this.#compound, this.#compoundCount);
    this.#compound[this.#compoundCount++] = row;
  }
  #scriptRow(script: Uint8Array, time: number): Uint8Array {
    const row = new Uint8Array(8 + script.length);
    row.set(be64(Math.max(0, time)));
    row.set(script, 8);
    return row;
  }
  #recordBirth(time: number, batch: WalletBatch): void {
    this.#deps.record.recordBirth(time);
    this.#writeRecord(batch);
  }
  #writeRecord(batch: WalletBatch): void {
    this.#deps.record.lastPoolIndex = this.pool.lastIndex;
    this.#deps.record.write(batch);
  }

  // -- loading

  /** Saves the tables, except for the pool, to an image, or restores them from one. */
  transferImage(at: TableImage): void {
    this.keys.transferImage(at);
    this.#scripts.transferImage(at);
    this.#scriptBytes.transferImage(at);
    this.#watched.transferImage(at);
    this.#scriptIds = at.column(this.#scriptIds, this.#scripts.rows);
    this.#scriptTimes = at.column(this.#scriptTimes, this.#scripts.rows);
    this.#compoundCount = at.number(this.#compoundCount);
    this.#compound = at.column(this.#compound, this.#compoundCount);
    this.#watchedTimes = at.column(this.#watchedTimes, this.#watched.rows);
  }
  /** True if no key, script, watched script or pool entry was ever added. */
  get isEmpty(): boolean {
    return this.keys.rowCount + this.#scripts.rows + this.#watched.rows + this.pool.lastIndex === 0;
  }
  /** Removes a script that is no longer watched, during a load. */
  unloadWatched(script: Uint8Array): void {
    this.#watched.remove(script);
  }
  /** Loads a row. @returns false if it is damaged */
  loadRow(key: Uint8Array, value: Uint8Array): boolean {
    switch (key[0]) {
      case WALLET_PREFIX.key:
        this.keys.load(key.subarray(1), value);
        break;
      case WALLET_PREFIX.pool:
        return this.pool.load(key, value);
      case WALLET_PREFIX.script: {
        const row = this.#scripts.add(key.subarray(1));
        this.#setScript(row, value.subarray(8), fromBe64(value));
        break;
      }
      case WALLET_PREFIX.watched: {
        const row = this.#watched.add(key.subarray(1));
        this.#watchedTimes = grown(this.#watchedTimes, row);
        this.#watchedTimes[row] = fromBe64(value);
        break;
      }
    }
    return true;
  }
}
