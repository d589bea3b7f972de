// Matches block filters against scripts: the message, its result, and the function that runs on a worker thread (workers/verify.ts).
import { DecodeError } from '../consensus/bytes/reader.js';
import { filterKey, matchesAny } from '../filters/index.js';
import { unpackScripts } from './script-marks.js';

/** Incremented whenever a field of MatchJob changes its meaning. */
export const MATCH_MESSAGE_VERSION = 1;

/**
 * Milliseconds after which a job returns its results so far. A block that must be verified waits no longer than this
 * plus one filter.
 */
const BUDGET_MS = 5;
const HASH_BYTES = 32;

/** Filters of BIP-0158, concatenated. */
export interface MatchJob {
  readonly version: typeof MATCH_MESSAGE_VERSION;
  /** Made by packScripts. */
  readonly scripts: SharedArrayBuffer;
  /** Hashes of the filters' blocks, 32 bytes each, internal order. */
  readonly hashes: Uint8Array;
  readonly filters: Uint8Array;
  readonly ends: Uint32Array;
}

/** @param blocks at least one */
export function packMatchJob(
  scripts: SharedArrayBuffer,
  blocks: readonly { readonly hash: Uint8Array; readonly filter: Uint8Array }[],
): MatchJob {
  const hashes = new Uint8Array(blocks.length * HASH_BYTES);
  const filters = new Uint8Array(blocks.reduce((sum, { filter }) => sum + filter.length, 0));
  const ends = new Uint32Array(blocks.length);
  let end = 0;
  for (const [i, { hash, filter }] of blocks.entries()) {
    hashes.set(hash, i * HASH_BYTES);
    filters.set(filter, end);
    end += filter.length;
    ends[i] = end;
  }
  return { version: MATCH_MESSAGE_VERSION, scripts, hashes, filters, ends };
}

/**
 * @returns for each filter, in order, 1 if it may match one of the scripts, else 0. At least one filter is processed,
 * possibly not all. A filter that cannot be decoded may match anything.
 */
export function runMatchJob({ version, scripts, hashes, filters, ends }: MatchJob, nowMs: () => number): Uint8Array {
  if (version !== MATCH_MESSAGE_VERSION) throw new Error(`Match message version ${version} is not ${MATCH_MESSAGE_VERSION}`);
  const wanted = unpackScripts(scripts);
  const started = nowMs();
  const hits = new Uint8Array(ends.length);
  for (let i = 0; i < ends.length; i++) {
    const key = filterKey(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
    const filter = filters.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    hits[i] = mayHold(filter, key, wanted) ? 1 : 0;
    if (nowMs() - started > BUDGET_MS) return hits.slice(0, i + 1);
  }
  return hits;
}

function mayHold(filter: Uint8Array, key: ReturnType<typeof filterKey>, wanted: readonly Uint8Array[]): boolean {
  try {
    return matchesAny(filter, key, wanted);
  } catch (error) {
    if (error instanceof DecodeError) return true;
    throw error;
  }
}
