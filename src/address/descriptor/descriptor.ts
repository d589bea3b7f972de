// A parsed output descriptor (BIP-0380 and following): its text in every form, and what it expands to. Made by parse.ts
// and infer.ts; used by RPC and wallets.

import type { ExtendedKey } from '../bip32/extended-key.js';
import { addChecksum } from './checksum.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { Expansion } from './expansion.js';
import { ExpansionBuilder, type Satisfaction, type ScriptNode, type SizeTerms } from './script-node.js';
import type { KeyPair, SecretSource } from './secrets.js';

const NOTHING: DeriveOptions = {};

/** An output descriptor of one path. */
export class Descriptor {
  readonly #root: ScriptNode;
  readonly #context: DescriptorContext;
  #text: string | null = null;

  constructor(root: ScriptNode, context: DescriptorContext) {
    this.#root = root;
    this.#context = context;
  }

  /** Whether it stands for one script per index rather than one altogether. */
  get isRange(): boolean {
    return this.#root.keys().some((key) => key.isRange);
  }

  /** Whether a holder of the secrets could sign; not so for addr() and raw(). */
  get isSolvable(): boolean {
    return this.#root.isSolvable;
  }

  /** Not so for combo(). */
  get isSingleType(): boolean {
    return this.#root.isSingleType;
  }

  /** Not so for unused(), which holds a key and makes no script. */
  get hasScripts(): boolean {
    return this.#root.hasScripts ?? true;
  }

  /** What address type its scripts have, null for none or several. */
  get outputType(): OutputType | null {
    return this.#root.outputType;
  }

  /** How many key expressions it has; their places are 0 and up. */
  get keyCount(): number {
    return this.#root.keys().length;
  }

  /** The extended keys that its keys are derived from, in their order; without those within musig(). */
  get roots(): ExtendedKey[] {
    return this.#root.keys().flatMap(({ root }) => (root === null ? [] : [root]));
  }

  /** The canonical public text with its checksum. */
  toString(): string {
    this.#text ??= addChecksum(this.#root.text((key) => key.publicText()) as string);
    return this.#text;
  }

  /**
   * The text with every secret in it and its checksum.
   * @param partly public keys stand where a secret is not known
   * @returns null when a secret is missing
   */
  privateText(secrets: SecretSource, partly = false): string | null {
    const text = this.#root.text((key) => key.privateText(secrets) ?? (partly ? key.publicText() : null));
    return text === null ? null : addChecksum(text);
  }

  /** The text with extended keys moved behind their last hardened step (Core's normalised form), with its checksum. */
  normalizedText(options: DeriveOptions): string | null {
    const text = this.#root.text((key) => key.normalizedText(options));
    return text === null ? null : addChecksum(text);
  }

  /**
   * The output scripts alone, the quick way; null when a hardened step lacks its secret.
   * @param index ignored without a range
   */
  scripts(index: number, options: DeriveOptions = NOTHING): Uint8Array[] | null {
    return this.#root.makeScripts(index, options, this.#context, null);
  }

  /** Scripts and what a signer must know; null when a hardened step lacks its secret. */
  expand(index: number, options: DeriveOptions = NOTHING): Expansion | null {
    const builder = new ExpansionBuilder();
    const scripts = this.#root.makeScripts(index, options, this.#context, builder);
    return scripts && builder.finish(scripts);
  }

  /** Returns the size of the largest satisfaction of a descriptor with fixed keys; null if the size is unknown. */
  largestSatisfaction(terms: SizeTerms): Satisfaction | null {
    return this.#root.largestSatisfaction(terms, this.#context);
  }

  /**
   * The secrets of its keys at one index, those that can be derived, with their public keys. The arrays are the
   * caller's to wipe.
   */
  secretsAt(index: number, secrets: SecretSource): KeyPair[] {
    const pairs: KeyPair[] = [];
    for (const key of this.#root.keys()) key.addSecrets(index, secrets, pairs);
    return pairs;
  }
}
