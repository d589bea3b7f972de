// Walks over the links between mempool transactions. Only TxPool changes links.
import type { LinkTable } from './link-table.js';

/** Adds the row and its descendants to `into`. Rows that are in `into` already are not visited again. */
export function collectDescendants(links: LinkTable, row: number, into: Set<number>): void {
  const stage = [row];
  for (let next = stage.pop(); next !== undefined; next = stage.pop()) {
    if (into.has(next)) continue;
    into.add(next);
    if (!links.hasChildren(next)) continue;
    for (const child of links.children(next)) if (!into.has(child)) stage.push(child);
  }
}

/** Returns all ancestors of a row in the mempool, without the row itself. */
export function collectAncestors(links: LinkTable, row: number): Set<number> {
  const found = new Set<number>();
  const stage = links.parents(row);
  for (let next = stage.pop(); next !== undefined; next = stage.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    if (!links.hasParents(next)) continue;
    for (const parent of links.parents(next)) if (!found.has(parent)) stage.push(parent);
  }
  return found;
}
