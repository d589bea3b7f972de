// Miniscript inside wsh() and in leaves of tr().
import { compileMiniscript } from '../miniscript/compile.js';
import type { MiniscriptContext, MiniscriptNode } from '../miniscript/fragment.js';
import { isSatisfiable, witnessElements } from '../miniscript/sanity.js';
import { miniscriptText } from '../miniscript/text.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions } from './derive-options.js';
import type { KeyExpression } from './key-expression.js';
import { deriveKeys, type ExpansionBuilder, type KeyPrinter, type Satisfaction, type ScriptNode } from './script-node.js';

/** Miniscript tree, with the key expressions to which the key numbers in the tree refer. */
export class MiniscriptScript implements ScriptNode {
  readonly isSolvable = true;
  readonly isSingleType = true;
  readonly outputType = null;
  readonly #tree: MiniscriptNode;
  readonly #keys: readonly KeyExpression[];
  readonly #place: MiniscriptContext;

  constructor(tree: MiniscriptNode, keys: readonly KeyExpression[], place: MiniscriptContext) {
    this.#tree = tree;
    this.#keys = keys;
    this.#place = place;
  }

  keys(): readonly KeyExpression[] {
    return this.#keys;
  }

  text(print: KeyPrinter): string | null {
    const texts = this.#keys.map(print);
    return texts.includes(null) ? null : miniscriptText(this.#tree, (place) => texts[place] as string);
  }

  /**
   * Makes the script. Reports all keys to the signer, who needs those that the script contains only as a hash. The
   * other ones do no harm.
   */
  makeScripts(index: number, options: DeriveOptions, { hashes }: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null {
    const keys = deriveKeys(this.#keys, index, options, out);
    if (keys === null) return null;
    const written = this.#place === 'tapscript' ? keys.map((key) => key.subarray(1)) : keys;
    const script = compileMiniscript(this.#tree, { keys: written, hashes });
    if (out !== null) {
      for (const key of keys) out.addHashedKey(key);
      out.addMiniscript({ script, context: this.#place, tree: this.#tree, keys });
    }
    return [script];
  }

  largestSatisfaction(): Satisfaction | null {
    if (!isSatisfiable(this.#tree)) return null;
    return { scriptSig: this.#tree.limits.satBytes, witness: 0, elements: witnessElements(this.#tree) };
  }
}
