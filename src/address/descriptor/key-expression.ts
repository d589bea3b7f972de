// Key expressions of descriptors: a single public key, or an extended key with a path and perhaps a range. Both kinds
// may have an origin. The third kind, musig(), is in musig-key.ts. BIP-0380; Core: script/descriptor.cpp,
// PubkeyProvider.
import { toHex } from '../../consensus/bytes/hex.js';
import { encodeExtendedKey, encodeExtendedSecret } from '../bip32/extended-codec.js';
import {
  childPublicKey,
  derivePath,
  deriveSecretPath,
  type ExtendedKey,
  type ExtendedSecret,
  fingerprintOf,
  HARDENED,
} from '../bip32/extended-key.js';
import { formatPath, type HardenedMark } from '../bip32/key-path.js';
import { encodeWif } from '../wif.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions } from './derive-options.js';
import type { KeyOrigin, OriginKey } from './expansion.js';
import type { KeyPair, SecretSource } from './secrets.js';

/** Part of a descriptor that gives one public key per index: a single key, a path below an extended key, or musig(). */
export interface KeyExpression {
  /** True if the key depends on the index. */
  readonly isRange: boolean;
  /** True if the expression is an extended key. */
  readonly isExtended: boolean;
  /** Size of the public key, 33 or 65 bytes. */
  readonly size: number;
  /** The extended key of the expression; null for single keys and for musig(). */
  readonly root: ExtendedKey | null;
  /** Returns the public key at one index; null if a hardened step lacks its private key. */
  publicKey(index: number, options: DeriveOptions): Uint8Array | null;
  /** Appends the key with its origin to `out`. */
  addOrigins(index: number, publicKey: Uint8Array, options: DeriveOptions, out: OriginKey[]): void;
  origin(index: number): KeyOrigin;
  publicText(): string;
  /** Returns the text with the private key; null if the private key is unknown. */
  privateText(secrets: SecretSource): string | null;
  /** Returns the normalised text; null if a private key is needed and unknown. */
  normalizedText(options: DeriveOptions): string | null;
  /** Appends key pairs whose private keys can be derived to `out`. */
  addSecrets(index: number, secrets: SecretSource, out: KeyPair[]): void;
}

/** Range at the end of a path. */
export type RangeKind = 'none' | 'plain' | 'hardened';

const NO_STEPS: readonly number[] = [];

/** Key expression with a single key, which is the same for every index. */
export class SingleKey implements KeyExpression {
  readonly isRange = false;
  readonly isExtended = false;
  readonly root = null;
  readonly #key: Uint8Array;
  readonly #xOnly: boolean;
  readonly #context: DescriptorContext;

  /** @param key 33 or 65 bytes @param xOnly whether to print it without its first byte, the parity of y */
  constructor(key: Uint8Array, xOnly: boolean, context: DescriptorContext) {
    this.#key = key;
    this.#xOnly = xOnly;
    this.#context = context;
  }

  get size(): number {
    return this.#key.length;
  }

  publicKey(): Uint8Array {
    return this.#key;
  }

