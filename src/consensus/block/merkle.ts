// Merkle roots of blocks, and the position of the witness commitment. A level with an odd number of hashes repeats its
// last hash, so two different lists can have the same root (CVE-2012-2459). `mutated` is true if the list may be such a
// copy of another list.

import type { Hashes } from '../../crypto/crypto.js';
import type { TxView } from '../tx/tx-view.js';
import type { BlockView, MerkleResult } from './block-view.js';

/** Returns the root of a list of 32-byte hashes. */
export function merkleRoot(hashes: readonly Uint8Array[], h: Hashes): MerkleResult {
  const root = new Uint8Array(32);
  if (hashes.length === 0) return { root, mutated: false };
  const level = new Uint8Array((hashes.length + 1) * 32);
  for (let i = 0; i < hashes.length; i++) level.set(hashes[i], i * 32);
  const mutated = foldLevels(level, hashes.length, merkleHeight(hashes.length), h);
  root.set(level.subarray(0, 32));
  return { root, mutated };
}

/** Returns the number of levels above this many leaves (at least one leaf). */
export function merkleHeight(leaves: number): number {
  return 32 - Math.clz32(leaves - 1);
}

/**
 * Hashes the pairs of a level of a merkle tree, in place, and repeats this for `levels` levels. An odd last hash is
 * paired with itself. The level may be part of a level of a larger tree if it begins at a multiple of 2^levels. Its
 * first hash is the top of that subtree afterwards.
 * @param level `count` hashes of 32 bytes, and space for one more
 * @returns whether two equal hashes were paired
 */
export function foldLevels(level: Uint8Array, count: number, levels: number, h: Hashes): boolean {
  let mutated = false;
  for (let size = count, left = levels; left > 0; left--) {
    for (let i = 0; i + 1 < size; i += 2) {
      if (sameHash(level, i * 32, i * 32 + 32)) mutated = true;
    }
    if (size % 2 === 1) level.copyWithin(size * 32, (size - 1) * 32, size * 32);
    size = (size + 1) >> 1;
    h.sha256dPairs(level, 0, size, level, 0);
  }
  return mutated;
}

function sameHash(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < 32; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** Returns the root over the txids. */
export function blockMerkleRoot(block: BlockView): MerkleResult {
  if (block.roots !== null) return block.roots.txids;
  return merkleRoot(
    block.txs.map((tx) => tx.txid),
    block.hashes,
  );
}

/** Returns the root over the wtxids, with zeros for the coinbase (BIP-0141). */
export function witnessMerkleRoot(block: BlockView): MerkleResult {
  if (block.roots !== null) return block.roots.wtxids;
  return merkleRoot(
    block.txs.map((tx, i) => (i === 0 ? new Uint8Array(32) : tx.wtxid)),
    block.hashes,
  );
}

/**
 * Returns the hashes next to the path from the first leaf to the root, lowest first. A miner computes the merkle root
 * of another coinbase with them. The first hash of the given list belongs to the coinbase; its value does not matter.
 */
export function coinbaseBranch(hashes: readonly Uint8Array[], h: Hashes): Uint8Array[] {
  const branch: Uint8Array[] = [];
  let level = hashes.slice();
  while (level.length > 1) {
    branch.push(level[1]);
    const next: Uint8Array[] = [level[0]];
    for (let i = 2; i < level.length; i += 2) {
      const pair = new Uint8Array(64);
      pair.set(level[i]);
      pair.set(level[i + 1] ?? level[i], 32);
      next.push(h.sha256d(pair));
    }
    level = next;
  }
  return branch;
}

/** Returns the root over a first leaf and the hashes next to its path to the root, lowest first. */
export function rootOverBranch(leaf: Uint8Array, branch: readonly Uint8Array[], h: Pick<Hashes, 'sha256d'>): Uint8Array {
  const pair = new Uint8Array(64);
  let root = leaf;
  for (const sibling of branch) {
    pair.set(root);
    pair.set(sibling, 32);
    root = h.sha256d(pair);
  }
  return root;
}

/** Bytes of a commitment output before the 32-byte commitment: OP_RETURN, push of 36, and the BIP-0141 mark. */
export const WITNESS_COMMITMENT_HEADER = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);
/** Smallest size of a commitment output's script. */
export const MIN_WITNESS_COMMITMENT = 38;

/** Returns the index of the last output with a witness commitment (BIP-0141); -1 for none. */
export function witnessCommitmentIndex(coinbase: TxView): number {
  for (let i = coinbase.outputCount - 1; i >= 0; i--) {
    const script = coinbase.outputScript(i);
    if (script.length >= MIN_WITNESS_COMMITMENT && WITNESS_COMMITMENT_HEADER.every((byte, k) => script[k] === byte)) return i;
  }
  return -1;
}
