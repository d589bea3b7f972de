// Scan jobs: what render threads do for calls with descriptors (deriveaddresses, getdescriptoractivity, scanblocks). Messages of both sides.
import type { PassedSecrets } from '../../link/messages.js';
import { fail, RPC_CODE } from '../errors.js';
import type { IndexRange } from '../range.js';
import type { JobWords } from './coin-job.js';
import type { JobError } from './job-error.js';
import type { StoredBlock, StoredUndo } from './read-job.js';

/** Derives the scripts of scan objects. */
export interface ExpandJob {
  /** The scan objects as JSON. */
  readonly objects: string;
  /** Secrets that were taken out of them; transferred. */
  readonly secrets: PassedSecrets | null;
  readonly words: JobWords;
}

/** Derives the addresses of a descriptor. */
export interface AddressJob {
  readonly descriptor: string;
  /** Null: none was given. */
  readonly range: IndexRange | null;
  /** True if there is an argument for the range, which may be null. */
  readonly hasRange: boolean;
  /** Secrets that were taken out of the descriptor; transferred. */
  readonly secrets: PassedSecrets | null;
  readonly words: JobWords;
}

/** Finds what some scripts received and spent in a block. */
export interface ActivityJob {
  readonly block: StoredBlock;
  readonly undo: StoredUndo | null;
  readonly height: number;
  readonly scripts: ScriptSet;
}

/** A set of scripts (jobs/script-marks.ts), and a number that no other set of the process has. */
export interface ScriptSet {
  readonly packed: SharedArrayBuffer;
  readonly number: number;
}

/** Runs scan jobs. Rejects only if no thread can run them. */
export interface ScanJobs {
  /** @returns the result of deriveaddresses as JSON, in shared memory */
  deriveAddresses(job: AddressJob): Promise<Uint8Array | JobError>;
  /** @returns the distinct scripts; fewer if the job was stopped */
  expandScripts(job: ExpandJob): Promise<SharedArrayBuffer | JobError>;
  /** @returns the events as JSON without brackets, in shared memory; no bytes for none */
  findActivity(job: ActivityJob): Promise<Uint8Array | JobError>;
}

/** Largest result of a scan in bytes. A front could not send more to a client at once. */
const MOST_SCAN_BYTES = 256 << 20;

/** Counts the bytes of a result. */
export class ScanSize {
  #left: number;

  constructor(most = MOST_SCAN_BYTES) {
    this.#left = most;
  }

  /** @throws RpcError if the result is too large */
  add(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) fail(RPC_CODE.OUT_OF_MEMORY, TOO_LARGE);
  }
}

const TOO_LARGE = `The result is larger than ${MOST_SCAN_BYTES >> 20} MiB. Ask for fewer descriptors, addresses or blocks`;
