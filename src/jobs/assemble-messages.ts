// Messages between the node thread and the assembler: numbers, short strings and typed arrays only. The template
// service writes deltas (template/mirror-feed.ts), the assembler's mirror applies them (assemble-mirror.ts), and
// assemble.ts answers requests.

/** Incremented whenever a record here changes its shape. Both sides compare it. */
export const ASSEMBLE_VERSION = 5;

/**
 * Columns of MirrorDelta.rows, which has one row of float64 per changed slot. Fees in satoshis, sizes in sigop-adjusted
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
  /** nLockTime; 0 if no input's sequence enables it. */
  lockTime: 9,
  /** 1 if the transaction has a witness. */
  hasWitness: 10,
  /** Location of the transaction's record in shared memory: segment, byte offset, record length. */
  segment: 11,
  offset: 12,
  length: 13,
  parentCount: 14,
} as const;

/** Number of columns in a row. */
export const ROW_LENGTH = 15;

/** Layout of a record in shared memory: txid, wtxid, serialised transaction. */
export const RECORD_HEADER = 64;
export const TXID_AT = 0;
export const WTXID_AT = 32;

/** Changes of the mempool since the previous delta. */
export interface MirrorDelta {
  /** Random number that identifies the mempool that wrote the delta. */
  readonly instance: number;
  /** Sequence that the mirror must have; -1 for a full copy, before which the mirror is cleared. */
  readonly base: number;
  /** Sequence of the mirror after the delta. */
  readonly sequence: number;
  /** New segments of shared memory, and segments to drop (null). A number may later name another segment. */
  readonly segments: readonly { readonly index: number; readonly buffer: SharedArrayBuffer | null }[];
  /** Slots whose transactions left; applied first. */
  readonly removed: Int32Array;
  /** Slots with new transactions, or changed figures or parents. */
  readonly changed: Int32Array;
  /** Rows of ROW_LENGTH for `changed`; the array may be longer. */
  readonly rows: Float64Array;
  /** Parents' slots of the changed slots, concatenated. */
  readonly parents: Int32Array;
}

/**
 * core: ancestor order of Core 0.21. chunks: chunks of clusters as in Core's master. live: the better of both, in an
 * order that changes little between templates.
 */
export type AssemblyMode = 'core' | 'chunks' | 'live';

/** Request to update the mirror, select transactions and encode them. */
export interface AssembleRequest {
  readonly version: number;
  readonly delta: MirrorDelta;
  /** Height of the block being built. */
  readonly height: number;
  /** Median time past of the parent block, to which BIP-0113 compares lock times. */
  readonly lockTimeCutoff: number;
  /** True if segwit is active for the block: admits witnesses, and decides the unit of sigops. */
  readonly segwitActive: boolean;
  readonly maxWeight: number;
  /** Weight reserved for header and coinbase. */
  readonly reservedWeight: number;
  readonly mode: AssemblyMode;
  /** True if the coinbase's merkle branch is needed. */
  readonly branch: boolean;
  /** Satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** Limit of the block's sigop cost, including the coinbase's. */
  readonly maxSigops: number;
  /** Slots that are excluded, together with all their descendants. */
  readonly excluded: Int32Array;
  /** True for a template for one client: the retained order and bytes of the shared template stay unchanged. */
  readonly apart: boolean;
  /** Buffer for the JSON array; null if only the order is needed. */
  readonly output: SharedArrayBuffer | null;
}

/** resync: a full delta is needed. overflow: the slab is too small. invalid: the selection broke a rule (a bug, see problem). */
export type AssembleStatus = 'done' | 'resync' | 'overflow' | 'invalid';

/** Result of an idle task. idle: there was nothing to do. more: work is left. done: all orders are optimal now. */
export type ImproveResult = 'idle' | 'more' | 'done';

/** The assembler's selection. */
export interface AssembleReply {
  readonly version: number;
  readonly status: AssembleStatus;
  /** Empty unless the status is invalid. */
  readonly problem: string;
  /** Sequence of the mirror, which acknowledges all earlier deltas. -1 if the mirror is empty. */
  readonly sequence: number;
  /** Selected slots in block order. */
  readonly slots: Int32Array;
  readonly fees: number;
  /** Weight of the block, including the reserve for header and coinbase. */
  readonly weight: number;
  readonly sigops: number;
  /** The lowest fee rate of a selected package, as modified fees over sigop-adjusted weight; null if none was selected. */
  readonly cut: { readonly fee: number; readonly size: number } | null;
  /** Length of the JSON array in `output`. */
  readonly encodedLength: number;
  /** Root of the witness merkle tree with a zero leaf for the coinbase, 32 bytes. */
  readonly witnessRoot: Uint8Array;
  /** Sibling hashes from the coinbase up to the merkle root, 32 bytes each; empty if not requested. */
  readonly merkleBranch: readonly Uint8Array[];
  readonly selectMs: number;
  readonly encodeMs: number;
}
