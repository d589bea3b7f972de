// Read jobs: the node thread answers a call about stored blocks with facts (positions in the block files, numbers of
// headers). A thread that renders (workers/render.ts) reads the files and writes the result. All facts of a job were
// true at the same moment, so a reorganisation during the read changes nothing. A job is JSON, which crosses threads as
// text and is the key of shared results.

/** Position of a stored block, and the format of its file. */
export interface StoredBlock {
  /** Folder of the block files. */
  readonly dir: string;
  /** Message start of the network, hex. */
  readonly magic: string;
  /** XOR key of the folder, hex; null for none. */
  readonly xor: string | null;
  readonly file: number;
  readonly pos: number;
  /** Hash of the block in display order. */
  readonly hash: string;
  /** True if the node prunes, so that a missing file means a pruned block. */
  readonly prunes: boolean;
}

/** Undo data of a block: its position in the rev file of the same number, or its bytes in base64 until they are written. */
export type StoredUndo = number | string;

/** Facts about a block in the chain that its header lacks. */
export interface BlockFacts {
  readonly height: number;
  /** -1 outside the active chain. */
  readonly confirmations: number;
  readonly mediantime: number;
  /** Work of the chain up to the block, hex with leading zeros. */
  readonly chainwork: string;
  /** Hash of the next block in the active chain, display order; null for none. */
  readonly next: string | null;
}

/** The result of getblock. */
export interface BlockJob {
  readonly kind: 'block';
  readonly block: StoredBlock;
  readonly verbosity: number;
  readonly facts: BlockFacts;
  /** Null: neither fees nor spent outputs are shown. */
  readonly undo: StoredUndo | null;
}

/** Bytes of a block as REST returns them: null for a part that the block does not have. */
export interface BytesJob {
  readonly kind: 'bytes';
  readonly block: StoredBlock;
  readonly part: { readonly offset: number; readonly size: number } | null;
  /** True to return hex. */
  readonly hex: boolean;
}

export type ReadJob = BlockJob | BytesJob;

/** Result of a call that is not rendered yet. */
export class PendingRead {
  readonly job: ReadJob;
  constructor(job: ReadJob) {
    this.job = job;
  }
}

/** Result of a job: JSON (or the bytes of a BytesJob) in parts, or an error. */
export type ReadResult =
  | { readonly parts: readonly Uint8Array[] }
  | { readonly code: number; readonly message: string /** Line for the log; null for none. */; readonly log: string | null };

/** Runs a job, given as JSON. Rejects only if no thread can run it. @param signal drops a job that has not started */
export type RunReadJob = (job: string, signal?: AbortSignal) => Promise<ReadResult>;
