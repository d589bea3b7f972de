// TRUC rules, topologically restricted until confirmation (BIP-0431, Core's truc_policy): a transaction of version 3
// has at most one unconfirmed parent or child. Both must be of version 3, and the child must be small. A second child
// may replace the first one.
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { policyReject } from '../../policy/reject.js';
import { collectDescendants } from '../relatives.js';
import type { TxPool } from '../tx-pool.js';
import { poolParents } from './chain-limits.js';
import type { Step, Workspace } from './workspace.js';

const TRUC_VERSION = 3;
const MAX_BYTES = 10_000;
const MAX_CHILD_BYTES = 1000;
/** Largest number of unconfirmed transactions of version 3 that are connected: a parent and a child. */
const MAX_RELATIVES = 2;

const named = (tx: TxView): string => `tx ${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)})`;

/**
 * Returns the parents ordered by id, as Core's GetParents does, because the error names the first parent that breaks a
 * rule.
 */
const parentsOf = (tx: TxView, pool: TxPool): number[] =>
  [...(poolParents(pool, [tx], Number.POSITIVE_INFINITY) ?? [])].sort(pool.records.compareIds);

/** Checks that version 3 and other versions do not spend each other. */
function inheritanceFault(tx: TxView, parent: TxView): string | null {
  if ((tx.version === TRUC_VERSION) === (parent.version === TRUC_VERSION)) return null;
  const [own, other] = tx.version === TRUC_VERSION ? ['version=3', 'non-version=3'] : ['non-version=3', 'version=3'];
  return `${own} ${named(tx)} cannot spend from ${other} ${named(parent)}`;
}

const tooBig = (what: string, tx: TxView, size: number, most: number): string =>
  `version=3 ${what}${named(tx)} is too big: ${size} > ${most} virtual bytes`;

const tooManyAncestors = (tx: TxView): string => `${named(tx)} would have too many ancestors`;

const tooManyDescendants = (parent: TxView): string => `${named(parent)} would exceed descendant count limit`;

/**
 * Checks a transaction against the mempool. If the transaction may replace its sibling, adds the sibling to its
 * conflicts.
 */
export const checkTruc: Step = (work, { pool }) => {
  if (work.accept.bypassLimits === true) return null;
  const fault = singleFault(work, pool);
  return fault === null ? null : policyReject('mempool-policy', 'TRUC-violation', fault);
};

function singleFault(work: Workspace, pool: TxPool): string | null {
  const { tx, size, conflicts, accept } = work;
  const parents = work.confirmed ? [] : parentsOf(tx, pool);
  for (const row of parents) {
    const fault = inheritanceFault(tx, pool.records.tx(row));
    if (fault !== null) return fault;
  }
  if (tx.version !== TRUC_VERSION) return null;
  if (size > MAX_BYTES) return tooBig('', tx, size, MAX_BYTES);
  if (parents.length + 1 > MAX_RELATIVES) return tooManyAncestors(tx);
  const [parent] = parents;
  if (parent === undefined) return null;
  if (pool.rows.ancestorCount[parent] + 1 > MAX_RELATIVES) return tooManyAncestors(tx);
  if (size > MAX_CHILD_BYTES) return tooBig('child ', tx, size, MAX_CHILD_BYTES);
  const descendants = new Set<number>();
  collectDescendants(pool.links, parent, descendants);
  descendants.delete(parent);
  const replaces = [...descendants].some((row) => conflicts.has(row));
  if (descendants.size + 2 <= MAX_RELATIVES || replaces) return null;
  const [sibling] = descendants;
  const mayGo = descendants.size === 1 && pool.rows.ancestorCount[sibling] === MAX_RELATIVES;
  if (!mayGo || accept.inPackage === 'test' || accept.inPackage === 'together') return tooManyDescendants(pool.records.tx(parent));
  work.addConflict(sibling);
  work.evictsSibling = true;
  return null;
}

/**
 * Checks a transaction of a package against the other transactions of the package and the mempool. Every transaction of
 * the package must have passed its own checks before.
 */
export function packageTrucFault({ tx, size }: Workspace, all: readonly Workspace[], pool: TxPool): string | null {
  const spent = new Set<string>();
  for (let i = 0; i < tx.inputCount; i++) spent.add(hashKey(tx.prevHash(i)));
  const inside = all.filter((other) => other.tx !== tx && spent.has(hashKey(other.tx.txid))).map((other) => other.tx);
  if (tx.version !== TRUC_VERSION) {
    for (const parent of inside) {
      const fault = inheritanceFault(tx, parent);
      if (fault !== null) return fault;
    }
    return null;
  }
  const parents = parentsOf(tx, pool);
  if (parents.length + inside.length + 1 > MAX_RELATIVES) return tooManyAncestors(tx);
  const [row] = parents;
  const parent = row === undefined ? inside[0] : pool.records.tx(row);
  if (parent === undefined) return null;
  if (size > MAX_CHILD_BYTES) return tooBig('child ', tx, size, MAX_CHILD_BYTES);
  const inherited = inheritanceFault(tx, parent);
  if (inherited !== null) return inherited;
  const [parentId, ownId] = [hashKey(parent.txid), hashKey(tx.txid)];
  for (const { tx: other } of all) {
    if (other === tx) continue;
    for (let i = 0; i < other.inputCount; i++) {
      const id = hashKey(other.prevHash(i));
      if (id === parentId) return tooManyDescendants(parent);
      if (id === ownId) return tooManyAncestors(other);
    }
  }
  return null;
}
