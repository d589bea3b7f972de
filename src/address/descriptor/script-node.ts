// What every function of the descriptor language can do, and where its parts leave what a signer must know. Implemented
// by key-nodes.ts, wrapper-nodes.ts, taproot-nodes.ts and miniscript-node.ts.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { Expansion, MiniscriptPart, OriginKey, TaprootOutput } from './expansion.js';
import type { KeyExpression } from './key-expression.js';

/** Prints one key; null when it can't be printed that way. */
export type KeyPrinter = (key: KeyExpression) => string | null;

/** Rules for the sizes of satisfactions. */
export interface SizeTerms {
  /** Bytes of the largest ECDSA signature with its hash type. Miniscript always counts 72, as Core does. */
  readonly signatureBytes: number;
  /** Whether to count every byte that pushes a script into a scriptSig. Core's descriptors always count one byte. */
  readonly exactPushes: boolean;
}

/** Sizes of the largest data that satisfies a script. */
export interface Satisfaction {
  /** Bytes that a scriptSig pushes, with their opcodes. */
  readonly scriptSig: number;
  /** Bytes of the witness elements with their lengths. */
  readonly witness: number;
  /** Number of stack elements. */
  readonly elements: number;
}

/** A script expression. */
export interface ScriptNode {
  readonly isSolvable: boolean;
  readonly isSingleType: boolean;
  readonly outputType: OutputType | null;
  /** False where it holds a key and makes no script; absent: true. */
  readonly hasScripts?: boolean;
  /** All its keys, from left to right. */
  keys(): readonly KeyExpression[];
  /** Its text; null when a key can't be printed. */
  text(print: KeyPrinter): string | null;
  /**
   * Its scripts at one index; null when a key can't be derived.
   * @param out where to leave the rest; null when only scripts are wanted
   */
  makeScripts(index: number, options: DeriveOptions, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null;
  /**
   * Returns the largest satisfaction of an expression with fixed keys; null where it is unknown. Core:
   * Descriptor::MaxSatisfactionWeight, MaxSatisfactionElems.
   */
  largestSatisfaction(terms: SizeTerms, context: DescriptorContext): Satisfaction | null;
}

/** Gathers what make() finds out. */
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

/** The public keys of several expressions; null when one can't be derived. */
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

/** Prints several keys with commas between; null when one can't be printed. */
export function printKeys(expressions: readonly KeyExpression[], print: KeyPrinter): string | null {
  const texts = expressions.map(print);
  return texts.includes(null) ? null : texts.join(',');
}
