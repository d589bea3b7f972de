// Infers the descriptor of an output script from the keys and scripts that a wallet knows: the `desc` of getaddressinfo
// and listunspent. The language 0.21 has the templates of that release. `master` also has taproot and miniscript, and
// does not describe inner scripts that it cannot read. Core: script/descriptor.cpp, InferScript.
import { compareBytes, toHex } from '../../consensus/bytes/hex.js';
import { OP } from '../../consensus/script/opcodes.js';
import { solve } from '../../policy/script-type.js';
import { encodeAddress } from '../address.js';
import { decodeMiniscript } from '../miniscript/from-script.js';
import { findFault } from '../miniscript/sanity.js';
import type { DescriptorContext } from './context.js';
import { Descriptor } from './descriptor.js';
import type { KeyOrigin, TaprootLeaf, TaprootOutput } from './expansion.js';
import { type KeyExpression, OriginatedKey, SingleKey } from './key-expression.js';
import { MultiNode, PkhNode, PkNode, WpkhNode } from './key-nodes.js';
import { MiniscriptScript } from './miniscript-node.js';
import type { ScriptPlace } from './parse-path.js';
import type { ScriptNode } from './script-node.js';
import { type LeafNode, RawTrNode, TrNode } from './taproot-nodes.js';
import { evenKey } from './taproot-tree.js';
import { FixedNode, ShNode, WshNode } from './wrapper-nodes.js';

/** Source of the keys and scripts that a wallet knows. */
export interface ScriptProvider {
  /** Returns a public key by its HASH160. */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  /** Returns a script by its HASH160 (a witness script by RIPEMD-160 of its program). */
  script(id: Uint8Array): Uint8Array | undefined;
  /** Returns the origin of a public key by its HASH160. */
  origin(id: Uint8Array): KeyOrigin | undefined;
  /** Returns whether a key is known; absent: the keys with an origin count as known. */
  knowsKey?(id: Uint8Array): boolean;
  /** Returns the internal data of a taproot output. @param outputKey x-only, 32 bytes */
  taproot?(outputKey: Uint8Array): TaprootOutput | undefined;
}

/** Provider without any keys or scripts. */
export const NO_PROVIDER: ScriptProvider = {
  publicKey: () => undefined,
  script: () => undefined,
  origin: () => undefined,
};

const COMPRESSED = 33;

/**
 * Returns the descriptor of an output script. If the script cannot be solved, parsing the descriptor's text again may
 * fail.
 */
export function inferDescriptor(script: Uint8Array, provider: ScriptProvider, context: DescriptorContext): Descriptor {
  const known = new Inference(provider, context).node(script, 'top');
  return new Descriptor(known ?? fixed(script, context), context);
}

const fixed = (script: Uint8Array, context: DescriptorContext): ScriptNode =>
  new FixedNode(script, encodeAddress(script, context.params, context.hashes));

class Inference {
  readonly #later: boolean;
  readonly #provider: ScriptProvider;
  readonly #context: DescriptorContext;

  constructor(provider: ScriptProvider, context: DescriptorContext) {
    this.#provider = provider;
    this.#context = context;
    this.#later = context.language === 'master';
  }

  /** Infers a node; null if the script is unknown. */
  node(script: Uint8Array, place: ScriptPlace): ScriptNode | null {
    if (place === 'leaf') return this.#leaf(script);
    return this.#template(script, place) ?? (this.#later && place === 'wsh' ? this.#miniscript(script, place) : null);
  }

  #template(script: Uint8Array, place: ScriptPlace): ScriptNode | null {
    const { type, solutions } = solve(script);
    const [data] = solutions;
    switch (type) {
      case 'pubkey': {
        const key = this.#key(data, place);
        return key && new PkNode(key, false);
      }
      case 'pubkeyhash': {
        const key = this.#keyOfHash(data, place);
        return key && new PkhNode(key);
      }
      case 'witness_v0_keyhash': {
        // Treat the key as in wsh(): it must be compressed at every position.
        const key = place === 'wsh' ? null : this.#keyOfHash(data, 'wsh');
        return key && new WpkhNode(key);
      }
      case 'multisig': {
        const keys = solutions.slice(1, -1).map((key) => this.#key(key, place));
        return keys.includes(null) ? null : new MultiNode('multi', data[0], keys as KeyExpression[]);
      }
      case 'scripthash': {
        const inner = place === 'top' ? this.#inner(data, 'sh') : null;
        return inner && new ShNode(inner);
      }
      case 'witness_v0_scripthash': {
        const inner = place === 'wsh' ? null : this.#inner(this.#context.hashes.ripemd160(data), 'wsh');
        return inner && new WshNode(inner);
      }
      case 'witness_v1_taproot':
        return this.#later && place === 'top' ? (this.#tree(data) ?? this.#outputKey(data)) : null;
      default:
        return null;
    }
  }

  /**
   * Infers the redeem or witness script behind a hash. In the language 0.21, a script that no expression describes
   * becomes raw() or addr().
   */
  #inner(id: Uint8Array, place: 'sh' | 'wsh'): ScriptNode | null {
    const script = this.#provider.script(id);
    if (script === undefined) return null;
    return this.node(script, place) ?? (this.#later ? null : fixed(script, this.#context));
  }

