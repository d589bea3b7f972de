// What a descriptor stands for at one index: output scripts, and what a signer must know of them.
import type { MiniscriptContext, MiniscriptNode } from '../miniscript/fragment.js';

/** Where a key comes from (BIP-0174's sense). */
export interface KeyOrigin {
  /** Four bytes: of the first key of the path, or of the key itself when the path is empty. */
  readonly fingerprint: Uint8Array;
  /** Child numbers, hardened ones with HARDENED added. */
  readonly path: readonly number[];
}

/** A public key with its origin. */
export interface OriginKey {
  /** 33 or 65 bytes; for x-only keys 33 with even y. */
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
}

/** A leaf of a taproot output's script tree. */
export interface TaprootLeaf {
  readonly script: Uint8Array;
  readonly leafVersion: number;
  readonly depth: number;
  /** Tagged hash of version and script. */
  readonly leafHash: Uint8Array;
  /** What spends it by this leaf: version and parity, internal key, merkle nodes (BIP-0341). */
  readonly controlBlock: Uint8Array;
}

/** Everything behind a taproot output. */
export interface TaprootOutput {
  /** x-only, 32 bytes. */
  readonly outputKey: Uint8Array;
  readonly internalKey: Uint8Array;
  /** Null for a key-path-only output. */
  readonly merkleRoot: Uint8Array | null;
  /** In the order of the descriptor. */
  readonly leaves: readonly TaprootLeaf[];
}

/** A script made of miniscript, with what a signer needs to satisfy it (miniscript/satisfy.ts). */
export interface MiniscriptPart {
  readonly script: Uint8Array;
  readonly context: MiniscriptContext;
  readonly tree: MiniscriptNode;
  /** Public keys by place, 33 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** A descriptor at one index. */
export interface Expansion {
  /** Output scripts: one; for combo() two or four, in Core's order. */
  readonly scripts: readonly Uint8Array[];
  /** All keys with their origins, in the order of the descriptor (those of musig() with their parts). */
  readonly keys: readonly OriginKey[];
  /** Keys that a script names by their hash alone, so that a solver must be told them (33 or 65 bytes). */
  readonly hashedKeys: readonly Uint8Array[];
  /** Scripts that others name by their hash: redeem scripts, witness scripts. */
  readonly innerScripts: readonly Uint8Array[];
  /** What is behind a tr() output; null for every other kind, rawtr() among them. */
  readonly taproot: TaprootOutput | null;
  /** Witness scripts and leaves that are miniscript, of forms that have no name of their own. */
  readonly miniscripts: readonly MiniscriptPart[];
}
