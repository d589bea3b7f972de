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

/** The result of getblockstats. */
export interface StatsJob {
  readonly kind: 'stats';
  readonly block: StoredBlock;
  readonly facts: Pick<BlockFacts, 'height' | 'mediantime'>;
  readonly undo: StoredUndo | null;
  /** Names of the requested values; empty for all. */
  readonly wanted: readonly string[];
}

/** The result of gettxoutproof. */
export interface ProofJob {
  readonly kind: 'proof';
  readonly block: StoredBlock;
  /** Transaction ids in display order. */
  readonly txids: readonly string[];
}

/** Form of a transaction: bytes, hex, hex as a JSON string, and an object of getrawtransaction or of REST. */
export type TxForm = 'bytes' | 'hex' | 'string' | 'object' | 'rest';

/** Members of a transaction object that only the node thread knows. */
export interface TxPlaceMembers {
  readonly in_active_chain?: boolean;
  readonly vsize_adjusted?: number;
  readonly blockhash?: string;
  readonly confirmations?: number;
  readonly time?: number;
  readonly blocktime?: number;
}

/** A transaction of a block. */
export interface TxJob {
  readonly kind: 'tx';
  /** The block. `hash` is empty for a job that does not check the hash of the bytes it reads. */
  readonly block: StoredBlock;
  /** Position of the transaction in the block; null: it is searched by its id. */
  readonly at: { readonly offset: number; readonly size: number } | null;
  /** Display order. */
  readonly txid: string;
  readonly form: TxForm;
  readonly members: TxPlaceMembers;
  /** Null: neither fee nor spent outputs are shown. */
  readonly undo: StoredUndo | null;
}

/** A transaction that the node thread has in memory. A front renders it without the block files. */
export interface PooledTxJob {
  readonly kind: 'pooled-tx';
  /** The whole transaction. */
  readonly hex: string;
  readonly form: 'object' | 'rest';
  readonly members: TxPlaceMembers;
}

/** Consecutive headers of the active chain as REST shows them. */
export interface HeadersJob {
  readonly kind: 'headers';
  /** 80 bytes for each header, base64. */
  readonly headers: string;
  /** Number of transactions of each block; 0 if it is unknown. */
  readonly txCounts: readonly number[];
  /** Height of the first header, and of the tip. */
  readonly height: number;
  readonly tipHeight: number;
  /** Times of the ten headers before the first, oldest first; fewer at the beginning of the chain. */
  readonly timesBefore: readonly number[];
  /** Work of the chain before the first header, hex. */
  readonly workBefore: string;
  /** Hash of the block after the last header, display order; null for none. */
  readonly next: string | null;
}

/** The outputs that a block spent, as REST returns them. */
export interface SpentJob {
  readonly kind: 'spent';
  readonly block: StoredBlock;
  /** Hash of the previous block, display order. */
  readonly prevHash: string;
  /** Null for the genesis block, which spends nothing. */
  readonly undo: StoredUndo | null;
  readonly form: 'bytes' | 'hex' | 'object';
}

/** The result of getblockfilter. Hex of a filter takes four times as long as base64, so the front makes the hex. */
export interface FilterJob {
  readonly kind: 'filter';
  /** Base64. */
  readonly filter: string;
  /** Hash of the filter header, display order. */
  readonly header: string;
}

/** A call with long arguments that depends on its arguments only. */
export interface DecodeJob {
  readonly kind: 'decode';
  readonly method: DecodeMethod;
  /** The positional arguments as JSON. */
  readonly args: string;
}

/** Methods of decode jobs. */
export const DECODE_METHODS = ['decoderawtransaction', 'decodepsbt', 'analyzepsbt', 'finalizepsbt', 'combinepsbt', 'joinpsbts'] as const;
export type DecodeMethod = (typeof DECODE_METHODS)[number];

export type ReadJob = BlockJob | BytesJob | StatsJob | ProofJob | TxJob | PooledTxJob | HeadersJob | SpentJob | FilterJob | DecodeJob;