  // -- taproot

  #outputKey(outputKey: Uint8Array): ScriptNode | null {
    return this.#context.keys.isPoint(evenKey(outputKey)) ? new RawTrNode(this.#xOnlyKey(outputKey)) : null;
  }
  #tree(outputKey: Uint8Array): ScriptNode | null {
    const output = this.#provider.taproot?.(outputKey);
    if (output === undefined) return null;
    const leaves: LeafNode[] = [];
    for (const { script, depth } of inCoreOrder(output.leaves)) {
      const node = this.node(script, 'leaf');
      if (node === null) return null;
      leaves.push({ node, depth });
    }
    return new TrNode(this.#xOnlyKey(output.internalKey), leaves);
  }
  #leaf(script: Uint8Array): ScriptNode | null {
    const isKey = script.length === 34 && script[0] === 32 && script[33] === OP.OP_CHECKSIG;
    return isKey ? new PkNode(this.#xOnlyKey(script.slice(1, 33)), true) : this.#miniscript(script, 'leaf');
  }

  /** Infers miniscript if it is sane (miniscript/sanity.ts). multi_a is inferred even if it is not. */
  #miniscript(script: Uint8Array, place: 'wsh' | 'leaf'): ScriptNode | null {
    const context = place === 'leaf' ? 'tapscript' : 'wsh';
    /** Keys that a leaf contains as a hash, by hex of their x-only form, which the hash covers. */
    const hashed = new Map<string, KeyExpression>();
    const decoded = decodeMiniscript(script, context, (id) => {
      const known = this.#provider.publicKey(id);
      const key = known === undefined ? null : this.#key(known, place);
      if (key === null) return null;
      if (place === 'wsh') return known as Uint8Array;
      const written = (known as Uint8Array).slice(1);
      hashed.set(toHex(written), key);
      return written;
    });
    if (decoded === null) return null;
    const { tree, keys } = decoded;
    const fault = tree.fragment === 'multi_a' ? null : findFault(tree, context, (at) => toHex(keys[at]));
    // Accept a script that cannot be satisfied (reason null) as sane.
    if (fault !== null && fault.reason !== null) return null;
    const expressions = keys.map((key) => (place === 'leaf' ? (hashed.get(toHex(key)) ?? this.#xOnlyKey(key)) : this.#key(key, place)));
    return expressions.includes(null) ? null : new MiniscriptScript(tree, expressions as KeyExpression[], context);
  }

  // -- keys

  #keyOfHash(id: Uint8Array, place: ScriptPlace): KeyExpression | null {
    const key = this.#provider.publicKey(id);
    return key === undefined ? null : this.#key(key, place);
  }
  /**
   * Infers a key. The language `master` has no expression for hybrid keys, nor for uncompressed keys at positions where
   * these are invalid.
   */
  #key(publicKey: Uint8Array, place: ScriptPlace): KeyExpression | null {
    const compressed = publicKey.length === COMPRESSED;
    const canBe = compressed || (publicKey[0] === 4 && (place === 'top' || place === 'sh'));
    if (this.#later && !canBe) return null;
    return this.#withOrigin(new SingleKey(publicKey, false, this.#context), this.#provider.origin(this.#context.hashes.hash160(publicKey)));
  }
  /** Infers an x-only key. Its origin may be stored for either parity. */
  #xOnlyKey(xOnly: Uint8Array): KeyExpression {
    const provider = this.#provider;
    const even = evenKey(xOnly);
    const odd = new Uint8Array(even);
    odd[0] = 3;
    const known = [even, odd].map((key) => this.#context.hashes.hash160(key)).filter((id) => provider.knowsKey?.(id) ?? true);
    const origin = known.map((id) => provider.origin(id)).find((found) => found !== undefined);
    return this.#withOrigin(new SingleKey(even, true, this.#context), origin);
  }
  #withOrigin(key: SingleKey, origin: KeyOrigin | undefined): KeyExpression {
    return origin === undefined ? key : new OriginatedKey(origin, key, this.#context.inferredMark);
  }
}

/**
 * Returns leaves in the order in which Core finds them in control blocks: at each fork, the side whose first leaf has
 * the smaller script comes first.
 */
function inCoreOrder(leaves: readonly TaprootLeaf[]): readonly TaprootLeaf[] {
  const stack: { depth: number; first: TaprootLeaf; leaves: TaprootLeaf[] }[] = [];
  for (const leaf of leaves) {
    let side = { depth: leaf.depth, first: leaf, leaves: [leaf] };
    for (let left = stack.at(-1); left !== undefined && left.depth === side.depth; left = stack.at(-1)) {
      stack.pop();
      const [one, two] = compareLeaves(left.first, side.first) <= 0 ? [left, side] : [side, left];
      side = { depth: side.depth - 1, first: one.first, leaves: [...one.leaves, ...two.leaves] };
    }
    stack.push(side);
  }
  return stack[0]?.leaves ?? [];
}

function compareLeaves(a: TaprootLeaf, b: TaprootLeaf): number {
  return compareBytes(a.script, b.script) || a.controlBlock.length - b.controlBlock.length || compareBytes(a.controlBlock, b.controlBlock);
}