  origin(): KeyOrigin {
    return { fingerprint: fingerprintOf(this.#key, this.#context.hashes), path: NO_STEPS };
  }

  addOrigins(_index: number, publicKey: Uint8Array, _options: DeriveOptions, out: OriginKey[]): void {
    out.push({ publicKey, origin: this.origin() });
  }

  publicText(): string {
    return toHex(this.#xOnly ? this.#key.subarray(1) : this.#key);
  }

  privateText(secrets: SecretSource): string | null {
    const pair = this.#pair(secrets);
    if (pair === null) return null;
    const { params, hashes } = this.#context;
    const text = encodeWif({ key: pair.secret, compressed: this.#key.length === 33 }, params, hashes);
    pair.secret.fill(0);
    return text;
  }

  normalizedText(): string {
    return this.publicText();
  }

  addSecrets(_index: number, secrets: SecretSource, out: KeyPair[]): void {
    const pair = this.#pair(secrets);
    if (pair !== null) out.push(pair);
  }

  /** Returns the key pair. For an x-only key, the private key may be stored under either parity. */
  #pair(secrets: SecretSource): KeyPair | null {
    const { hashes } = this.#context;
    const secret = secrets.secret(hashes.hash160(this.#key));
    if (secret !== undefined) return { publicKey: this.#key, secret };
    if (!this.#xOnly) return null;
    const other = new Uint8Array(this.#key);
    other[0] ^= 1;
    const otherSecret = secrets.secret(hashes.hash160(other));
    return otherSecret === undefined ? null : { publicKey: other, secret: otherSecret };
  }
}

/** Parts of an extended key expression. */
export interface PathedKeyFields {
  readonly root: ExtendedKey;
  readonly path: readonly number[];
  readonly range: RangeKind;
  /** Mark of hardened steps in the text. */
  readonly mark: HardenedMark;
  /** Position of the key expression in the descriptor, under which DescriptorCache stores its keys. */
  readonly place: number;
}

/** Extended key with a path and perhaps a range. */
export class PathedKey implements KeyExpression {
  readonly isExtended = true;
  readonly size = 33;
  readonly #fields: PathedKeyFields;
  readonly #context: DescriptorContext;
  /** Key at the end of the path, from which the keys of all indices are derived; null until it was derived once. */
  #parent: ExtendedKey | null = null;
  #fingerprint: Uint8Array | null = null;

  constructor(fields: PathedKeyFields, context: DescriptorContext) {
    this.#fields = fields;
    this.#context = context;
  }

  get isRange(): boolean {
    return this.#fields.range !== 'none';
  }

  get root(): ExtendedKey {
    return this.#fields.root;
  }

  publicKey(index: number, options: DeriveOptions): Uint8Array | null {
    if (this.#fields.range === 'hardened') return this.#hardenedKey(index, options);
    const parent = this.#parentKey(options);
    if (parent === null || this.#fields.range === 'none') return parent?.publicKey ?? null;
    return childPublicKey(parent, index, this.#context.keys);
  }

  origin(index: number): KeyOrigin {
    this.#fingerprint ??= fingerprintOf(this.#fields.root.publicKey, this.#context.hashes);
    return { fingerprint: this.#fingerprint, path: this.#pathTo(index) };
  }

  addOrigins(index: number, publicKey: Uint8Array, _options: DeriveOptions, out: OriginKey[]): void {
    out.push({ publicKey, origin: this.origin(index) });
  }

  publicText(mark = this.#fields.mark): string {
    const { params, hashes } = this.#context;
    return encodeExtendedKey(this.#fields.root, params, { hashes }) + this.#pathText(mark);
  }

  privateText(secrets: SecretSource): string | null {
    const root = this.#rootSecret(secrets);
    if (root === null) return null;
    const { params, hashes } = this.#context;
    const text = encodeExtendedSecret(root, params, { hashes }) + this.#pathText();
    root.secret.fill(0);
    return text;
  }

  normalizedText(options: DeriveOptions): string | null {
    const { path, range } = this.#fields;
    const { params, hashes, language } = this.#context;
    const mark = language === '0.21' ? "'" : 'h';
    const last = path.findLastIndex((step) => step >= HARDENED);
    if (last < 0 || range === 'hardened') return this.publicText(mark);
    const key = this.#lastHardenedKey(last, options);
    if (key === null) return null;
    const origin = toHex(this.origin(0).fingerprint) + formatPath(path.slice(0, last + 1), mark);
    const rest = formatPath(path.slice(last + 1), mark) + (range === 'plain' ? '/*' : '');
    return `[${origin}]${encodeExtendedKey(key, params, { hashes })}${rest}`;
  }

  addSecrets(index: number, secrets: SecretSource, out: KeyPair[]): void {
    const derived = this.#derive(this.#pathTo(index), secrets);
    if (derived !== null) out.push({ publicKey: derived.key.publicKey, secret: derived.secret });
  }

  #pathTo(index: number): readonly number[] {
    const { path, range } = this.#fields;
    if (range === 'none') return path;
    return [...path, range === 'hardened' ? index + HARDENED : index];
  }

  #pathText(mark = this.#fields.mark): string {
    const { path, range } = this.#fields;
    const end = range === 'none' ? '' : range === 'plain' ? '/*' : `/*${mark}`;
    return formatPath(path, mark) + end;
  }

  #parentKey({ secrets, cache }: DeriveOptions): ExtendedKey | null {
    const { root, path, place } = this.#fields;
    if (this.#parent === null) {
      this.#parent = cache?.parents.get(place) ?? derivePath(root, path, this.#context);
      if (this.#parent === null && secrets !== undefined) {
        const derived = this.#derive(path, secrets);
        derived?.secret.fill(0);
        this.#parent = derived?.key ?? null;
      }
    }
    if (this.#parent !== null) cache?.parents.set(place, this.#parent);
    return this.#parent;
  }

  #hardenedKey(index: number, { secrets, cache }: DeriveOptions): Uint8Array | null {
    const { place } = this.#fields;
    const known = cache?.derivedKey(place, index);
    if (known !== undefined) return known;
    const derived = secrets === undefined ? null : this.#derive(this.#pathTo(index), secrets);
    if (derived === null) return null;
    derived.secret.fill(0);
    cache?.addDerived(place, index, derived.key.publicKey);
    return derived.key.publicKey;
  }

  #lastHardenedKey(last: number, { secrets, cache }: DeriveOptions): ExtendedKey | null {
    const { place, path } = this.#fields;
    const known = cache?.lastHardened.get(place);
    if (known !== undefined) return known;
    const derived = secrets === undefined ? null : this.#derive(path.slice(0, last + 1), secrets);
    if (derived === null) return null;
    derived.secret.fill(0);
    cache?.lastHardened.set(place, derived.key);
    return derived.key;
  }

  /** Returns the extended private key, in a new array. */
  #rootSecret(secrets: SecretSource): ExtendedSecret | null {
    const { root } = this.#fields;
    const secret = secrets.secret(this.#context.hashes.hash160(root.publicKey));
    return secret === undefined ? null : { key: root, secret };
  }

  /** Derives a path with private keys. The result is a new array. */
  #derive(path: readonly number[], secrets: SecretSource): ExtendedSecret | null {
    const root = this.#rootSecret(secrets);
    if (root === null) return null;
    const derived = deriveSecretPath(root, path, this.#context);
    if (derived !== root) root.secret.fill(0);
    return derived;
  }
}

/** Key with an origin. */
export class OriginatedKey implements KeyExpression {
  readonly #origin: KeyOrigin;
  readonly #inner: KeyExpression;
  readonly #mark: HardenedMark;

  /** @param mark mark of hardened steps as it was read; inferred keys use that of Core 0.21 */
  constructor(origin: KeyOrigin, inner: KeyExpression, mark: HardenedMark = "'") {
    this.#origin = origin;
    this.#inner = inner;
    this.#mark = mark;
  }

  get isRange(): boolean {
    return this.#inner.isRange;
  }

  get isExtended(): boolean {
    return this.#inner.isExtended;
  }

  get size(): number {
    return this.#inner.size;
  }

  get root(): ExtendedKey | null {
    return this.#inner.root;
  }

  publicKey(index: number, options: DeriveOptions): Uint8Array | null {
    return this.#inner.publicKey(index, options);
  }

  origin(index: number): KeyOrigin {
    return { fingerprint: this.#origin.fingerprint, path: [...this.#origin.path, ...this.#inner.origin(index).path] };
  }

  addOrigins(index: number, publicKey: Uint8Array, _options: DeriveOptions, out: OriginKey[]): void {
    out.push({ publicKey, origin: this.origin(index) });
  }

  publicText(): string {
    return `[${this.#originText()}]${this.#inner.publicText()}`;
  }

  privateText(secrets: SecretSource): string | null {
    const inner = this.#inner.privateText(secrets);
    return inner === null ? null : `[${this.#originText()}]${inner}`;
  }

  /**
   * Returns the normalised text. Normalisation may give the inner key an origin. The two origins are then joined into
   * one.
   */
  normalizedText(options: DeriveOptions): string | null {
    const inner = this.#inner.normalizedText(options);
    if (inner === null) return null;
    const origin = this.#originText('h');
    return inner.startsWith('[') ? `[${origin}${inner.slice(9)}` : `[${origin}]${inner}`;
  }

  addSecrets(index: number, secrets: SecretSource, out: KeyPair[]): void {
    this.#inner.addSecrets(index, secrets, out);
  }

  #originText(mark: HardenedMark = this.#mark): string {
    return toHex(this.#origin.fingerprint) + formatPath(this.#origin.path, mark);
  }
}
