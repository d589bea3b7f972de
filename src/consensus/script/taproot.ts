// Commitments of BIP-0341: leaf and branch hashes, the tweak, and the check of a control block against an output key.

import type { Crypto, Hashes } from '../../crypto/crypto.js';
import { writeCompactSize } from './preimage.js';

/** Leaf version of tapscript (BIP-0342). */
export const TAPROOT_LEAF_TAPSCRIPT = 0xc0;
/** Mask of the leaf version in the first byte of a control block. The remaining bit is the parity of the output key. */
export const TAPROOT_LEAF_MASK = 0xfe;
/** First byte of an annex. */
export const ANNEX_TAG = 0x50;

const CONTROL_BASE_SIZE = 33;
const CONTROL_NODE_SIZE = 32;
const CONTROL_MAX_NODES = 128;

/** Returns whether a control block may have this size: 33 bytes plus 0 to 128 merkle nodes of 32 bytes. */
export function isControlBlockSize(size: number): boolean {
  return (
    size >= CONTROL_BASE_SIZE &&
    size <= CONTROL_BASE_SIZE + CONTROL_NODE_SIZE * CONTROL_MAX_NODES &&
    (size - CONTROL_BASE_SIZE) % CONTROL_NODE_SIZE === 0
  );
}

/** Returns the tagged hash of a leaf: its version, and its script with size. */
export function tapleafHash(leafVersion: number, script: Uint8Array, hashes: Hashes): Uint8Array {
  const head = new Uint8Array(6);
  head[0] = leafVersion;
  const end = writeCompactSize(head, 1, script.length);
  return hashes.taggedHash('TapLeaf', head.subarray(0, end), script);
}

/** Returns the tagged hash of two nodes, the smaller one first. */
export function tapbranchHash(a: Uint8Array, b: Uint8Array, hashes: Hashes): Uint8Array {
  for (let i = 0; i < 32; i++) {
    if (a[i] < b[i]) break;
    if (a[i] > b[i]) return hashes.taggedHash('TapBranch', b, a);
  }
  return hashes.taggedHash('TapBranch', a, b);
}

/**
 * Returns the tweak of an internal key (x-only).
 * @param merkleRoot null for an output that can only be spent with its key
 */
export function taptweakHash(internalKey: Uint8Array, merkleRoot: Uint8Array | null, hashes: Hashes): Uint8Array {
  return merkleRoot === null ? hashes.taggedHash('TapTweak', internalKey) : hashes.taggedHash('TapTweak', internalKey, merkleRoot);
}

/**
 * Returns whether an output key commits to a leaf.
 * @param control of a size that isControlBlockSize accepts
 * @param outputKey x-only, 32 bytes
 */
export function checkTaprootCommitment(control: Uint8Array, outputKey: Uint8Array, leafHash: Uint8Array, crypto: Crypto): boolean {
  let node = leafHash;
  for (let at = CONTROL_BASE_SIZE; at < control.length; at += CONTROL_NODE_SIZE) {
    node = tapbranchHash(node, control.subarray(at, at + CONTROL_NODE_SIZE), crypto);
  }
  const internalKey = control.subarray(1, CONTROL_BASE_SIZE);
  return crypto.tapTweakCheck(outputKey, control[0] & 1, internalKey, taptweakHash(internalKey, node, crypto));
}
