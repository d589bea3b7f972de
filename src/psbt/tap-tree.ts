// Encodes, decodes and checks the script tree of a taproot output in PSBT_OUT_TAP_TREE (BIP-0371): the leaves of a full
// binary tree in depth-first order, each with its depth.
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';

/** Leaf of a taproot script tree with its depth. */
export interface TapTreeLeaf {
  readonly depth: number;
  readonly leafVersion: number;
  readonly script: Uint8Array;
}

const MAX_DEPTH = 128;

/** Decodes the leaves of a tree that checkTapTree accepts. */
export function tapTreeLeaves(tree: Uint8Array): TapTreeLeaf[] {
  const reader = new ByteReader(tree);
  const leaves: TapTreeLeaf[] = [];
  while (reader.remaining > 0) leaves.push({ depth: reader.u8(), leafVersion: reader.u8(), script: reader.varBytes() });
  return leaves;
}

export function encodeTapTree(leaves: readonly TapTreeLeaf[]): Uint8Array {
  const out = new ByteWriter();
  for (const { depth, leafVersion, script } of leaves) out.u8(depth).u8(leafVersion).varBytes(script);
  return out.finish();
}

/** Returns what is wrong with an encoded tree, in Core's words; null if it is complete. */
export function checkTapTree(tree: Uint8Array): string | null {
  if (tree.length === 0) return 'Output Taproot tree must not be empty';
  const reader = new ByteReader(tree);
  // Depths at which a left subtree is complete and its right sibling is still missing.
  const open = new Set<number>();
  let done = false;
  let malformed = false;
  while (reader.remaining > 0) {
    let depth: number;
    let leafVersion: number;
    try {
      depth = reader.u8();
      leafVersion = reader.u8();
      reader.varBytes();
    } catch (error) {
      if (error instanceof DecodeError) return error.message;
      throw error;
    }
    if (depth > MAX_DEPTH) return 'Output Taproot tree has as leaf greater than Taproot maximum depth';
    if ((leafVersion & 1) !== 0) return 'Output Taproot tree has a leaf with an invalid leaf version';
    // The tree is malformed if a leaf follows at a smaller depth while a deeper left subtree has no sibling yet.
    if (done || [...open].some((one) => one > depth)) malformed = true;
    if (malformed) continue;
    let at = depth;
    for (; at > 0 && open.has(at); at--) open.delete(at);
    if (at === 0) done = true;
    else open.add(at);
  }
  return done && !malformed ? null : 'Output Taproot tree is malformed';
}
