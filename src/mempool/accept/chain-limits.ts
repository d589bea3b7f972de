// How many unconfirmed relatives a transaction may have (Core 0.21's CalculateMemPoolAncestors and the rules around
// it). The walk goes by txid, because the first limit it meets is the one reported.
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { policyReject } from '../../policy/reject.js';
import { collectAncestors } from '../relatives.js';
import { NO_ROW } from '../rows.js';
import type { TxPool } from '../tx-pool.js';
import { idHex } from './pre-checks.js';
import type { Step, Workspace } from './workspace.js';

/** The most relatives there may be, the transaction itself included. */
export interface Limits {
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
  // What spends coins of blocks alone has no ancestors.
  if (work.confirmed) return null;
  let descendantCount = options.limitDescendantCount;
  let descendantSize = options.limitDescendantSize;
  // A replacement of one transaction takes its place, so the room of what it replaces is its own.
  if (work.conflicts.size === 1) {
    const [rival] = work.conflicts;
    descendantCount += 1;
    descendantSize += pool.rows.descendantSize[rival];
  }
  const limits: Limits = {
    ancestorCount: options.limitAncestorCount,
    ancestorSize: options.limitAncestorSize,
    descendantCount,
    descendantSize,
  };
  const fault = findAncestors(work, pool, limits);
  if (fault === null) return null;
  if (work.accept.inPackage !== undefined) return policyReject('mempool-policy', 'too-long-mempool-chain', fault);
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
export const checkOwnConflicts: Step = (work, { pool }) => {
  if (work.conflicts.size === 0) return null;
  for (const ancestor of [...work.ancestors].sort(pool.compareIds)) {
    if (work.conflicts.has(ancestor)) {
      const debug = `${idHex(work.tx)} spends conflicting transaction ${hashToHex(pool.entry(ancestor).txid)}`;
      return policyReject('consensus', 'bad-txns-spends-conflicting-tx', debug);
    }
  }
  return null;
};

/** @returns the limit that is exceeded, or null with work.ancestors filled in */
function findAncestors(work: Workspace, pool: TxPool, limits: Limits): string | null {
  // Without limits there is none to report first, and the walk by txid takes the square of thousands of parents.
  if (Object.values(limits).every((limit) => limit === Number.POSITIVE_INFINITY)) {
    work.ancestors = allAncestors(pool, work.tx);
    return null;
  }
  const relatives = work.accept.returning?.rows;
  const parents = poolParents(pool, [work.tx], limits.ancestorCount, relatives);
  if (parents === null) return `too many unconfirmed parents [limit: ${limits.ancestorCount}]`;
  const found = walkAncestors(pool, parents, { count: 1, size: work.size }, limits, relatives);
  if (typeof found === 'string') return found;
  work.ancestors = relatives === undefined ? found : allAncestors(pool, work.tx);
  return null;
}

function allAncestors(pool: TxPool, tx: TxView): Set<number> {
  const found = poolParents(pool, [tx], Number.POSITIVE_INFINITY) as Set<number>;
  for (const parent of [...found]) for (const ancestor of collectAncestors(pool.links, parent)) found.add(ancestor);
  return found;
}

/** Rows that the transactions spend; null when these alone are too many. @param among only these count, all without */
export function poolParents(pool: TxPool, txs: readonly TxView[], most: number, among?: ReadonlySet<number>): Set<number> | null {
  const parents = new Set<number>();
  for (const tx of txs) {
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = pool.find(tx.buffer, tx.outpointAt(i));
      if (parent === NO_ROW || among?.has(parent) === false) continue;
      parents.add(parent);
      if (parents.size + txs.length > most) return null;
    }
  }
  return parents;
}

/**
 * All ancestors of something new.
 * @param stage its parents; used up
 * @param added how much it adds to each of them
 * @param among only these rows count, all without
 * @returns the limit that is exceeded in words, or the ancestors
 */
export function walkAncestors(
  pool: TxPool,
  stage: Set<number>,
  added: { readonly count: number; readonly size: number },
  limits: Limits,
  among?: ReadonlySet<number>,
): Set<number> | string {
  const { rows, links } = pool;
  const found = new Set<number>();
  let total = added.size;
  while (stage.size > 0) {
    const next = smallestId(pool, stage);
    stage.delete(next);
    found.add(next);
    total += rows.size[next];
    if (rows.descendantSize[next] + added.size > limits.descendantSize) {
      return `exceeds descendant size limit for tx ${hashToHex(pool.entry(next).txid)} [limit: ${limits.descendantSize}]`;
    }
    if (rows.descendantCount[next] + added.count > limits.descendantCount) {
      return `too many descendants for tx ${hashToHex(pool.entry(next).txid)} [limit: ${limits.descendantCount}]`;
    }
    if (total > limits.ancestorSize) return `exceeds ancestor size limit [limit: ${limits.ancestorSize}]`;
    for (const parent of links.parents(next)) {
      if (!found.has(parent) && among?.has(parent) !== false) stage.add(parent);
      if (stage.size + found.size + added.count > limits.ancestorCount) {
        return `too many unconfirmed ancestors [limit: ${limits.ancestorCount}]`;
      }
    }
  }
  return found;
}

function smallestId(pool: TxPool, rows: ReadonlySet<number>): number {
  let best = NO_ROW;
  for (const row of rows) if (best === NO_ROW || pool.compareIds(row, best) < 0) best = row;
  return best;
}
