// Builds taproot outputs from an internal key and leaves with depths (BIP-0341): merkle root, output key, control
// blocks.
import { TAPROOT_LEAF_TAPSCRIPT, tapbranchHash, tapleafHash, taptweakHash } from '../../consensus/script/taproot.js';
import type { KeyTools } from '../bip32/extended-key.js';
import type { TaprootLeaf, TaprootOutput } from './expansion.js';

/** Leaf before the tree is built. */
export interface TreeLeaf {
  readonly script: Uint8Array;
  /** Depth below the root. */
  readonly depth: number;
}

/** Finished part of the tree. */
interface Subtree {
  readonly hash: Uint8Array;
  readonly depth: number;
  /** Index of its first leaf, and number of its leaves. */
  readonly first: number;
  readonly count: number;
}

/**
 * Builds an output.
 * @param internalKey x-only, 32 bytes
 * @param leaves from left to right, with depths that make a full binary tree; none for a key-path-only output
 * @returns null if the internal key is not a point (or for one tweak in 2^127)
 */
export function buildTaproot(internalKey: Uint8Array, leaves: readonly TreeLeaf[], { hashes, keys }: KeyTools): TaprootOutput | null {
  const leafHashes = leaves.map(({ script }) => tapleafHash(TAPROOT_LEAF_TAPSCRIPT, script, hashes));
  const paths: Uint8Array[][] = leaves.map(() => []);
  const stack: Subtree[] = [];
  leaves.forEach(({ depth }, place) => {
    let tree: Subtree = { hash: leafHashes[place], depth, first: place, count: 1 };
    for (let left = stack.at(-1); left !== undefined && left.depth === tree.depth; left = stack.at(-1)) {
      stack.pop();
      for (let i = 0; i < left.count; i++) paths[left.first + i].push(tree.hash);
      for (let i = 0; i < tree.count; i++) paths[tree.first + i].push(left.hash);
      tree = {
        hash: tapbranchHash(left.hash, tree.hash, hashes),
        depth: tree.depth - 1,
        first: left.first,
        count: left.count + tree.count,
      };
    }
    stack.push(tree);
  });
  const merkleRoot = stack.length === 0 ? null : stack[0].hash;
  const tweaked = keys.addToPublic(evenKey(internalKey), taptweakHash(internalKey, merkleRoot, hashes));
  if (tweaked === null) return null;
  const parity = tweaked[0] & 1;
  const built = leaves.map(
    ({ script, depth }, place): TaprootLeaf => ({
      script,
      leafVersion: TAPROOT_LEAF_TAPSCRIPT,
      depth,
      leafHash: leafHashes[place],
      controlBlock: controlBlock(parity, internalKey, paths[place]),
    }),
  );
  return { outputKey: tweaked.slice(1), internalKey, merkleRoot, leaves: built };
}

/** Returns the compressed form of an x-only key: its point with even y. */
export function evenKey(xOnly: Uint8Array): Uint8Array {
  const key = new Uint8Array(33);
  key[0] = 2;
  key.set(xOnly, 1);
  return key;
}

function controlBlock(parity: number, internalKey: Uint8Array, path: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(33 + 32 * path.length);
  block[0] = TAPROOT_LEAF_TAPSCRIPT | parity;
  block.set(internalKey, 1);
  for (let i = 0; i < path.length; i++) block.set(path[i], 33 + 32 * i);
  return block;
}
