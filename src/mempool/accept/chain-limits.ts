// How many unconfirmed relatives a transaction may have (Core 0.21's CalculateMemPoolAncestors and the rules around it). The walk goes
// by txid, because the first limit it meets is the one reported.
import { hashToHex } from '../../consensus/bytes/hex.js';
import { policyReject } from '../../policy/reject.js';
import { compareEntryIds, type MempoolEntry } from '../entry.js';
import type { TxPool } from '../tx-pool.js';
import { idHex } from './pre-checks.js';
import type { Step, Workspace } from './workspace.js';

interface Limits {
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  readonly descendantCount: number;
  readonly descendantSize: number;
}

/** The second child of a channel's transaction may go one over the limit if it is small and has no other ancestor. */
const CARVE_OUT_SIZE = 10_000;
const CARVE_OUT_ANCESTORS = 2;

/** Fills in work.ancestors. */
export const checkChainLimits: Step = (work, { pool, options }) => {
  let descendantCount = options.limitDescendantCount;
  let descendantSize = options.limitDescendantSize;
  // A replacement of one transaction takes its place, so the room of what it replaces is its own.
  if (work.conflicts.size === 1) {
    const [rival] = work.conflicts;
    descendantCount += 1;
    descendantSize += rival.descendantSize;
  }
  const limits: Limits = {
    ancestorCount: options.limitAncestorCount,
    ancestorSize: options.limitAncestorSize,
    descendantCount,
    descendantSize,
  };
  const fault = findAncestors(work, pool, limits);
  if (fault === null) return null;
  const carveOut: Limits = {
    ...limits,
    ancestorCount: CARVE_OUT_ANCESTORS,
    descendantCount: descendantCount + 1,
    descendantSize: descendantSize + CARVE_OUT_SIZE,
  };
  if (work.size <= CARVE_OUT_SIZE && findAncestors(work, pool, carveOut) === null) return null;
  return policyReject('mempool-policy', 'too-long-mempool-chain', fault);
};

/** What it replaces must not be what it spends. */
export const checkOwnConflicts: Step = (work) => {
  if (work.conflicts.size === 0) return null;
  for (const ancestor of [...work.ancestors].sort(compareEntryIds)) {
    if (work.conflicts.has(ancestor)) {
      const debug = `${idHex(work.tx)} spends conflicting transaction ${hashToHex(ancestor.tx.txid)}`;
      return policyReject('consensus', 'bad-txns-spends-conflicting-tx', debug);
    }
  }
  return null;
};

/** @returns the limit that is exceeded, or null with work.ancestors filled in */
function findAncestors(work: Workspace, pool: TxPool, limits: Limits): string | null {
  const { size } = work;
  const found = new Set<MempoolEntry>();
  const stage = new Set<MempoolEntry>();
  for (const txid of work.keys.parents) {
    const parent = pool.getByKey(txid);
    if (parent === undefined) continue;
    stage.add(parent);
    if (stage.size + 1 > limits.ancestorCount) return `too many unconfirmed parents [limit: ${limits.ancestorCount}]`;
  }
  let total = size;
  while (stage.size > 0) {
    const next = smallestId(stage);
    stage.delete(next);
    found.add(next);
    total += next.size;
    if (next.descendantSize + size > limits.descendantSize) {
      return `exceeds descendant size limit for tx ${hashToHex(next.tx.txid)} [limit: ${limits.descendantSize}]`;
    }
    if (next.descendantCount + 1 > limits.descendantCount) {
      return `too many descendants for tx ${hashToHex(next.tx.txid)} [limit: ${limits.descendantCount}]`;
    }
    if (total > limits.ancestorSize) return `exceeds ancestor size limit [limit: ${limits.ancestorSize}]`;
    for (const parent of next.parents) {
      if (!found.has(parent)) stage.add(parent);
      if (stage.size + found.size + 1 > limits.ancestorCount) {
        return `too many unconfirmed ancestors [limit: ${limits.ancestorCount}]`;
      }
    }
  }
  work.ancestors = found;
  return null;
}

function smallestId(entries: ReadonlySet<MempoolEntry>): MempoolEntry {
  let best: MempoolEntry | undefined;
  for (const entry of entries) if (best === undefined || compareEntryIds(entry, best) < 0) best = entry;
  return best as MempoolEntry;
}
