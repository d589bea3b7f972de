// Limits on unconfirmed relatives of a transaction (Core 0.21's CalculateMemPoolAncestors and the rules around it).
// Visits ancestors in the order of their txids, as Core does, because the first exceeded limit is reported.
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { policyReject } from '../../policy/reject.js';
import { collectAncestors } from '../relatives.js';
import { NO_ROW } from '../rows.js';
import type { TxPool } from '../tx-pool.js';
import { idHex } from './pre-checks.js';
import type { Step, Workspace } from './workspace.js';

/** Limits on relatives. Counts and sizes include the transaction itself. */
export interface Limits {
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  readonly descendantCount: number;
  readonly descendantSize: number;
}

/**
 * Carve-out for a second child of a channel's transaction: the child may exceed the descendant limits of its parent if
 * it is at most this large (virtual bytes) and has no other ancestor.
 */
const CARVE_OUT_SIZE = 10_000;
const CARVE_OUT_ANCESTORS = 2;

/** Checks the limits and fills in work.ancestors. */
export const checkChainLimits: Step = (work, { pool, options }) => {
  // A transaction that spends only confirmed coins has no ancestors.
  if (work.confirmed) return null;
  let descendantCount = options.limitDescendantCount;
  let descendantSize = options.limitDescendantSize;
  // If the transaction replaces a single other one, the count and size of the replaced transaction become available.
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

/** Rejects a transaction that spends a transaction which it would replace. */
export const checkOwnConflicts: Step = (work, { pool }) => {
  if (work.conflicts.size === 0) return null;
  for (const ancestor of [...work.ancestors].sort(pool.records.compareIds)) {
    if (work.conflicts.has(ancestor)) {
      const debug = `${idHex(work.tx)} spends conflicting transaction ${hashToHex(pool.records.entry(ancestor).txid)}`;
      return policyReject('consensus', 'bad-txns-spends-conflicting-tx', debug);
    }
  }
  return null;
};

/**
 * Finds the ancestors of a transaction.
 * @returns the exceeded limit; null if none, with work.ancestors filled in
 */
function findAncestors(work: Workspace, pool: TxPool, limits: Limits): string | null {
  // Without limits the order does not matter. The ordered walk would take quadratic time for thousands of parents.
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

/**
 * Returns the parents of transactions in the mempool; null if there are more than `most`.
 * @param among only these rows count; undefined: all
 */
export function poolParents(pool: TxPool, txs: readonly TxView[], most: number, among?: ReadonlySet<number>): Set<number> | null {
  const parents = new Set<number>();
  for (const tx of txs) {
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = pool.records.find(tx.buffer, tx.outpointAt(i));
      if (parent === NO_ROW || among?.has(parent) === false) continue;
      parents.add(parent);
      if (parents.size + txs.length > most) return null;
    }
  }
  return parents;
}

/**
 * Returns all ancestors of new transactions.
 * @param stage their parents; emptied by this call
 * @param added count and size by which the new transactions increase each ancestor's descendants
 * @param among only these rows count; undefined: all
 * @returns a description of the exceeded limit, or the ancestors
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
      return `exceeds descendant size limit for tx ${hashToHex(pool.records.entry(next).txid)} [limit: ${limits.descendantSize}]`;
    }
    if (rows.descendantCount[next] + added.count > limits.descendantCount) {
      return `too many descendants for tx ${hashToHex(pool.records.entry(next).txid)} [limit: ${limits.descendantCount}]`;
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
  for (const row of rows) if (best === NO_ROW || pool.records.compareIds(row, best) < 0) best = row;
  return best;
}
