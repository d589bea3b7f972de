// The descriptor of an output script, with what a wallet knows of its keys and scripts: the `desc` of getaddressinfo
// and listunspent. The older language knows the templates of 0.21; the later one taproot and miniscript as well, and
// says nothing of inner scripts that it cannot read. Core: script/descriptor.cpp, InferScript.
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

/** What is known of keys and scripts. */
export interface ScriptProvider {
  /** A public key by its HASH160. */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  /** A script by its HASH160 (of a witness script: RIPEMD-160 of the program). */
  script(id: Uint8Array): Uint8Array | undefined;
  /** Where a public key comes from, by its HASH160. */
  origin(id: Uint8Array): KeyOrigin | undefined;
  /** Whether a key is known; absent: whether it has an origin says so. */
  knowsKey?(id: Uint8Array): boolean;
  /** What is behind a taproot output. @param outputKey x-only, 32 bytes */
  taproot?(outputKey: Uint8Array): TaprootOutput | undefined;
}

/** Knows nothing. */
export const NO_PROVIDER: ScriptProvider = {
  publicKey: () => undefined,
  script: () => undefined,
  origin: () => undefined,
};

const COMPRESSED = 33;

/** The descriptor of an output script. Its text need not be readable again: see wallet rules of unsolvable scripts. */
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

  /** Null when nothing is known. */
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
        // Its key is compressed wherever it stands.
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

  /** A script that another names by its hash. The older language puts into words what it cannot read, too. */
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

  /** Anything that is sane, and any multi_a. */
  #miniscript(script: Uint8Array, place: 'wsh' | 'leaf'): ScriptNode | null {
    const context = place === 'leaf' ? 'tapscript' : 'wsh';
    /** Keys that a leaf names by the hash of their x-only form, by that form. */
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
    // One that nothing satisfies is sane.
    if (fault !== null && fault.reason !== null) return null;
    const expressions = keys.map((key) => (place === 'leaf' ? (hashed.get(toHex(key)) ?? this.#xOnlyKey(key)) : this.#key(key, place)));
    return expressions.includes(null) ? null : new MiniscriptScript(tree, expressions as KeyExpression[], context);
  }

  // -- keys

  #keyOfHash(id: Uint8Array, place: ScriptPlace): KeyExpression | null {
    const key = this.#provider.publicKey(id);
    return key === undefined ? null : this.#key(key, place);
  }
  /** The later language has no word for hybrid keys, nor for uncompressed ones where none may be. */
  #key(publicKey: Uint8Array, place: ScriptPlace): KeyExpression | null {
    const compressed = publicKey.length === COMPRESSED;
    const canBe = compressed || (publicKey[0] === 4 && (place === 'top' || place === 'sh'));
    if (this.#later && !canBe) return null;
    return this.#withOrigin(new SingleKey(publicKey, false, this.#context), this.#provider.origin(this.#context.hashes.hash160(publicKey)));
  }
  /** Its origin may be known under either parity. */
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
 * Leaves as Core finds them from their control blocks: on either side of a fork the side of the leaf that comes first
 * by its script.
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
