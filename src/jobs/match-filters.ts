// Holds block filters against scripts: the message, its result, and the run function. Posted by
// parallel/filter-matcher.ts, run by workers/verify.ts.
import { DecodeError } from '../consensus/bytes/reader.js';
import { filterKey } from '../filters/basic-filter.js';
import { matchesAny } from '../filters/gcs.js';
import { unpackScripts } from './script-marks.js';

/** Raised whenever a field of MatchJob changes meaning. */
export const MATCH_MESSAGE_VERSION = 1;

/**
 * Milliseconds after which a job ends with what it has: a block that must be verified waits no longer than this and one
 * filter.
 */
const BUDGET_MS = 5;
const HASH_BYTES = 32;

/** Filters of BIP-0158, one after the other. */
export interface MatchJob {
  readonly version: typeof MATCH_MESSAGE_VERSION;
  /** packScripts. */
  readonly scripts: SharedArrayBuffer;
  /** The filters' blocks, 32 bytes each, internal order. */
  readonly hashes: Uint8Array;
  readonly filters: Uint8Array;
  /** Where each filter ends. */
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
 * @returns for each filter, in order, 1 when it may hold one of the scripts; perhaps not for all of them, but for one
 * at
 *   least. One that cannot be read may hold anything.
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
