// Walks over the links between pool transactions. Nobody but the pool changes links; these only follow them.
import type { MempoolEntry } from './entry.js';

/** Adds the entry and everything that depends on it to `into`; what is there already is not walked again. */
export function collectDescendants(entry: MempoolEntry, into: Set<MempoolEntry>): void {
  const stage = [entry];
  for (let next = stage.pop(); next !== undefined; next = stage.pop()) {
    if (into.has(next)) continue;
    into.add(next);
    for (const child of next.children) if (!into.has(child)) stage.push(child);
  }
}

/** Everything in the pool that the entry depends on, without itself. */
export function collectAncestors(entry: MempoolEntry): Set<MempoolEntry> {
  const found = new Set<MempoolEntry>();
  const stage = [...entry.parents];
  for (let next = stage.pop(); next !== undefined; next = stage.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const parent of next.parents) if (!found.has(parent)) stage.push(parent);
  }
  return found;
}
