// Messages between the node's thread and the assembler: numbers, short strings and typed arrays only. The template
// service writes deltas (template/mirror-feed.ts), the assembler's mirror applies them (assemble-mirror.ts),
// run-assemble.ts answers requests.

/** Raised whenever a record here changes shape; both sides compare it. */
export const ASSEMBLE_VERSION = 5;

/**
 * Columns of MirrorDelta.rows, one row of float64 for each changed slot. Fees in satoshis, sizes in sigop-adjusted
 * virtual bytes.
 */
export const COLUMN = {
  fee: 0,
  modifiedFee: 1,
  size: 2,
  weight: 3,
  sigops: 4,
  ancestorCount: 5,
  ancestorSize: 6,
  ancestorFees: 7,
  ancestorSigops: 8,
  /** nLockTime, 0 when no input's sequence enables it. */
  lockTime: 9,
  /** 1 when the transaction carries a witness. */
  hasWitness: 10,
  /** Where its record lies in shared memory: segment, byte offset, record length. */
  segment: 11,
  offset: 12,
  length: 13,
  parentCount: 14,
} as const;

/** Number of columns in a row. */
export const ROW_LENGTH = 15;

/** A record in shared memory is txid, wtxid, then the serialised transaction. */
export const RECORD_HEADER = 64;
export const TXID_AT = 0;
export const WTXID_AT = 32;

/** Changes of the mempool since the delta before. */
export interface MirrorDelta {
  /** Random number of the mempool that wrote it. */
  readonly instance: number;
  /** Sequence the mirror must be at; -1 = full copy, whatever the mirror holds is dropped. */
  readonly base: number;
  /** Sequence the mirror is at afterwards. */
  readonly sequence: number;
  /**
   * Memory that the mirror has not seen, and numbers whose memory it shall forget (null). The same number may stand for
   * other memory later.
   */
  readonly segments: readonly { readonly index: number; readonly buffer: SharedArrayBuffer | null }[];
  /** Slots that left; applied first. */
  readonly removed: Int32Array;
  /** Slots that came or whose numbers or parents changed. */
  readonly changed: Int32Array;
  /** changed.length rows of ROW_LENGTH, maybe with room behind them. */
  readonly rows: Float64Array;
  /** Parents' slots of the changed ones, end to end. */
  readonly parents: Int32Array;
}

/**
 * core: ancestor order of Core 0.21. chunks: chunks of clusters as Core's master takes them. live: the better of both,
 * in an order that changes little.
 */
export type AssemblyMode = 'core' | 'chunks' | 'live';

/** Bring the mirror up to date, choose transactions, encode them. */
export interface AssembleRequest {
  readonly version: number;
  readonly delta: MirrorDelta;
  /** Height of the block being built. */
  readonly height: number;
  /** Median time past of its parent: what BIP-0113 compares lock times with. */
  readonly lockTimeCutoff: number;
  /** Whether segwit is active for the block: admits witnesses, decides the sigops unit. */
  readonly segwitActive: boolean;
  readonly maxWeight: number;
  /** Weight kept free for header and coinbase. */
  readonly reservedWeight: number;
  readonly mode: AssemblyMode;
  /** Whether the coinbase's merkle branch is wanted. */
  readonly branch: boolean;
  /** Satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** Sigop cost of the block, with the coinbase's. */
  readonly maxSigops: number;
  /** Slots that stay out, with all that depends on them. */
  readonly excluded: Int32Array;
  /** Of a template for one client: what is remembered of the shared one, its order and bytes, stays as it is. */
  readonly apart: boolean;
  /** Where the JSON array goes; null when only the order is wanted. */
  readonly output: SharedArrayBuffer | null;
}

/**
 * resync: send a full delta. overflow: the slab is too small. invalid: the assembly broke a rule (a bug, see problem).
 */
export type AssembleStatus = 'done' | 'resync' | 'overflow' | 'invalid';

/** Of an idle task. idle: there was nothing to do; more: there still is; done: all orders are at their best now. */
export type ImproveResult = 'idle' | 'more' | 'done';

/** What the assembler chose. */
export interface AssembleReply {
  readonly version: number;
  readonly status: AssembleStatus;
  /** Empty unless status is invalid. */
  readonly problem: string;
  /** Sequence the mirror is at: all earlier deltas are acknowledged. -1 when it holds nothing. */
  readonly sequence: number;
  /** Chosen slots in block order. */
  readonly slots: Int32Array;
  readonly fees: number;
  /** With the part reserved for header and coinbase. */
  readonly weight: number;
  readonly sigops: number;
  /**
   * The lowest rate at which a package was taken: modified fees over sigop-adjusted weight; null when nothing was
   * taken.
   */
  readonly cut: { readonly fee: number; readonly size: number } | null;
  /** Bytes of the JSON array in output. */
  readonly encodedLength: number;
  /** Root of the witness tree with a zero leaf for the coinbase, 32 bytes. */
  readonly witnessRoot: Uint8Array;
  /** Sibling hashes from the coinbase up to the merkle root, 32 bytes each; empty when it isn't wanted. */
  readonly merkleBranch: readonly Uint8Array[];
  readonly selectMs: number;
  readonly encodeMs: number;
}
