// Table of a wallet's descriptors as columns, numbered in the order in which they were added. A wallet may have a
// million. A lookup creates a TrackedDescriptor for the caller, and the table does not retain it. Exceptions are
// descriptors with a cache (ranges and extended keys), of which a wallet has few.
import { DescriptorCache } from '../../address/descriptor/cache.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { SecretSource } from '../../address/descriptor/secrets.js';
import { hasCacheableKeys, isPlainText, trustingContext } from '../../address/descriptor/stored-text.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Vault } from '../crypt/vault.js';
import { ImageError, type TableImage } from '../image/table-image.js';
import { ByteArena } from '../tables/byte-arena.js';
import { ByteTable, grown } from '../tables/byte-table.js';
import { DescriptorSecrets } from './descriptor-secrets.js';

/** View of a row of the table: a descriptor and the range of its scripts. */
export class TrackedDescriptor implements SecretSource {
  #descriptor: Descriptor | null;
  readonly #table: DescriptorTable;

  /** @param number row of the descriptor @param descriptor null: parse the text when the descriptor is needed */
  constructor(
    table: DescriptorTable,
    readonly number: number,
    descriptor: Descriptor | null,
    readonly cache: DescriptorCache,
  ) {
    this.#table = table;
    this.#descriptor = descriptor;
  }

  get descriptor(): Descriptor {
    this.#descriptor ??= this.#table.read(this.number);
    return this.#descriptor;
  }
  /** Id: SHA-256 of the text. */
  get id(): Uint8Array {
    return this.#table.id(this.number);
  }
  /** Public text with checksum. */
  get text(): string {
    return this.#table.text(this.number);
  }
  get isRange(): boolean {
    return this.#table.isRange(this.number);
  }
  /** Time from which the descriptor may have been used, seconds. */
  get time(): number {
    return this.#table.times[this.number];
  }
  set time(seconds: number) {
    this.#table.times[this.number] = seconds;
  }
  /** First index of the range that replies show. */
  get rangeStart(): number {
    return this.#table.rangeStarts[this.number];
  }
  set rangeStart(index: number) {
    this.#table.rangeStarts[this.number] = index;
  }
  /** Index after the last one of the range. */
  get rangeEnd(): number {
    return this.#table.rangeEnds[this.number];
  }
  set rangeEnd(index: number) {
    this.#table.rangeEnds[this.number] = index;
  }
  /** Next index to give out. */
  get nextIndex(): number {
    return this.#table.nextIndices[this.number];
  }
  set nextIndex(index: number) {
    this.#table.nextIndices[this.number] = index;
  }
  /** Highest index whose scripts are in the script table; -1 for none. */
  get expanded(): number {
    return this.#table.expandedEnds[this.number] - 1;
  }
  set expanded(index: number) {
    this.#table.expandedEnds[this.number] = index + 1;
  }

  get hasSecrets(): boolean {
    return this.#table.secrets.has(this.number);
  }
  /** Returns whether the private key of a public key is stored, even if the wallet is locked. */
  holds(publicKey: Uint8Array): boolean {
    return this.#table.holds(this.number, publicKey);
  }
  /** Stores a private key. @param resting its stored form, which is copied */
  setSecret(publicKey: Uint8Array, resting: Uint8Array): void {
    this.#table.secrets.setSecret(this.number, publicKey, resting);
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    return this.#table.secret(this.number, id);
  }
}

const RANGE = 1;
const CACHED = 2;

export class DescriptorTable {
  readonly #ids = new ByteTable();
  /** Texts of the descriptors as adit printed them, by descriptor number. */
  readonly #texts = new ByteArena();
  #flags = new Uint8Array(32);
  // Columns by descriptor number. TrackedDescriptor documents their values.
  times = new Float64Array(32);
  rangeStarts = new Uint32Array(32);
  rangeEnds = new Uint32Array(32);
  nextIndices = new Uint32Array(32);
  expandedEnds = new Uint32Array(32);
  readonly secrets = new DescriptorSecrets();
  readonly #cached = new Map<number, TrackedDescriptor>();
  /**
   * Most recently returned descriptor among those without a cache. It is retained because a call looks up the same one
   * several times.
   */
  #latest: TrackedDescriptor | null = null;
  readonly #trusting: DescriptorContext;
  readonly #context: DescriptorContext;
  readonly #vault: Vault;

  constructor(context: DescriptorContext, vault: Vault) {
    this.#context = context;
    this.#vault = vault;
    this.#trusting = trustingContext(context);
  }

