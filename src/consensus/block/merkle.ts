// Merkle roots of blocks and the witness commitment's place. An odd level repeats its last hash, which lets two
// different lists share a root (CVE-2012-2459); `mutated` tells when a list could be such a twin. Used by block rules,
// templates and RPC proofs.

import type { Hashes } from '../../crypto/crypto.js';
import type { TxView } from '../tx/tx-view.js';
import type { BlockView } from './block-view.js';

/** A root and whether two equal hashes met as a pair on any level. */
export interface MerkleResult {
  /** 32 bytes; zero for an empty list. */
  root: Uint8Array;
  mutated: boolean;
}

/** Root of a list of 32-byte hashes. */
export function merkleRoot(hashes: readonly Uint8Array[], h: Hashes): MerkleResult {
  const root = new Uint8Array(32);
  if (hashes.length === 0) return { root, mutated: false };
  // One flat level, overwritten in place by the next.
  let count = hashes.length;
  const level = new Uint8Array((count + 1) * 32);
  for (let i = 0; i < count; i++) level.set(hashes[i], i * 32);
  let mutated = false;
  while (count > 1) {
    for (let i = 0; i + 1 < count; i += 2) {
      if (sameHash(level, i * 32, i * 32 + 32)) mutated = true;
    }
    if (count % 2 === 1) {
      level.copyWithin(count * 32, (count - 1) * 32, count * 32);
      count++;
    }
    count /= 2;
    h.sha256dPairs(level, 0, count, level, 0);
  }
  root.set(level.subarray(0, 32));
  return { root, mutated };
}

function sameHash(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < 32; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** Root over the txids. */
export function blockMerkleRoot(block: BlockView): MerkleResult {
  return merkleRoot(
    block.txs.map((tx) => tx.txid),
    block.hashes,
  );
}

/** Root over the wtxids with zeros for the coinbase. BIP-0141. */
export function witnessMerkleRoot(block: BlockView): MerkleResult {
  return merkleRoot(
    block.txs.map((tx, i) => (i === 0 ? new Uint8Array(32) : tx.wtxid)),
    block.hashes,
  );
}

/**
 * The hashes beside the first leaf's path to the root, lowest first: what a miner needs to put in another coinbase.
 * The first hash of the list stands for the coinbase and may be anything.
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

/** The root over a first leaf and the hashes beside its path, lowest first. */
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

/** Index of the last output that carries a witness commitment, or -1. BIP-0141. */
export function witnessCommitmentIndex(coinbase: TxView): number {
  for (let i = coinbase.outputCount - 1; i >= 0; i--) {
    const script = coinbase.outputScript(i);
    if (script.length >= MIN_WITNESS_COMMITMENT && WITNESS_COMMITMENT_HEADER.every((byte, k) => script[k] === byte)) return i;
  }
  return -1;
}
