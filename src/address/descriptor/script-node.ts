// Interface of all functions of the descriptor language, and the collector for what a signer needs. Implemented in
// key-nodes.ts, wrapper-nodes.ts, taproot-nodes.ts and miniscript-node.ts.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { Expansion, MiniscriptPart, OriginKey, TaprootOutput } from './expansion.js';
import type { KeyExpression } from './key-expression.js';

/** Prints a key in some form (public, private, normalised); null if the key cannot be printed in it. */
export type KeyPrinter = (key: KeyExpression) => string | null;

/** Rules for the sizes of satisfactions. */
export interface SizeTerms {
  /** Bytes of the largest ECDSA signature with its hash type. Miniscript always counts 72, as Core does. */
  readonly signatureBytes: number;
  /** True to count every byte that pushes a script into a scriptSig. Core's descriptors always count one byte. */
  readonly exactPushes: boolean;
}

/** Sizes of the largest data that satisfies a script. */
export interface Satisfaction {
  /** Bytes that a scriptSig pushes, with their opcodes. */
  readonly scriptSig: number;
  /** Bytes of the witness elements with their lengths. */
  readonly witness: number;
  /** Number of witness stack elements. */
  readonly elements: number;
}

/** Part of a descriptor that gives output scripts, such as wpkh(KEY) or sh(SCRIPT). */
export interface ScriptNode {
  readonly isSolvable: boolean;
  readonly isSingleType: boolean;
  readonly outputType: OutputType | null;
  /** False if the expression stores a key without a script; absent: true. */
  readonly hasScripts?: boolean;
  /** Returns all key expressions, from left to right. */
  keys(): readonly KeyExpression[];
  /** Returns the text of the expression; null if a key cannot be printed. */
  text(print: KeyPrinter): string | null;
  /**
   * Returns the scripts of the expression at one index; null if a key cannot be derived.
   * @param out collects data for signers; null: only scripts are needed
   */
  makeScripts(index: number, options: DeriveOptions, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null;
  /**
   * Returns the largest satisfaction of an expression with fixed keys; null where it is unknown. Core:
   * Descriptor::MaxSatisfactionWeight, MaxSatisfactionElems.
   */
  largestSatisfaction(terms: SizeTerms, context: DescriptorContext): Satisfaction | null;
}

/** Collects data for signers during makeScripts(). */
export class ExpansionBuilder {
  readonly #keys: OriginKey[] = [];
  readonly #hashedKeys = new Map<string, Uint8Array>();
  readonly #innerScripts = new Map<string, Uint8Array>();
  readonly #miniscripts: MiniscriptPart[] = [];
  #taproot: TaprootOutput | null = null;

  addOrigins(key: KeyExpression, index: number, publicKey: Uint8Array, options: DeriveOptions): void {
    key.addOrigins(index, publicKey, options, this.#keys);
  }

  addHashedKey(publicKey: Uint8Array): void {
    this.#hashedKeys.set(hashKey(publicKey), publicKey);
  }

  addInnerScript(script: Uint8Array): void {
    this.#innerScripts.set(hashKey(script), script);
  }

  addMiniscript(part: MiniscriptPart): void {
    this.#miniscripts.push(part);
  }

  setTaproot(output: TaprootOutput): void {
    this.#taproot = output;
  }

  finish(scripts: readonly Uint8Array[]): Expansion {
    return {
      scripts,
      keys: this.#keys,
      hashedKeys: [...this.#hashedKeys.values()],
      innerScripts: [...this.#innerScripts.values()],
      taproot: this.#taproot,
      miniscripts: this.#miniscripts,
    };
  }
}

/** Returns the public keys of several expressions; null if one cannot be derived. */
export function deriveKeys(
  expressions: readonly KeyExpression[],
  index: number,
  options: DeriveOptions,
  out: ExpansionBuilder | null,
): Uint8Array[] | null {
  const keys: Uint8Array[] = [];
  for (const expression of expressions) {
    const key = expression.publicKey(index, options);
    if (key === null) return null;
    out?.addOrigins(expression, index, key, options);
    keys.push(key);
  }
  return keys;
}

/** Prints several keys, separated by commas; null if one cannot be printed. */
export function printKeys(expressions: readonly KeyExpression[], print: KeyPrinter): string | null {
  const texts = expressions.map(print);
  return texts.includes(null) ? null : texts.join(',');
}
