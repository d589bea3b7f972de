// Parsed output descriptor (BIP-0380 and following): prints its text in every form, and derives its scripts and keys.

import type { ExtendedKey } from '../bip32/extended-key.js';
import { addChecksum } from './checksum.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { Expansion } from './expansion.js';
import { ExpansionBuilder, type Satisfaction, type ScriptNode, type SizeTerms } from './script-node.js';
import type { KeyPair, SecretSource } from './secrets.js';

const NOTHING: DeriveOptions = {};

/** Output descriptor without multipath steps. */
export class Descriptor {
  readonly #root: ScriptNode;
  readonly #context: DescriptorContext;
  #text: string | null = null;

  constructor(root: ScriptNode, context: DescriptorContext) {
    this.#root = root;
    this.#context = context;
  }

  /** True if the descriptor has a range: one script per index instead of a single one. */
  get isRange(): boolean {
    return this.#root.keys().some((key) => key.isRange);
  }

  /** True if the owner of the private keys could sign for the scripts. False for addr() and raw(). */
  get isSolvable(): boolean {
    return this.#root.isSolvable;
  }

  /** True if all scripts have the same type. False for combo(). */
  get isSingleType(): boolean {
    return this.#root.isSingleType;
  }

  /** True if the descriptor has output scripts. False for unused(), which only stores a key. */
  get hasScripts(): boolean {
    return this.#root.hasScripts ?? true;
  }

  /** Address type of the scripts; null if they have no address type or several. */
  get outputType(): OutputType | null {
    return this.#root.outputType;
  }

  /** Number of key expressions. Their positions are 0 to this number - 1. */
  get keyCount(): number {
    return this.#root.keys().length;
  }

  /** Extended keys from which the keys are derived, from left to right; without those in musig(). */
  get roots(): ExtendedKey[] {
    return this.#root.keys().flatMap(({ root }) => (root === null ? [] : [root]));
  }

  /** Returns the canonical public text with its checksum. */
  toString(): string {
    this.#text ??= addChecksum(this.#root.text((key) => key.publicText()) as string);
    return this.#text;
  }

  /**
   * Returns the text with every private key, and its checksum.
   * @param partly use public keys where a private key is unknown
   * @returns null if a private key is missing
   */
  privateText(secrets: SecretSource, partly = false): string | null {
    const text = this.#root.text((key) => key.privateText(secrets) ?? (partly ? key.publicText() : null));
    return text === null ? null : addChecksum(text);
  }

  /**
   * Returns Core's normalised form with its checksum: extended keys moved behind their last hardened step. Null if a
   * private key is missing.
   */
  normalizedText(options: DeriveOptions): string | null {
    const text = this.#root.text((key) => key.normalizedText(options));
    return text === null ? null : addChecksum(text);
  }

  /**
   * Returns only the output scripts, which is fast; null if a hardened step lacks its private key.
   * @param index ignored without a range
   */
  scripts(index: number, options: DeriveOptions = NOTHING): Uint8Array[] | null {
    return this.#root.makeScripts(index, options, this.#context, null);
  }

  /** Returns the scripts and everything a signer needs; null if a hardened step lacks its private key. */
  expand(index: number, options: DeriveOptions = NOTHING): Expansion | null {
    const builder = new ExpansionBuilder();
    const scripts = this.#root.makeScripts(index, options, this.#context, builder);
    return scripts && builder.finish(scripts);
  }

  /** Returns the size of the largest satisfaction of a descriptor with fixed keys; null if the size is unknown. */
  largestSatisfaction(terms: SizeTerms): Satisfaction | null {
    return this.#root.largestSatisfaction(terms, this.#context);
  }

  /** Returns the key pairs at one index whose private keys can be derived. The caller wipes the arrays. */
  secretsAt(index: number, secrets: SecretSource): KeyPair[] {
    const pairs: KeyPair[] = [];
    for (const key of this.#root.keys()) key.addSecrets(index, secrets, pairs);
    return pairs;
  }
}
