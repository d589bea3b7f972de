// Output scripts of a descriptor wallet, in one table. Each descriptor has scripts up to a number of indices (-keypool)
// after the last used one. Each index is expanded once; later loads read its scripts from disk. Core:
// DescriptorScriptPubKeyMan, one per descriptor.

import type { ExtendedKey } from '../../address/bip32/extended-key.js';
import type { DescriptorCache } from '../../address/descriptor/cache.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { OutputType } from '../../address/descriptor/derive-options.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { runSteps } from '../../lib/time-slice.js';
import { FlatProvider, idsOfXOnly, type SigningProvider } from '../../signing/index.js';
import type { BatchOp } from '../../storage/store.js';
import type { Seal, Vault } from '../crypt/vault.js';
import type { TableImage } from '../image/table-image.js';
import { keyNumber, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packRow, type RowValue, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { ByteTable, grown } from '../tables/byte-table.js';
import type { WalletRecord } from '../wallet-record.js';
import { DescriptorTable, type TrackedDescriptor } from './descriptor-table.js';
import { keyOfDestination } from './destination.js';
import type { TouchedScripts } from './key-source.js';
import { type AddressResult, type AddressType, afterSomeKeys, type KeySource, type ScriptCursor, type TopUp } from './key-source.js';
import { OWNERSHIP, type Ownership } from './ownership.js';
import type { ScriptMetadata } from './script-metadata.js';

export interface DescriptorDeps {
  readonly record: WalletRecord;
  readonly vault: Vault;
  readonly context: DescriptorContext;
  readonly keypoolSize: number;
}

/** Number of indices that are derived between two points where the work can pause. */
const STEP_SCRIPTS = 8;
const POOL_EMPTY = 'Error: Keypool ran out, please call keypoolrefill first';

/** Descriptor to add. The secrets are copied. */
export interface NewDescriptor {
  readonly descriptor: Descriptor;
  readonly secrets: Iterable<{ readonly publicKey: Uint8Array; readonly secret: Uint8Array }>;
  readonly time: number;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  readonly nextIndex: number;
  /** Scripts that the caller has derived before. */
  readonly precomputed?: PrecomputedScripts;
  /**
   * Called after each index; true: stop deriving here (KeySource.topUp). For descriptors that give out addresses,
   * fillPool derives the other scripts later.
   */
  readonly shouldPause?: () => boolean;
}

/**
 * Scripts derived before a descriptor is added. Deriving takes long and needs no access to the wallet; adding is fast.
 */
export interface PrecomputedScripts {
  /** Index of the first entry. */
  readonly first: number;
  /** Scripts by index minus `first`. An entry becomes null when its scripts were added. */
  readonly scripts: (Uint8Array[] | null)[];
  /** Descriptor cache, filled while these scripts were derived. */
  readonly cache: DescriptorCache;
}

/** Options for deriving scripts. */
interface Expanding {
  readonly precomputed?: PrecomputedScripts;
  /** Called after each index; true: stop deriving here (KeySource.topUp). */
  readonly shouldPause?: () => boolean;
}
/**
 * The keys of a hardened range are in the row of its descriptor, and every pause writes that row again. To limit this,
 * deriving pauses only this many times while the number of keys doubles.
 */
const WRITTEN_AGAIN = 16;

const slotOf = (type: OutputType, internal: boolean): string => `${type}/${internal ? 1 : 0}`;

export class DescriptorKeys implements KeySource {
  readonly #table: DescriptorTable;
  readonly #scripts = new ByteTable();
  #owners = new Int32Array(32);
  #indices = new Int32Array(32);
  /** Number of descriptors that derive each script. */
  #givers = new Int32Array(32);

  needsMoreKeys = false;
  readonly #deps: DescriptorDeps;

  constructor(deps: DescriptorDeps) {
    this.#deps = deps;
    this.#table = new DescriptorTable(deps.context, deps.vault);
  }

  /** Number of descriptors. */
  get count(): number {
    return this.#table.count;
  }
  /**
   * Yields all descriptors in the order in which they were added. Creates each object only when the iteration reaches
   * it.
   */
  *all(): Generator<TrackedDescriptor> {
    const { count } = this;
    for (let number = 0; number < count; number++) yield this.#table.at(number);
  }
  at(number: number): TrackedDescriptor {
    return this.#table.at(number);
  }
  find(id: Uint8Array): TrackedDescriptor | undefined {
    const number = this.#table.find(id);
    return number < 0 ? undefined : this.#table.at(number);
  }
  idOf(descriptor: Descriptor): Uint8Array {
    if (this.#identified?.descriptor !== descriptor) {
      this.#identified = { descriptor, id: this.#deps.context.hashes.sha256(Buffer.from(descriptor.toString(), 'latin1')) };
    }
    return this.#identified.id;
  }
  /** Last result of `idOf`, cached because an import needs the id of the same descriptor several times. */
  #identified: { readonly descriptor: Descriptor; readonly id: Uint8Array } | null = null;
  active(type: OutputType, internal: boolean): TrackedDescriptor | undefined {
    const id = this.#deps.record.active.get(slotOf(type, internal));
    return id && this.find(id);
  }
  /** Returns the descriptors that give out addresses, each once. */
  actives(internal?: boolean): TrackedDescriptor[] {
    const found = new Map<number, TrackedDescriptor>();
    for (const [slot, id] of this.#deps.record.active) {
      const tracked = internal === undefined || slot.endsWith(internal ? '/1' : '/0') ? this.find(id) : undefined;
      if (tracked) found.set(tracked.number, tracked);
    }
    return [...found.values()];
  }
  setActive(tracked: TrackedDescriptor, internal: boolean, batch: WalletBatch): void {
    const type = tracked.descriptor.outputType;
    if (type === null) return;
    this.deactivate(tracked, batch);
    this.#deps.record.active.set(slotOf(type, internal), tracked.id);
    this.#deps.record.write(batch);
  }
  /** Stops a descriptor from giving out addresses. */
  deactivate(tracked: TrackedDescriptor, batch: WalletBatch): void {
    const { record } = this.#deps;
    const { id } = tracked;
    let changed = false;
    for (const [slot, active] of record.active) if (equalBytes(active, id)) changed = record.active.delete(slot);
    if (changed) record.write(batch);
  }

  // -- look-ups

  isMine(script: Uint8Array): Ownership {
    return this.#scripts.has(script) ? OWNERSHIP.SPENDABLE : OWNERSHIP.NO;
  }
  *newScripts(cursor: ScriptCursor): Generator<Uint8Array> {
    while (cursor.scripts < this.#scripts.rows) {
      const row = cursor.scripts++;
      if (this.#scripts.isLive(row)) yield new Uint8Array(this.#scripts.key(row));
    }
  }
  hasNewScripts(cursor: ScriptCursor): boolean {
    return cursor.scripts < this.#scripts.rows;
  }
  scriptCursor(): ScriptCursor {
    return { keys: 0, programs: 0, scripts: this.#scripts.rows, watched: 0 };
  }
  touchedScripts(ops: readonly BatchOp[], before: ScriptCursor): TouchedScripts {
    // An import that shortens a range removes scripts.
    if (ops.some(({ type, key }) => type === 'del' && key[0] === WALLET_PREFIX.descriptorScripts)) return 'any';
    return this.hasNewScripts(before) ? this.newScripts(before) : null;
  }
  get scriptCount(): number {
    return this.#scripts.rows;
  }
  locate(script: Uint8Array): { tracked: TrackedDescriptor; index: number } | undefined {
    const row = this.#scripts.find(script);
    return row < 0 ? undefined : { tracked: this.#table.at(this.#owners[row]), index: this.#indices[row] };
  }
  provider(script: Uint8Array): DescriptorProvider | undefined {
    const place = this.locate(script);
    return place && new DescriptorProvider(place.tracked, place.index, this.#deps.context);
  }
  metadata(script: Uint8Array): ScriptMetadata | undefined {
    const place = this.locate(script);
    if (place === undefined) return undefined;
    const provider = new DescriptorProvider(place.tracked, place.index, this.#deps.context);
    const id = keyOfDestination(script, provider, this.#deps.context.hashes);
    const origin = id && provider.origin(id);
    return origin && { time: place.tracked.time, origin, seedId: undefined };
  }
  get birthSeconds(): number {
    return this.#deps.record.birthSeconds;
  }
  canGiveAddresses(internal: boolean): boolean {
    return this.actives(internal).some((tracked) => this.#canGive(tracked));
  }
  #canGive({ descriptor, hasSecrets, nextIndex, rangeEnd }: TrackedDescriptor): boolean {
    return descriptor.isSingleType && descriptor.isRange && (hasSecrets || nextIndex < rangeEnd);
  }

  // -- changes

  newAddress(type: AddressType, internal: boolean, batch: WalletBatch): AddressResult {
    const tracked = this.active(type, internal);
    if (tracked === undefined) return { error: `Error: No ${type} addresses available.` };
    this.#topUp(tracked, 0, batch, { shouldPause: afterSomeKeys() });
    if (!this.#canGive(tracked)) return { error: 'No addresses available' };
    const script = tracked.nextIndex < tracked.rangeEnd ? this.#expand(tracked, tracked.nextIndex)?.[0] : undefined;
    if (script === undefined) return { error: POOL_EMPTY };
    tracked.nextIndex++;
    this.write(tracked, batch);
    return { script };
  }
  topUp(size: number, batch: WalletBatch, shouldPause?: () => boolean, of?: ReadonlySet<number>): TopUp {
    let result: TopUp = 'full';
    for (const tracked of this.actives()) {
      if (of?.has(tracked.number) === false) continue;
      const one = this.#topUp(tracked, size, batch, { shouldPause });
      if (one === 'paused') return one;
      if (one === 'unable') result = one;
    }
    return result;
  }
  #topUp(tracked: TrackedDescriptor, size: number, batch: WalletBatch, expanding: Expanding = {}): TopUp {
    return runSteps(this.#topUpInSteps(tracked, size, batch, expanding));
  }
  /** Tops up a descriptor in steps of a few scripts. */
  *#topUpInSteps(
    tracked: TrackedDescriptor,
    size: number,
    batch: WalletBatch,
    { precomputed, shouldPause }: Expanding,
  ): Generator<void, TopUp> {
    const target = size > 0 ? size : Math.max(this.#deps.keypoolSize, 1);
    let end = Math.max(tracked.nextIndex + target, tracked.rangeEnd);
    let result: TopUp = 'full';
    if (!tracked.isRange) {
      end = 1;
      tracked.rangeStart = 0;
    }
    for (let index = tracked.expanded + 1; index < end; index++) {
      const made = precomputed?.scripts[index - precomputed.first];
      if (precomputed && made) precomputed.scripts[index - precomputed.first] = null;
      const scripts = made ?? this.#expand(tracked, index);
      if (scripts === null) return 'unable';
      this.#track(tracked, index, scripts);
      batch.put(walletKey(WALLET_PREFIX.descriptorScripts, tracked.id, index), packRow(scripts));
      if (index + 1 < end && shouldPause?.() && index + 1 >= tracked.rangeEnd + tracked.cache.derivedCount / WRITTEN_AGAIN) {
        end = index + 1;
        result = 'paused';
      }
      if (index % STEP_SCRIPTS === 0) yield;
    }
    if (end !== tracked.rangeEnd) {
      tracked.rangeEnd = end;
      this.write(tracked, batch);
    }
    return result;
  }
  #expand(tracked: TrackedDescriptor, index: number): Uint8Array[] | null {
    const { descriptor, cache } = tracked;
    return descriptor.scripts(index, this.#deps.vault.locked ? { cache } : { cache, secrets: tracked });
  }
  #track(tracked: TrackedDescriptor, index: number, scripts: readonly Uint8Array[]): void {
    const owner = tracked.number;
    for (const script of scripts) {
      const row = this.#scripts.add(script);
      this.#owners = grown(this.#owners, row);
      this.#indices = grown(this.#indices, row);
      this.#givers = grown(this.#givers, row);
      this.#owners[row] = owner;
      this.#indices[row] = index;
      this.#givers[row]++;
    }
    tracked.expanded = Math.max(tracked.expanded, index);
  }

  /**
   * Removes scripts from an index on, because a descriptor that is imported again may have a shorter range. Scripts
   * that another descriptor also derives stay.
   */
  *#removeScriptsFrom(tracked: TrackedDescriptor, end: number, batch: WalletBatch): Generator<void, void> {
    for (; tracked.expanded >= end; tracked.expanded--) {
      for (const script of this.#expand(tracked, tracked.expanded) ?? []) {
        const row = this.#scripts.find(script);
        if (row >= 0 && --this.#givers[row] === 0) this.#scripts.remove(script);
      }
      batch.del(walletKey(WALLET_PREFIX.descriptorScripts, tracked.id, tracked.expanded));
      if (tracked.expanded % STEP_SCRIPTS === 0) yield;
    }
  }

  markUsed(script: Uint8Array, batch: WalletBatch): Uint8Array[] {
    const place = this.locate(script);
    if (place === undefined) return [];
    const left: Uint8Array[] = [];
    const { tracked, index } = place;
    if (index >= tracked.nextIndex) {
      const receives = this.actives(false).some(({ number }) => number === tracked.number);
      for (let passed = tracked.nextIndex; receives && passed <= index; passed++) {
        const [gone] = this.#expand(tracked, passed) ?? [];
        if (gone) left.push(gone);
      }
      tracked.nextIndex = index + 1;
      this.write(tracked, batch);
    }
    const filled = this.#topUp(tracked, 0, batch, { shouldPause: afterSomeKeys() });
    this.needsMoreKeys ||= filled === 'paused';
    return left;
  }

  /** Returns the range of indices for which `addDescriptor` will derive scripts; `end` is exclusive. */
  missingIndices({ descriptor, rangeEnd, nextIndex }: Pick<NewDescriptor, 'descriptor' | 'rangeEnd' | 'nextIndex'>): {
    first: number;
    end: number;
  } {
    const first = (this.find(this.idOf(descriptor))?.expanded ?? -1) + 1;
    return { first, end: descriptor.isRange ? Math.max(nextIndex + Math.max(this.#deps.keypoolSize, 1), rangeEnd) : 1 };
  }
  /** Adds a descriptor, or replaces the one with the same text. @returns null if its scripts cannot be derived */
  addDescriptor(fresh: NewDescriptor, batch: WalletBatch): TrackedDescriptor | null {
    return runSteps(this.addDescriptorInSteps(fresh, batch));
  }
  /** Adds a descriptor in steps of a few scripts, for callers with exclusive access to the wallet. */
  *addDescriptorInSteps(fresh: NewDescriptor, batch: WalletBatch): Generator<void, TrackedDescriptor | null> {
    const { descriptor, precomputed, shouldPause } = fresh;
    const id = this.idOf(descriptor);
    const known = this.find(id);
    const tracked = known ?? this.#table.add(id, descriptor.toString(), descriptor, precomputed?.cache);
    if (known && precomputed) known.cache.mergeFrom(precomputed.cache);
    yield* this.#removeScriptsFrom(tracked, this.missingIndices(fresh).end, batch);
    tracked.time = fresh.time;
    tracked.rangeStart = fresh.rangeStart;
    tracked.rangeEnd = fresh.rangeEnd;
    tracked.nextIndex = fresh.nextIndex;
    for (const { publicKey, secret } of fresh.secrets) {
      const resting = this.#deps.vault.seal(publicKey, secret);
      tracked.setSecret(publicKey, resting);
      batch.put(walletKey(WALLET_PREFIX.descriptorKey, id, this.#deps.context.hashes.hash160(publicKey)), packRow([publicKey, resting]));
    }
    const expanded = yield* this.#topUpInSteps(tracked, 0, batch, { precomputed, shouldPause });
    // Print the normalised text now, which fills the cache. A locked wallet, which cannot read the secrets, can then
    // print the same text.
    if (tracked.hasSecrets && !this.#deps.vault.locked) descriptor.normalizedText({ cache: tracked.cache, secrets: tracked });
    if (this.#deps.record.recordBirth(fresh.time)) this.#deps.record.write(batch);
    this.write(tracked, batch);
    return expanded === 'unable' ? null : tracked;
  }

  /** Encrypts every private key, see KeyTable.sealAllSecrets. */
  sealAllSecrets(seal: Seal): () => void {
    return this.#table.secrets.sealAllSecrets(seal);
  }
  /** Returns whether any descriptor has the private key of a public key. */
  holdsSecretOf(publicKey: Uint8Array): boolean {
    return this.#table.secrets.holds(publicKey);
  }
  wipeSecrets(): void {
    this.#table.secrets.wipe();
  }

  write(tracked: TrackedDescriptor, batch: WalletBatch): void {
    const { cache } = tracked;
    batch.put(
      walletKey(WALLET_PREFIX.descriptor, tracked.id),
      packRow([
        tracked.text,
        tracked.time,
        tracked.rangeStart,
        tracked.rangeEnd,
        tracked.nextIndex,
        ...(cache.isEmpty
          ? [[], [], []]
          : [
              [...cache.parents].map(([place, key]): RowValue => [place, extendedRow(key)]),
              [...cache.derived].map(([place, keys]): RowValue => [place, [...keys].flat()]),
              [...cache.lastHardened].map(([place, key]): RowValue => [place, extendedRow(key)]),
            ]),
      ]),
    );
  }

  // -- loading

  /**
   * Saves the tables to an image, or restores them from one. After a restore, the rows of `cachedIds` have to be
   * loaded.
   */
  transferImage(at: TableImage): void {
    this.#table.transferImage(at);
    this.#scripts.transferImage(at);
    this.#owners = at.column(this.#owners, this.#scripts.rows);
    this.#indices = at.column(this.#indices, this.#scripts.rows);
    this.#givers = at.column(this.#givers, this.#scripts.rows);
  }
  /** Yields the ids of descriptors whose cache is not in an image. */
  cachedIds(): Generator<Uint8Array> {
    return this.#table.cachedIds();
  }
  /** Loads a row. @returns false if a stored descriptor does not parse */
  loadRow(key: Uint8Array, value: Uint8Array): boolean {
    const id = key.subarray(1, 33);
    if (key[0] === WALLET_PREFIX.descriptor) return this.#loadDescriptor(id, value);
    const tracked = this.find(id);
    if (tracked === undefined) return false;
    if (key[0] === WALLET_PREFIX.descriptorScripts) {
      this.#track(tracked, keyNumber(key, 33), unpackRow(value) as Uint8Array[]);
    } else {
      const [publicKey, resting] = unpackRow(value);
      if (publicKey instanceof Uint8Array && resting instanceof Uint8Array) tracked.setSecret(publicKey, resting);
    }
    return true;
  }
  #loadDescriptor(id: Uint8Array, value: Uint8Array): boolean {
    const [text, time, rangeStart, rangeEnd, nextIndex, parents, derived, lastHardened] = unpackRow(value);
    const tracked = this.#table.load(id, String(text));
    if (tracked === null) return false;
    tracked.time = Number(time);
    tracked.rangeStart = Number(rangeStart);
    tracked.rangeEnd = Number(rangeEnd);
    tracked.nextIndex = Number(nextIndex);
    for (const [place, key] of pairs(parents)) tracked.cache.parents.set(place, extendedOf(key));
    for (const [place, key] of pairs(lastHardened)) tracked.cache.lastHardened.set(place, extendedOf(key));
    for (const [place, keys] of pairs(derived)) {
      if (!Array.isArray(keys)) continue;
      for (let i = 0; i + 1 < keys.length; i += 2) tracked.cache.addDerived(place, Number(keys[i]), bytesOf(keys[i + 1]));
    }
    return true;
  }
}

function* pairs(row: RowValue): Generator<[number, RowValue]> {
  if (!Array.isArray(row)) return;
  for (const pair of row) if (Array.isArray(pair)) yield [Number(pair[0]), pair[1]];
}
const extendedRow = (key: ExtendedKey): RowValue => [key.publicKey, key.chainCode, key.depth, key.parentFingerprint, key.childNumber];
function extendedOf(row: RowValue): ExtendedKey {
  const [publicKey, chainCode, depth, parentFingerprint, childNumber] = row as RowValue[];
  return {
    publicKey: bytesOf(publicKey),
    chainCode: bytesOf(chainCode),
    depth: Number(depth),
    parentFingerprint: bytesOf(parentFingerprint),
    childNumber: Number(childNumber),
  };
}

/** Provider for one index of a descriptor, which is expanded at the first query. */
export class DescriptorProvider implements SigningProvider {
  #known: FlatProvider | undefined;
  readonly #context: DescriptorContext;

  constructor(
    readonly tracked: TrackedDescriptor,
    readonly index: number,
    context: DescriptorContext,
  ) {
    this.#context = context;
  }

  get #flat(): FlatProvider {
    this.#known ??= this.#expand();
    return this.#known;
  }
  #expand(): FlatProvider {
    const { tracked, index } = this;
    const flat = new FlatProvider();
    const expansion = tracked.descriptor.expand(index, { cache: tracked.cache, secrets: tracked });
    if (expansion === null) return flat;
    flat.addExpansion(expansion, this.#context.hashes);
    for (const { publicKey, origin } of expansion.keys) for (const id of this.#idsOf(publicKey)) flat.addOrigin(id, origin);
    return flat;
  }
  /** Returns hashKey of every key or script id for which this provider has an answer. */
  ids(): Set<string> {
    const { scripts, publicKeys, origins, taproots } = this.#flat;
    return new Set([...scripts.keys(), ...publicKeys.keys(), ...origins.keys(), ...taproots.keys()]);
  }
  script(id: Uint8Array): Uint8Array | undefined {
    return this.#flat.script(id);
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#flat.publicKey(id);
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#flat.origins.has(hashKey(id)) && this.tracked.hasSecrets;
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    if (!this.hasSecret(id)) return undefined;
    let found: Uint8Array | undefined;
    for (const pair of this.tracked.descriptor.secretsAt(this.index, this.tracked)) {
      if (found === undefined && this.#idsOf(pair.publicKey).some((one) => equalBytes(one, id))) found = pair.secret;
      else pair.secret.fill(0);
    }
    return found;
  }
  /**
   * Returns the ids of a key. The text of an x-only key does not contain its parity, so either parity may have the
   * secret.
   */
  #idsOf(publicKey: Uint8Array): Uint8Array[] {
    const { hashes } = this.#context;
    const isXOnly = this.tracked.descriptor.outputType === 'bech32m';
    return isXOnly ? idsOfXOnly(publicKey.subarray(1), hashes) : [hashes.hash160(publicKey)];
  }
  origin(id: Uint8Array) {
    return this.#flat.origin(id);
  }
  taproot(outputKey: Uint8Array) {
    return this.#flat.taproot(outputKey);
  }
}
