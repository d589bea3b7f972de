// A partial merkle tree (BIP-0037): marks transactions of a block and contains the hashes that prove that they are in
// the block. For gettxoutproof, verifytxoutproof, and merkleblock messages to peers with a filter. Encoding: number of
// transactions 4 | hashes, preceded by their number | flag bits packed lowest first, preceded by their number of bytes.

import type { Hashes } from '../../crypto/crypto.js';
import { equalBytes } from '../bytes/hex.js';
import { ByteReader } from '../bytes/reader.js';
import { ByteWriter } from '../bytes/writer.js';

/** Largest number of transactions: a block with more, each of the smallest size (60 bytes), is too heavy. */
const MAX_TRANSACTIONS = 4_000_000 / (4 * 60);
/** Number of hashes between two pauses, which take about half a millisecond. */
const HASHES_PER_STEP = 256;

/** An encoded tree. */
export interface PartialMerkle {
  readonly count: number;
  readonly hashes: readonly Uint8Array[];
  readonly flags: readonly boolean[];
}

const widthAt = (count: number, level: number): number => Math.ceil(count / 2 ** level);

function heightOf(count: number): number {
  let height = 0;
  while (widthAt(count, height) > 1) height++;
  return height;
}

function parentOf(left: Uint8Array, right: Uint8Array, h: Hashes): Uint8Array {
  const pair = new Uint8Array(64);
  pair.set(left);
  pair.set(right, 32);
  return h.sha256d(pair);
}

/** Builds the tree over a block's txids with the matching ones marked. */
export function buildPartialMerkle(txids: readonly Uint8Array[], matches: readonly boolean[], h: Hashes): PartialMerkle {
  const steps = partialMerkleSteps(txids, matches, h);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Builds the tree in short steps, for threads that must do other work in between. */
export function* partialMerkleSteps(
  txids: readonly Uint8Array[],
  matches: readonly boolean[],
  h: Hashes,
): Generator<undefined, PartialMerkle, undefined> {
  const levels: { hash: Uint8Array; match: boolean }[][] = [txids.map((hash, i) => ({ hash, match: matches[i] }))];
  let made = 0;
  for (let below = levels[0]; below.length > 1; below = levels[levels.length - 1]) {
    const level: { hash: Uint8Array; match: boolean }[] = [];
    for (let i = 0; i < below.length; i += 2) {
      const right = below[i + 1] ?? below[i];
      level.push({ hash: parentOf(below[i].hash, right.hash, h), match: below[i].match || right.match });
      if (++made % HASHES_PER_STEP === 0) yield undefined;
    }
    levels.push(level);
  }
  const hashes: Uint8Array[] = [];
  const flags: boolean[] = [];
  const walk = (level: number, at: number) => {
    const { hash, match } = levels[level][at];
    flags.push(match);
    if (level === 0 || !match) {
      hashes.push(hash);
      return;
    }
    walk(level - 1, at * 2);
    if (at * 2 + 1 < levels[level - 1].length) walk(level - 1, at * 2 + 1);
  };
  walk(levels.length - 1, 0);
  return { count: txids.length, hashes, flags };
}

/** Returns the bytes of a proof after the block header. */
export function encodePartialMerkle(tree: PartialMerkle): Uint8Array {
  const out = new ByteWriter(16 + tree.hashes.length * 32 + (tree.flags.length >> 3));
  out.u32(tree.count).compactSize(tree.hashes.length);
  for (const hash of tree.hashes) out.bytes(hash);
  const packed = new Uint8Array(Math.ceil(tree.flags.length / 8));
  tree.flags.forEach((flag, i) => {
    if (flag) packed[i >> 3] |= 1 << (i & 7);
  });
  return out.varBytes(packed).finish();
}

/**
 * Parses a tree. Trailing bytes are ignored.
 * @param from offset of the tree
 * @throws DecodeError
 */
export function decodePartialMerkle(bytes: Uint8Array, from = 0): PartialMerkle {
  const reader = new ByteReader(bytes);
  reader.skip(from);
  const count = reader.u32();
  const size = reader.compactSize();
  const hashes: Uint8Array[] = [];
  for (let i = 0; i < size; i++) hashes.push(reader.bytes(32));
  const packed = reader.varBytes();
  const flags: boolean[] = [];
  for (const byte of packed) for (let bit = 0; bit < 8; bit++) flags.push(((byte >> bit) & 1) === 1);
  return { count, hashes, flags };
}

/** Returns the root, and the marked txids with their positions in the block; null if the tree is malformed. */
export function extractMatches(tree: PartialMerkle, h: Hashes): { root: Uint8Array; txids: Uint8Array[]; positions: number[] } | null {
  const { count, hashes, flags } = tree;
  if (count === 0 || count > MAX_TRANSACTIONS || hashes.length > count || flags.length < hashes.length) return null;
  const txids: Uint8Array[] = [];
  const positions: number[] = [];
  let flagsUsed = 0;
  let hashesUsed = 0;
  let bad = false;
  const walk = (level: number, at: number): Uint8Array => {
    if (bad || flagsUsed >= flags.length) {
      bad = true;
      return new Uint8Array(32);
    }
    const match = flags[flagsUsed++];
    if (level === 0 || !match) {
      if (hashesUsed >= hashes.length) {
        bad = true;
        return new Uint8Array(32);
      }
      const hash = hashes[hashesUsed++];
      if (level === 0 && match) {
        txids.push(hash);
        positions.push(at);
      }
      return hash;
    }
    const left = walk(level - 1, at * 2);
    if (at * 2 + 1 >= widthAt(count, level - 1)) return parentOf(left, left, h);
    const right = walk(level - 1, at * 2 + 1);
    // If two sibling hashes are equal, the tree could represent another list (CVE-2012-2459).
    if (equalBytes(left, right)) bad = true;
    return parentOf(left, right, h);
  };
  const root = walk(heightOf(count), 0);
  const allUsed = Math.ceil(flagsUsed / 8) === Math.ceil(flags.length / 8) && hashesUsed === hashes.length;
  return bad || !allUsed ? null : { root, txids, positions };
}
