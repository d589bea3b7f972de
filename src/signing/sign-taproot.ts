// Solves taproot outputs: by the key path if the key is available, otherwise by the leaf with the smallest witness.
// Core: script/sign.cpp SignTaproot.

import type { KeyOrigin } from '../address/descriptor/expansion.js';
import { compactSizeLength } from '../consensus/bytes/compact-size.js';
import { compareBytes, hashKey } from '../consensus/bytes/hex.js';
import { TAPROOT_LEAF_TAPSCRIPT, tapleafHash } from '../consensus/script/taproot.js';
import { satisfyScript } from './satisfy-script.js';
import { emptyTaproot, leafKey, type SignatureData, type SpendableLeaf, type TaprootData } from './signature-data.js';
import { idsOfXOnly } from './signing-provider.js';
import type { SolvingTools } from './solving-tools.js';

/** Returns the witness, bottom first; null if no path is possible. @param outputKey x-only */
export function signTaproot(outputKey: Uint8Array, data: SignatureData, tools: SolvingTools): Uint8Array[] | null {
  data.taproot ??= emptyTaproot();
  const taproot = data.taproot;
  const known = tools.provider.taproot?.(outputKey);
  if (known) {
    taproot.internalKey ??= known.internalKey;
    taproot.merkleRoot ??= known.merkleRoot;
    for (const leaf of known.leaves) taproot.leaves.set(leafKey(leaf), leaf);
  }
  const { internalKey } = taproot;
  for (const key of [internalKey, outputKey]) if (key) recordKeyOrigin(key, null, taproot, tools);
  if (internalKey) taproot.keySignature ??= tools.createSchnorr?.(internalKey, null, { merkleRoot: taproot.merkleRoot }) ?? null;
  // If the internal key is unknown, the output key itself may be available (rawtr).
  taproot.keySignature ??= tools.createSchnorr?.(outputKey, null, null) ?? null;
  return taproot.keySignature ? [taproot.keySignature] : smallestLeaf(taproot, tools);
}

function smallestLeaf(taproot: TaprootData, tools: SolvingTools): Uint8Array[] | null {
  let best: Uint8Array[] | null = null;
  const leaves = [...taproot.leaves.values()].sort(
    (a, b) => compareBytes(a.script, b.script) || a.leafVersion - b.leafVersion || shortestFirst(a.controlBlock, b.controlBlock),
  );
  let last: SpendableLeaf | null = null;
  for (const leaf of leaves) {
    // Skip repeated leaves. If a leaf is at several places in the tree, the one with the shortest path comes first.
    const repeated = last !== null && compareBytes(last.script, leaf.script) === 0 && last.leafVersion === leaf.leafVersion;
    last = leaf;
    if (repeated) continue;
    const stack = leafWitness(leaf, taproot, tools);
    if (stack && (best === null || witnessSize(stack) < witnessSize(best))) best = stack;
  }
  return best;
}

const shortestFirst = (a: Uint8Array, b: Uint8Array): number => a.length - b.length || compareBytes(a, b);

const witnessSize = (items: readonly Uint8Array[]): number =>
  items.reduce((size, { length }) => size + compactSizeLength(length) + length, compactSizeLength(items.length));

function leafWitness(leaf: SpendableLeaf, taproot: TaprootData, tools: SolvingTools): Uint8Array[] | null {
  if (leaf.leafVersion !== TAPROOT_LEAF_TAPSCRIPT) return null;
  const leafHash = tapleafHash(leaf.leafVersion, leaf.script, tools.hashes);
  const below = satisfyScript(leaf.script, 'tapscript', tools, {
    signature: (publicKey) => leafSignature(publicKey, leafHash, taproot, tools),
    keyOfHash: (hash) => xOnlyOfHash(hash, taproot, tools),
  });
  return below && [...below, leaf.script, leaf.controlBlock];
}

function leafSignature(publicKey: Uint8Array, leafHash: Uint8Array, taproot: TaprootData, tools: SolvingTools): Uint8Array | null {
  recordKeyOrigin(publicKey, leafHash, taproot, tools);
  const key = hashKey(publicKey) + hashKey(leafHash);
  const known = taproot.leafSignatures.get(key);
  if (known) return known.signature;
  const signature = tools.createSchnorr?.(publicKey, leafHash, null) ?? null;
  if (signature) taproot.leafSignatures.set(key, { publicKey, leafHash, signature });
  return signature;
}

/** Records the origin of a key, for the signers of a PSBT. */
function recordKeyOrigin(publicKey: Uint8Array, leafHash: Uint8Array | null, { keys }: TaprootData, tools: SolvingTools): void {
  if (!tools.everyKey) return;
  const id = hashKey(publicKey);
  let known = keys.get(id);
  if (known === undefined) {
    const origin = originOfXOnly(publicKey, tools);
    if (origin === undefined) return;
    known = { publicKey, leafHashes: new Map(), origin };
    keys.set(id, known);
  }
  if (leafHash) known.leafHashes.set(hashKey(leafHash), leafHash);
}

function originOfXOnly(publicKey: Uint8Array, { provider, hashes }: SolvingTools): KeyOrigin | undefined {
  const [even, odd] = idsOfXOnly(publicKey, hashes);
  return provider.origin?.(even) ?? provider.origin?.(odd);
}

/** Returns the x-only key with this HASH160, among the known ones. */
function xOnlyOfHash(hash: Uint8Array, taproot: TaprootData, tools: SolvingTools): Uint8Array | null {
  const wanted = hashKey(hash);
  for (const { publicKey } of [...taproot.keys.values(), ...taproot.leafSignatures.values()]) {
    if (hashKey(tools.hashes.hash160(publicKey)) === wanted) return publicKey;
  }
  return tools.provider.publicKey(hash)?.slice(-32) ?? null;
}
