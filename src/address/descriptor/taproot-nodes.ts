// tr(KEY), tr(KEY,TREE) (BIP-0386), and rawtr(KEY), whose key is the output key itself.
import { witnessProgramScript } from '../../consensus/script/build-script.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions } from './derive-options.js';
import type { KeyExpression } from './key-expression.js';
import { OneKeyNode } from './key-nodes.js';
import type { ExpansionBuilder, KeyPrinter, Satisfaction, ScriptNode } from './script-node.js';
import { buildTaproot, type TreeLeaf } from './taproot-tree.js';

/** Script of the tree, and its depth below the root. */
export interface LeafNode {
  readonly node: ScriptNode;
  readonly depth: number;
}

/**
 * Size of a signature by the internal key with a hash type. A script path may need more bytes, but which path a signer
 * uses is unknown before signing. Core counts the same.
 */
const KEY_PATH: Satisfaction = { scriptSig: 0, witness: 1 + 65, elements: 1 };

/** tr(KEY) or tr(KEY,TREE). */
export class TrNode implements ScriptNode {
  readonly isSolvable = true;
  readonly isSingleType = true;
  readonly outputType = 'bech32m';
  readonly #key: KeyExpression;
  readonly #leaves: readonly LeafNode[];

  /** @param leaves from left to right, with depths that make a full binary tree */
  constructor(key: KeyExpression, leaves: readonly LeafNode[]) {
    this.#key = key;
    this.#leaves = leaves;
  }

  keys(): readonly KeyExpression[] {
    return [this.#key, ...this.#leaves.flatMap(({ node }) => node.keys())];
  }

  text(print: KeyPrinter): string | null {
    const key = print(this.#key);
    const leaves = this.#leaves.map(({ node }) => node.text(print));
    if (key === null || leaves.includes(null)) return null;
    return this.#leaves.length === 0 ? `tr(${key})` : `tr(${key},${this.#treeText(leaves as string[])})`;
  }

  makeScripts(index: number, options: DeriveOptions, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null {
    const key = this.#key.publicKey(index, options);
    if (key === null) return null;
    out?.addOrigins(this.#key, index, key, options);
    const leaves: TreeLeaf[] = [];
    for (const { node, depth } of this.#leaves) {
      const scripts = node.makeScripts(index, options, context, out);
      if (scripts === null) return null;
      leaves.push({ script: scripts[0], depth });
    }
    const output = buildTaproot(key.slice(1, 33), leaves, context);
    if (output === null) return null;
    out?.setTaproot(output);
    return [witnessProgramScript(1, output.outputKey)];
  }

  largestSatisfaction(): Satisfaction {
    return KEY_PATH;
  }

  /** Prints the tree: braces open down to the depth of each leaf, and close after each right branch. */
  #treeText(leaves: readonly string[]): string {
    let text = '';
    // For each open brace: true if its right branch has begun.
    const path: boolean[] = [];
    leaves.forEach((leaf, place) => {
      if (place > 0) text += ',';
      for (; path.length < this.#leaves[place].depth; path.push(false)) text += '{';
      text += leaf;
      for (; path.at(-1) === true; path.pop()) text += '}';
      if (path.length > 0) path[path.length - 1] = true;
    });
    return text;
  }
}

/** rawtr(KEY). */
export class RawTrNode extends OneKeyNode {
  readonly outputType = 'bech32m';
  protected readonly name = 'rawtr';

  protected satisfactionWith(): Satisfaction {
    return KEY_PATH;
  }

  protected scriptsOf(key: Uint8Array): Uint8Array[] {
    return [witnessProgramScript(1, key.slice(1, 33))];
  }
}