/**
 * Encodes a job. Jobs of getblock and getblockfilter are written by hand, because explorers ask for ever new blocks and
 * JSON.stringify() takes 4 us for such a job (0.6 here).
 */
export function encodeReadJob(job: ReadJob): string {
  if (job.kind === 'filter') return `${FILTER_START},"filter":"${job.filter}","header":"${job.header}"}`;
  if (job.kind !== 'block') return JSON.stringify(job);
  const { block, verbosity, facts, undo } = job;
  const { file, pos, hash } = block;
  const { height, confirmations, mediantime, chainwork, next } = facts;
  const place = `${folderText(block)},"file":${file},"pos":${pos},"hash":"${hash}"}`;
  const known = `{"height":${height},"confirmations":${confirmations},"mediantime":${mediantime},"chainwork":"${chainwork}"`;
  const undoText = typeof undo === 'string' ? `"${undo}"` : undo;
  return `{"kind":"block","block":${place},"verbosity":${verbosity},"facts":${known},"next":${next && `"${next}"`}},"undo":${undoText}}`;
}

let lastFolder: Pick<StoredBlock, 'dir' | 'prunes'> = { dir: '', prunes: false };
let lastFolderText = '';

/** Encodes the members about the folder, which are the same for all blocks, without the closing brace. */
function folderText(block: StoredBlock): string {
  const { dir, magic, xor, prunes } = block;
  if (lastFolder.dir !== dir || lastFolder.prunes !== prunes) {
    lastFolder = { dir, prunes };
    lastFolderText = JSON.stringify({ dir, magic, xor, prunes }).slice(0, -1);
  }
  return lastFolderText;
}

/** Returns whether the facts of a job, as JSON, stay true until blocks change. */
export const isBlockJob = (job: string): boolean => ABOUT_BLOCKS.test(job) && !hasUnknownCount(job);

const ABOUT_BLOCKS = /^\{"kind":"(block|bytes|stats|proof|tx|spent|headers|filter)"/;
/** Returns whether a job has a header whose block is not stored: its number of transactions changes when the block arrives. */
function hasUnknownCount(job: string): boolean {
  const counts = /"txCounts":\[([\d,]*)/.exec(job);
  return counts?.[1].split(',').includes('0') === true;
}

/** Returns whether a job, as JSON, needs no file and little time, so that it need not cross to another thread. */
export const isSmallJob = (job: string): boolean =>
  job.startsWith(FILTER_START) || (job.length < MOST_SMALL_CHARS && NEEDS_NO_FILE.test(job));

const FILTER_START = '{"kind":"filter"';

const NEEDS_NO_FILE = /^\{"kind":"(pooled-tx|headers)"/;

/** Rendering a transaction of 2 kB, or 30 headers, takes a few tenths of a millisecond. */
const MOST_SMALL_CHARS = 4_096;

/** Result of a call that is not rendered yet. */
export class PendingRead {
  readonly job: ReadJob;
  constructor(job: ReadJob) {
    this.job = job;
  }
}

/** Result of a job: JSON (or what REST returns) in parts, or an error. */
export type ReadResult =
  | { readonly parts: readonly Uint8Array[] }
  | { readonly code: number; readonly message: string /** Line for the log; null for none. */; readonly log: string | null };

/** Runs a job, given as JSON. Rejects only if no thread can run it. @param signal drops a job that has not started */
export type RunReadJob = (job: string, signal?: AbortSignal) => Promise<ReadResult>;

/** Error texts if undo data was pruned, or cannot be read. */
export const PRUNED_UNDO = 'Undo data not available (pruned data)';
export const MISSING_UNDO = "Can't read undo data from disk";

/** Returns whether the error of a job says that the undo data is not there, or damaged. */
export const isWithoutUndo = ({ message }: { readonly message: string }): boolean => message === PRUNED_UNDO || message === MISSING_UNDO;