  get count(): number {
    return this.#ids.rows;
  }
  /** Returns the number of a descriptor; -1 if there is none. */
  find(id: Uint8Array): number {
    return this.#ids.find(id);
  }
  at(number: number): TrackedDescriptor {
    const cached = this.#cached.get(number);
    if (cached) return cached;
    if (this.#latest?.number !== number) this.#latest = new TrackedDescriptor(this, number, null, new DescriptorCache());
    return this.#latest;
  }
  id(number: number): Uint8Array {
    return new Uint8Array(this.#ids.key(number));
  }
  text(number: number): string {
    const { buffer, byteOffset, byteLength } = this.#texts.get(number);
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  }
  isRange(number: number): boolean {
    return (this.#flags[number] & RANGE) !== 0;
  }
  read(number: number): Descriptor {
    const parsed = parseDescriptor(this.text(number), this.#trusting, { requireChecksum: true });
    if ('error' in parsed) throw new Error(`an accepted descriptor does not parse: ${parsed.error}`);
    return parsed.descriptors[0];
  }
  holds(number: number, publicKey: Uint8Array): boolean {
    for (const secret of this.secrets.of(number)) if (equalBytes(secret.publicKey, publicKey)) return true;
    return false;
  }
  secret(number: number, id: Uint8Array): Uint8Array | undefined {
    for (const { publicKey, resting } of this.secrets.of(number)) {
      if (equalBytes(this.#context.hashes.hash160(publicKey), id)) return this.#vault.open(publicKey, resting);
    }
    return undefined;
  }

  /**
   * Adds a descriptor that is not in the table.
   * @param descriptor parsed from the text; null for a plain text (stored-text.ts)
   */
  add(id: Uint8Array, text: string, descriptor: Descriptor | null, cache = new DescriptorCache()): TrackedDescriptor {
    const number = this.#ids.add(id);
    this.#texts.add(Buffer.from(text, 'latin1'));
    this.#flags = grown(this.#flags, number);
    this.times = grown(this.times, number);
    this.rangeStarts = grown(this.rangeStarts, number);
    this.rangeEnds = grown(this.rangeEnds, number);
    this.nextIndices = grown(this.nextIndices, number);
    this.expandedEnds = grown(this.expandedEnds, number);
    this.secrets.ensureCapacity(number);
    const tracked = new TrackedDescriptor(this, number, descriptor, cache);
    this.#flags[number] = (descriptor?.isRange ? RANGE : 0) | (hasCacheableKeys(text) ? CACHED : 0);
    if (hasCacheableKeys(text)) this.#cached.set(number, tracked);
    return tracked;
  }
  /** Loads a descriptor from its stored text, with an empty cache. Returns null if the text is not a descriptor. */
  load(id: Uint8Array, text: string): TrackedDescriptor | null {
    const known = this.#ids.find(id);
    if (known >= 0 && !this.#isCached(known)) return this.at(known);
    if (this.#isSound(id, text)) return this.add(id, text, null);
    const parsed = parseDescriptor(text, this.#context, { requireChecksum: true });
    if ('error' in parsed) return null;
    const [descriptor] = parsed.descriptors;
    if (known < 0) return this.add(id, text, descriptor);
    const tracked = new TrackedDescriptor(this, known, descriptor, new DescriptorCache());
    this.#cached.set(known, tracked);
    return tracked;
  }
  /**
   * Returns whether a stored text need not be parsed to be trusted: the text is plain (stored-text.ts), and its hash is
   * the id, so it is unchanged.
   */
  #isSound(id: Uint8Array, text: string): boolean {
    return isPlainText(text, this.#context.language) && equalBytes(this.#context.hashes.sha256(Buffer.from(text, 'latin1')), id);
  }
  #isCached(number: number): boolean {
    return (this.#flags[number] & CACHED) !== 0;
  }
  /** Yields the ids of descriptors whose rows contain more than this table. */
  *cachedIds(): Generator<Uint8Array> {
    for (let number = 0; number < this.count; number++) if (this.#isCached(number)) yield this.id(number);
  }

  /** Saves the table to an image, or restores it from one. After a restore, call `load` for `cachedIds`. */
  transferImage(at: TableImage): void {
    // Check the language too: the meaning of a text, and whether it is valid, depend on the language.
    const { language } = this.#context;
    if (Buffer.from(at.bytes(() => Buffer.from(language))).toString() !== language) throw new ImageError('descriptors of another language');
    this.#ids.transferImage(at);
    this.#texts.transferImage(at);
    const { count } = this;
    this.#flags = at.column(this.#flags, count);
    this.times = at.column(this.times, count);
    this.rangeStarts = at.column(this.rangeStarts, count);
    this.rangeEnds = at.column(this.rangeEnds, count);
    this.nextIndices = at.column(this.nextIndices, count);
    this.expandedEnds = at.column(this.expandedEnds, count);
    this.secrets.transferImage(at, count);
  }
}
