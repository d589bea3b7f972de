// Script expressions with keys: pk, pkh, wpkh, combo (BIP-0381, BIP-0382, BIP-0384) and multisig (BIP-0383, BIP-0387).
import { compareBytes } from '../../consensus/bytes/hex.js';
import { joinScript, plainPush, pushNumber, scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { OP } from '../../consensus/script/opcodes.js';
import { publicKeyHashScript } from '../../consensus/script/templates.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { KeyExpression } from './key-expression.js';
import {
  deriveKeys,
  type ExpansionBuilder,
  type KeyPrinter,
  printKeys,
  type Satisfaction,
  type ScriptNode,
  type SizeTerms,
} from './script-node.js';

const COMPRESSED_SIZE = 33;

/** Base of the descriptor functions with one key. */
export abstract class OneKeyNode implements ScriptNode {
  readonly isSolvable = true;
  readonly isSingleType: boolean = true;
  abstract readonly outputType: OutputType | null;
  protected abstract readonly name: string;
  readonly #key: KeyExpression;

  constructor(key: KeyExpression) {
    this.#key = key;
  }

  keys(): readonly KeyExpression[] {
    return [this.#key];
  }

  text(print: KeyPrinter): string | null {
    const key = print(this.#key);
    return key === null ? null : `${this.name}(${key})`;
  }

  makeScripts(index: number, options: DeriveOptions, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null {
    const key = this.#key.publicKey(index, options);
    if (key === null) return null;
    out?.addOrigins(this.#key, index, key, options);
    return this.scriptsOf(key, context, out);
  }

  largestSatisfaction(terms: SizeTerms): Satisfaction | null {
    return this.satisfactionWith(this.#key.size, terms);
  }

  protected abstract satisfactionWith(keyBytes: number, terms: SizeTerms): Satisfaction | null;

  protected abstract scriptsOf(key: Uint8Array, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[];
}

/** pk(KEY): pays to the key. In a taproot leaf the key is x-only. */
export class PkNode extends OneKeyNode {
  readonly outputType = null;
  protected readonly name = 'pk';
  readonly #inLeaf: boolean;

  constructor(key: KeyExpression, inLeaf: boolean) {
    super(key);
    this.#inLeaf = inLeaf;
  }

  /** Returns null in a tapscript leaf: the size of a taproot output counts the key path only. */
  protected satisfactionWith(_keyBytes: number, { signatureBytes }: SizeTerms): Satisfaction | null {
    return this.#inLeaf ? null : { scriptSig: 1 + signatureBytes, witness: 0, elements: 1 };
  }

  protected scriptsOf(key: Uint8Array): Uint8Array[] {
    return [payToKey(this.#inLeaf ? key.subarray(1) : key)];
  }
}

/** pkh(KEY): pays to the hash of a key. */
export class PkhNode extends OneKeyNode {
  readonly outputType = 'legacy';
  protected readonly name = 'pkh';

  protected satisfactionWith(keyBytes: number, { signatureBytes }: SizeTerms): Satisfaction {
    return { scriptSig: 1 + signatureBytes + 1 + keyBytes, witness: 0, elements: 2 };
  }

  protected scriptsOf(key: Uint8Array, { hashes }: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] {
    out?.addHashedKey(key);
    return [publicKeyHashScript(hashes.hash160(key))];
  }
}

/** wpkh(KEY): pays to the hash of a key as a witness program. */
export class WpkhNode extends OneKeyNode {
  readonly outputType = 'bech32';
  protected readonly name = 'wpkh';

  protected satisfactionWith(keyBytes: number, { signatureBytes }: SizeTerms): Satisfaction {
    return { scriptSig: 0, witness: 1 + signatureBytes + 1 + keyBytes, elements: 2 };
  }

  protected scriptsOf(key: Uint8Array, { hashes }: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] {
    out?.addHashedKey(key);
    return [witnessProgramScript(0, hashes.hash160(key))];
  }
}

/** combo(KEY): P2PK and P2PKH, and for a compressed key also P2WPKH and P2SH-P2WPKH. */
export class ComboNode extends OneKeyNode {
  override readonly isSingleType = false;
  readonly outputType = null;
  protected readonly name = 'combo';

  /** Returns null, because the scripts of combo() have different sizes. */
  protected satisfactionWith(): null {
    return null;
  }

  protected scriptsOf(key: Uint8Array, { hashes }: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] {
    out?.addHashedKey(key);
    const hash = hashes.hash160(key);
    const scripts = [payToKey(key), publicKeyHashScript(hash)];
    if (key.length !== COMPRESSED_SIZE) return scripts;
    const witness = witnessProgramScript(0, hash);
    out?.addInnerScript(witness);
    return [...scripts, witness, scriptHashScript(hashes.hash160(witness))];
  }
}

/** unused(KEY): stores a key without any script. */
export class UnusedNode extends OneKeyNode {
  readonly outputType = null;
  readonly hasScripts = false;
  protected readonly name = 'unused';

  protected satisfactionWith(): null {
    return null;
  }

  protected scriptsOf(): Uint8Array[] {
    return [];
  }
}

/** Names of the descriptor functions with a threshold and keys. */
export type MultiName = 'multi' | 'sortedmulti' | 'multi_a' | 'sortedmulti_a';

/** multi, sortedmulti: CHECKMULTISIG. multi_a, sortedmulti_a: CHECKSIGADD with x-only keys. */
export class MultiNode implements ScriptNode {
  readonly isSolvable = true;
  readonly isSingleType = true;
  readonly outputType = null;
  readonly #name: MultiName;
  readonly #threshold: number;
  readonly #keys: readonly KeyExpression[];

  constructor(name: MultiName, threshold: number, keys: readonly KeyExpression[]) {
    this.#name = name;
    this.#threshold = threshold;
    this.#keys = keys;
  }

  keys(): readonly KeyExpression[] {
    return this.#keys;
  }

  text(print: KeyPrinter): string | null {
    const keys = printKeys(this.#keys, print);
    return keys === null ? null : `${this.#name}(${this.#threshold},${keys})`;
  }

  makeScripts(index: number, options: DeriveOptions, _context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null {
    const keys = deriveKeys(this.#keys, index, options, out);
    if (keys === null) return null;
    const inLeaf = this.#name.endsWith('_a');
    const written = inLeaf ? keys.map((key) => key.subarray(1)) : keys;
    if (this.#name.startsWith('sorted')) written.sort(compareBytes);
    return [inLeaf ? checkSigAddScript(this.#threshold, written) : multisigScript(this.#threshold, written)];
  }

  /** Returns null in a tapscript leaf: the size of a taproot output counts the key path only. */
  largestSatisfaction({ signatureBytes }: SizeTerms): Satisfaction | null {
    if (this.#name.endsWith('_a')) return null;
    return { scriptSig: 1 + (1 + signatureBytes) * this.#threshold, witness: 0, elements: 1 + this.#threshold };
  }
}

const payToKey = (key: Uint8Array): Uint8Array => joinScript(plainPush(key), OP.OP_CHECKSIG);

/** Returns the script: threshold, keys, number of keys, CHECKMULTISIG. */
export function multisigScript(threshold: number, keys: readonly Uint8Array[]): Uint8Array {
  return joinScript(pushNumber(threshold), ...keys.map(plainPush), pushNumber(keys.length), OP.OP_CHECKMULTISIG);
}

/**
 * Returns the script of BIP-0387: CHECKSIG for the first key, CHECKSIGADD for the others, then compare the sum with the
 * threshold.
 */
export function checkSigAddScript(threshold: number, keys: readonly Uint8Array[]): Uint8Array {
  const checks = keys.flatMap((key, i) => [plainPush(key), i === 0 ? OP.OP_CHECKSIG : OP.OP_CHECKSIGADD]);
  return joinScript(...checks, pushNumber(threshold), OP.OP_NUMEQUAL);
}
