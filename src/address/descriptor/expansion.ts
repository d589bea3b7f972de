// Expansion of a descriptor at one index: output scripts, and what a signer needs.
import type { MiniscriptContext, MiniscriptNode } from '../miniscript/fragment.js';

/** Origin of a key, as in BIP-0174. */
export interface KeyOrigin {
  /** Fingerprint of the key from which the path starts (if the path is empty, the key itself), four bytes. */
  readonly fingerprint: Uint8Array;
  /** Child numbers. Hardened ones include HARDENED. */
  readonly path: readonly number[];
}

/** Public key with its origin. */
export interface OriginKey {
  /** 33 or 65 bytes; for x-only keys 33 with even y. */
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
}

/** Leaf of a taproot script tree. */
export interface TaprootLeaf {
  readonly script: Uint8Array;
  readonly leafVersion: number;
  readonly depth: number;
  /** Tagged hash of version and script. */
  readonly leafHash: Uint8Array;
  /** Control block for spending by this leaf: version and parity, internal key, merkle path (BIP-0341). */
  readonly controlBlock: Uint8Array;
}

/** Internal data of a taproot output. */
export interface TaprootOutput {
  /** Output key and internal key are x-only, 32 bytes. */
  readonly outputKey: Uint8Array;
  readonly internalKey: Uint8Array;
  /** Merkle root of the script tree; null for a key-path-only output. */
  readonly merkleRoot: Uint8Array | null;
  /** Leaves in the order of the descriptor. */
  readonly leaves: readonly TaprootLeaf[];
}

/** Miniscript, with what a signer needs to satisfy it (miniscript/satisfy.ts). */
export interface MiniscriptPart {
  readonly script: Uint8Array;
  readonly context: MiniscriptContext;
  readonly tree: MiniscriptNode;
  /** Public keys by their number in the tree, 33 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** Expansion of a descriptor at one index. */
export interface Expansion {
  /** Output scripts: one, or for combo() two or four in Core's order. */
  readonly scripts: readonly Uint8Array[];
  /** All keys with their origins, in the order of the descriptor; for musig() also its participants. */
  readonly keys: readonly OriginKey[];
  /** Keys that a script contains only as a hash, 33 or 65 bytes each. A signer needs them. */
  readonly hashedKeys: readonly Uint8Array[];
  /** Redeem scripts and witness scripts. */
  readonly innerScripts: readonly Uint8Array[];
  /** Internal data of a tr() output; null for all others, including rawtr(). */
  readonly taproot: TaprootOutput | null;
  /** Witness scripts and leaves that are general miniscript, not a standard template such as multisig. */
  readonly miniscripts: readonly MiniscriptPart[];
}
