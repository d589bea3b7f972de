// musig(KEY,...): aggregates several keys into one (BIP-0390), by BIP-0327 after sorting. Further derivation treats it
// as an extended key with the fixed chain code of BIP-0328.
import { compareBytes, equalBytes, fromHex } from '../../consensus/bytes/hex.js';
import { childPublicKey, derivePath, type ExtendedKey, fingerprintOf } from '../bip32/extended-key.js';
import { formatPath } from '../bip32/key-path.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions } from './derive-options.js';
import type { KeyOrigin, OriginKey } from './expansion.js';
import type { KeyExpression } from './key-expression.js';
import type { KeyPair, SecretSource } from './secrets.js';

const CHAIN_CODE = fromHex('868087ca02a6f974c4598924c36b57762d32cb45717167e300622c7167e38965');
const NO_PARENT = new Uint8Array(4);

/** Parts of a musig() expression. */
export interface MusigFields {
  readonly participants: readonly KeyExpression[];
  /** Unhardened steps after the aggregate key. */
  readonly path: readonly number[];
  /** True if a star (a range) follows the steps. */
  readonly star: boolean;
}

/** Key expression musig(): the aggregate of several keys (BIP-0327), possibly with a path behind it. */
export class MusigKey implements KeyExpression {
  readonly isExtended = false;
  readonly size = 33;
  readonly root = null;
  readonly #fields: MusigFields;
  readonly #context: DescriptorContext;
  /** Aggregate key, if it is the same at every index. */
  #fixed: Uint8Array | null = null;

  constructor(fields: MusigFields, context: DescriptorContext) {
    this.#fields = fields;
    this.#context = context;
  }

  get isRange(): boolean {
    return this.#fields.star || this.#fields.participants.some((key) => key.isRange);
  }

  publicKey(index: number, options: DeriveOptions): Uint8Array | null {
    const { path, star } = this.#fields;
    const aggregate = this.#aggregate(index, options);
    if (aggregate === null || (path.length === 0 && !star)) return aggregate;
    const parent = derivePath(extended(aggregate), path, this.#context);
    return parent && (star ? childPublicKey(parent, index, this.#context.keys) : parent.publicKey);
  }

  origin(index: number): KeyOrigin {
    const aggregate = this.#aggregate(index, {});
    const { path, star } = this.#fields;
    return {
      fingerprint: aggregate === null ? NO_PARENT : fingerprintOf(aggregate, this.#context.hashes),
      path: star ? [...path, index] : path,
    };
  }

  /** Appends the aggregate key, then its participants. */
  addOrigins(index: number, publicKey: Uint8Array, options: DeriveOptions, out: OriginKey[]): void {
    out.push({ publicKey, origin: this.origin(index) });
    for (const participant of this.#fields.participants) {
      const key = participant.publicKey(index, options);
      if (key !== null) participant.addOrigins(index, key, options, out);
    }
  }

  publicText(): string {
    return this.#text(this.#fields.participants.map((key) => key.publicText()));
  }

  /**
   * Returns the text with the private keys that are known, and public keys for the others: one signer seldom has all
   * private keys.
   */
  privateText(secrets: SecretSource): string | null {
    const texts = this.#fields.participants.map((key) => key.privateText(secrets));
    if (texts.every((text) => text === null)) return null;
    return this.#text(texts.map((text, i) => text ?? this.#fields.participants[i].publicText()));
  }

  normalizedText(options: DeriveOptions): string | null {
    const texts = this.#fields.participants.map((key) => key.normalizedText(options));
    return texts.includes(null) ? null : this.#text(texts as string[]);
  }

  addSecrets(index: number, secrets: SecretSource, out: KeyPair[]): void {
    for (const participant of this.#fields.participants) participant.addSecrets(index, secrets, out);
  }

  #text(participants: readonly string[]): string {
    const { path, star } = this.#fields;
    return `musig(${participants.join(',')})${formatPath(path)}${star ? '/*' : ''}`;
  }

  #aggregate(index: number, options: DeriveOptions): Uint8Array | null {
    if (this.#fixed !== null) return this.#fixed;
    const { participants } = this.#fields;
    const keys: Uint8Array[] = [];
    for (const participant of participants) {
      const key = participant.publicKey(index, options);
      if (key === null) return null;
      keys.push(key);
    }
    const aggregate = aggregateKeys(keys.sort(compareBytes), this.#context);
    if (!participants.some((key) => key.isRange)) this.#fixed = aggregate;
    return aggregate;
  }
}

/** Returns an aggregate key as the root of a key tree (BIP-0328). */
function extended(publicKey: Uint8Array): ExtendedKey {
  return { publicKey, chainCode: CHAIN_CODE, depth: 0, parentFingerprint: NO_PARENT, childNumber: 0 };
}

/**
 * KeyAgg of BIP-0327: the sum of keys times their coefficients. The coefficient of the second distinct key is one.
 * @param keys 33 bytes each, sorted
 */
export function aggregateKeys(keys: readonly Uint8Array[], { hashes, keys: math }: DescriptorContext): Uint8Array | null {
  const list = hashes.taggedHash('KeyAgg list', ...keys);
  const second = keys.find((key) => !equalBytes(key, keys[0]));
  const parts: Uint8Array[] = [];
  for (const key of keys) {
    // The hash is not reduced modulo the group order. A hash that needs it occurs once in 2^128.
    const isSecond = second !== undefined && equalBytes(key, second);
    const part = isSecond ? key : math.multiplyPublic(key, hashes.taggedHash('KeyAgg coefficient', list, key));
    if (part === null) return null;
    parts.push(part);
  }
  return math.sumPublic(parts);
}
