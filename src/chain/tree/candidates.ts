// Candidates for the tip: every connectable block with at least the work of the tip (Core's setBlockIndexCandidates).

import { compareBytes } from '../../consensus/bytes/hex.js';
import type { HeaderNode } from './header-node.js';

/**
 * Compares candidates: more work wins, then earlier arrival. Blocks found at start have equal sequence numbers, so
 * their hashes decide. Thus the same files give the same tip at every start.
 * @returns a negative number if a is the worse choice
 */
export function compareCandidates(a: HeaderNode, b: HeaderNode): number {
  if (a === b) return 0;
  if (a.chainWork !== b.chainWork) return a.chainWork < b.chainWork ? -1 : 1;
  if (a.sequenceId !== b.sequenceId) return a.sequenceId > b.sequenceId ? -1 : 1;
  return -compareBytes(a.hash, b.hash);
}

/**
 * Sorted list, worst first. It usually has few nodes. After a start with many stored but unconnected blocks it has
 * many, and entries are dropped at the front; an offset makes that cheap. A node's sequenceId must not change while the
 * node is in the list.
 */
export class Candidates {
  #list: HeaderNode[] = [];
  #first = 0;

  get size(): number {
    return this.#list.length - this.#first;
  }

  /** Best candidate; undefined if the list is empty. */
  get best(): HeaderNode | undefined {
    return this.size === 0 ? undefined : this.#list[this.#list.length - 1];
  }

  has(node: HeaderNode): boolean {
    return this.#list[this.#position(node)] === node;
  }

  add(node: HeaderNode): void {
    const at = this.#position(node);
    if (this.#list[at] === node) return;
    if (at === this.#list.length) this.#list.push(node);
    else this.#list.splice(at, 0, node);
  }

  /** Adds many nodes at start, sorting once. */
  addAll(nodes: readonly HeaderNode[]): void {
    this.#list = [...new Set([...this.#list.slice(this.#first), ...nodes])].sort(compareCandidates);
    this.#first = 0;
  }

  delete(node: HeaderNode): void {
    const at = this.#position(node);
    if (this.#list[at] === node) this.#list.splice(at, 1);
  }

  /** Drops all candidates that are worse than the tip. */
  pruneBelow(tip: HeaderNode): void {
    while (this.#first < this.#list.length && compareCandidates(this.#list[this.#first] as HeaderNode, tip) < 0) this.#first++;
    if (this.#first > 1024 || this.#first === this.#list.length) {
      this.#list.splice(0, this.#first);
      this.#first = 0;
    }
  }

  [Symbol.iterator](): Iterator<HeaderNode> {
    return this.#list.slice(this.#first)[Symbol.iterator]();
  }

  /** Returns the index of the node; if it is not in the list, the index at which it would be inserted. */
  #position(node: HeaderNode): number {
    let low = this.#first;
    let high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCandidates(this.#list[middle] as HeaderNode, node) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
